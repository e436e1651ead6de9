/**
 * One room in memory: its committed state, what waits for it, and what repeats are answered from.
 * Only the lane replaces `state`, and only after COMMIT is known; everything else reads.
 */
import { chainStart } from '../../protocol/event-chain.ts';
import type { MicSessionId, RoomKey, RoomVersion, UserId } from '../../domain/ids.ts';
import { splitRoomKey } from '../../domain/ids.ts';
import type { HeartbeatFacts } from '../../domain/room/decision.ts';
import { initialRoomState } from '../../domain/room/initial-state.ts';
import type { RoomState } from '../../domain/room/state.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import { lookGapMaxMs } from '../presence/live-window.ts';
import { SoftTimes } from '../presence/soft-times.ts';
import type { RoomItem } from '../work.ts';
import type { StoredResult } from '../../ports/room-reader.ts';
import type { RebuiltRoom } from '../../protocol/room-history.ts';

/** Results kept per room to answer repeats without a look-up. */
const recentResultsMax = 64;

/** `broken`: the stored history does not add up; the room stands still and says so. */
export type RoomPhase = 'loading' | 'ready' | 'broken' | 'dropped';

/** See the file header. Belongs to one Partition object and dies with it. */
export class RoomCell {
  readonly key: RoomKey;
  readonly partition: Partition;
  phase: RoomPhase = 'loading';
  state: RoomState;
  chainHash: Uint8Array = chainStart;
  /** Commands in offset order, system commands anywhere between them. */
  readonly pending: RoomItem[] = [];
  /** In the lane's list of rooms with work. */
  queued = false;
  /** In the transaction that runs now. */
  inBatch = false;
  /** Token that Redis last confirmed; '' none. */
  leaseToken = '';
  snapshotVersion = 0n as RoomVersion;
  snapshotInFlight = false;
  /** A system command for the present deadline waits or runs. */
  deadlineQueued = false;
  /** Version at which the last deadline fell due: unchanged since, its command did nothing. */
  deadlineFiredAt: RoomVersion | null = null;
  /** When users and sessions were last heard of; of a room that was evicted, what it knew. */
  times: SoftTimes;
  lastUsedMonoMs: number;
  /** Loads in a row because memory and database differed, without a commit in between. */
  reloads = 0;
  private readonly recent = new Map<string, StoredResult>();

  constructor(key: RoomKey, partition: Partition, nowMonoMs: number) {
    const { appCode, roomId } = splitRoomKey(key);
    this.key = key;
    this.partition = partition;
    this.state = initialRoomState(appCode, roomId);
    this.lastUsedMonoMs = nowMonoMs;
    this.times = new SoftTimes(nowMonoMs);
  }

  /** Puts the loaded state in place; null: the room was never created. */
  become(rebuilt: RebuiltRoom | null): void {
    if (rebuilt !== null) {
      this.state = rebuilt.state;
      this.chainHash = rebuilt.chainHash;
      this.snapshotVersion = rebuilt.snapshotVersion;
    }
    this.phase = 'ready';
  }

  get lastSeenMs(): Map<UserId, number> {
    return this.times.lastSeenMs;
  }

  get lastMicHeartbeatMs(): Map<MicSessionId, number> {
    return this.times.lastMicHeartbeatMs;
  }

  /** What the sweeps are told about heartbeats; asked anew for every command that is decided. */
  heartbeatFacts({ clock, options }: Pick<CellContext, 'clock' | 'options'>): HeartbeatFacts {
    const monoMs = clock.monoMs();
    const liveSinceMonoMs = this.partition.live.sinceAt(monoMs, lookGapMaxMs(options));
    return this.times.facts({ wallMs: clock.wallMs(), monoMs, liveSinceMonoMs }, options);
  }

  /** Whether work of this room may go on. */
  get usable(): boolean {
    return this.partition.active && this.phase !== 'dropped';
  }

  /** Puts items back that were taken out for a transaction that did not happen. */
  putBack(items: readonly RoomItem[]): void {
    this.pending.push(...items);
    this.pending.sort((left, right) => {
      const [leftAt, rightAt] = [placeOf(left), placeOf(right)];
      return leftAt === rightAt ? 0 : leftAt < rightAt ? -1 : 1;
    });
  }

  /** Whether a command waits here that comes before all of `items`: it was put back. */
  hasOlderThan(items: readonly RoomItem[]): boolean {
    const [waiting] = this.pending.filter(({ kind }) => kind === 'command');
    const [taken] = items.filter(({ kind }) => kind === 'command');
    if (waiting === undefined || taken === undefined) return false;
    return placeOf(waiting) < placeOf(taken);
  }

  recentResult(commandId: string): StoredResult | null {
    return this.recent.get(commandId) ?? null;
  }

  /** Remembers a committed result; the oldest one is forgotten when there are too many. */
  remember(result: StoredResult): void {
    this.recent.set(result.commandId, result);
    if (this.recent.size <= recentResultsMax) return;
    const oldest = this.recent.keys().next();
    if (oldest.done !== true) this.recent.delete(oldest.value);
  }
}

/** Order of execution: by offset. System commands have none; decide judges them wherever they run. */
function placeOf(item: RoomItem): bigint {
  return item.kind === 'command' ? item.record.offset : -1n;
}
