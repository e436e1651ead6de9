/**
 * Folded heartbeats: they refresh the soft tables of rooms and answer who is not present, and whose
 * mic session is over. No log row, no version, no expiry (PRES-13, PRES-22). A heartbeat counts with its record's time, so a fold
 * that waited behind an outage does not look fresher than it is.
 *
 * Each heartbeat is judged as soon as its room is in memory, and its fold is answered with the last
 * one: a fold never needs all of its rooms in memory at once, and a load costs what waits for it.
 *
 * Their offsets are settled in memory only; a takeover reads them again, which is harmless.
 */
import { roomKeyOf } from '../../domain/ids.ts';
import { findSeatByUser } from '../../domain/mic/seats.ts';
import { assertDefined } from '../../kernel/assert.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { MicSessionId, UserId } from '../../domain/ids.ts';
import type { HeartbeatItem } from '../../protocol/records.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import type { HeartbeatWork } from './read-record.ts';

/** A fold that waits until every heartbeat in it is judged. */
interface OpenFold {
  readonly partition: Partition;
  readonly work: HeartbeatWork;
  /** Positions in the fold, in whatever order their rooms came in. */
  readonly notPresent: number[];
  readonly notActive: number[];
  readonly micStale: number[];
  unjudged: number;
}

/** One heartbeat of a fold, by its position. */
interface WaitingBeat {
  readonly fold: OpenFold;
  readonly at: number;
}

/** What heartbeats ask of others. */
export interface HeartbeatTargets {
  /** A fold is answered and its offset settled. */
  settled(partition: Partition): void;
  /** A session whose publishing nobody has confirmed says that it publishes. */
  confirm(room: RoomCell, userId: UserId, micSessionId: MicSessionId): void;
}

/** See the file header. */
export class Heartbeats {
  private readonly context: CellContext;
  private readonly registry: RoomRegistry;
  private readonly partitionCount: number;
  private readonly told: HeartbeatTargets;
  private readonly waiting = new Map<RoomCell, WaitingBeat[]>();

  constructor(
    context: CellContext,
    registry: RoomRegistry,
    partitionCount: number,
    told: HeartbeatTargets,
  ) {
    this.context = context;
    this.registry = registry;
    this.partitionCount = partitionCount;
    this.told = told;
  }

  get idle(): boolean {
    return this.waiting.size === 0;
  }

  /** Takes a fold; it is answered as soon as each of its rooms was in memory. */
  accept(partition: Partition, work: HeartbeatWork): void {
    const { items } = work.fold;
    const lists = { notPresent: [], notActive: [], micStale: [] };
    const fold = { partition, work, ...lists, unjudged: items.length };
    items.forEach(({ appCode, roomId }, at) => {
      const roomKey = roomKeyOf(appCode, roomId);
      const isOurs = partitionOf(roomKey, this.partitionCount) === partition.id;
      this.judgeOrWait({ fold, at }, isOurs ? this.registry.ensure(roomKey, partition) : null);
    });
    if (items.length === 0) this.answer(fold);
  }

  /** Called when a room was loaded: judges what waits for it. */
  loaded(room: RoomCell): void {
    const beats = this.waiting.get(room);
    if (beats === undefined) return;
    this.waiting.delete(room);
    for (const beat of beats) this.judgeOrWait(beat, room);
  }

  /** Called when rooms were dropped: their successors answer, or nobody if the partition is lost. */
  dropped(): void {
    for (const [room, beats] of [...this.waiting]) {
      if (room.usable) continue;
      this.waiting.delete(room);
      if (!room.partition.active) continue;
      const successor = this.registry.ensure(room.key, room.partition);
      for (const beat of beats) this.judgeOrWait(beat, successor);
    }
  }

  /** `room` null: it does not belong to this partition. */
  private judgeOrWait(beat: WaitingBeat, room: RoomCell | null): void {
    if (room?.phase === 'loading') {
      const beats = this.waiting.get(room);
      if (beats === undefined) this.waiting.set(room, [beat]);
      else beats.push(beat);
      return;
    }
    const { fold, at } = beat;
    this.judge(fold, at, room);
    fold.unjudged -= 1;
    if (fold.unjudged === 0) this.answer(fold);
  }

  private judge(fold: OpenFold, at: number, room: RoomCell | null): void {
    const { record, fold: beats } = fold.work;
    const item = assertDefined(beats.items[at], 'a heartbeat that is not in its fold');
    if (room?.state.status !== 'active') fold.notActive.push(at);
    else if (!room.state.users.has(item.userId)) fold.notPresent.push(at);
    else if (!holdsSeat(room, item)) fold.micStale.push(at);
    else {
      hear(room, item, record.recordTimeMs);
      if (fold.work.publishing) this.confirm(room, item);
    }
  }

  /**
   * Decision 7, and only where the deployment wants it. The heartbeat itself leaves no trace: what it
   * stands for is a command of the room's own, decided again behind whatever waits there.
   */
  private confirm(room: RoomCell, { userId, micSessionId }: HeartbeatItem): void {
    if (!this.context.options.autoConfirmOnHeartbeat || micSessionId === '') return;
    const held = findSeatByUser(room.state.seats, userId);
    if (held?.occupancy.state === 'pending_publish') this.told.confirm(room, userId, micSessionId);
  }

  private answer({ partition, work, notPresent, notActive, micStale }: OpenFold): void {
    const { metrics, codec, replies } = this.context;
    metrics.count('cell_heartbeats_total', {}, work.fold.items.length);
    if (work.reply !== null) {
      const value = codec.encodeReply({
        kind: 'heartbeats',
        heardAtMs: work.record.recordTimeMs,
        notPresent: notPresent.sort(ascending),
        notActive: notActive.sort(ascending),
        micStale: micStale.sort(ascending),
      });
      replies.send([{ ...work.reply, value }]);
    }
    partition.offsets.settle([work.record.offset]);
    this.told.settled(partition);
  }
}

/** Whether the session named holds a seat of that user; a heartbeat of presence names none. */
function holdsSeat(room: RoomCell, { userId, micSessionId }: HeartbeatItem): boolean {
  if (micSessionId === '') return true;
  return findSeatByUser(room.state.seats, userId)?.occupancy.micSessionId === micSessionId;
}

/** A mic heartbeat is a sign of presence as well. Times only grow: a record may be read twice. */
function hear(room: RoomCell, { userId, micSessionId }: HeartbeatItem, atMs: number): void {
  room.lastSeenMs.set(userId, Math.max(room.lastSeenMs.get(userId) ?? 0, atMs));
  if (micSessionId === '') return;
  const lastMs = room.lastMicHeartbeatMs.get(micSessionId) ?? 0;
  room.lastMicHeartbeatMs.set(micSessionId, Math.max(lastMs, atMs));
}

function ascending(left: number, right: number): number {
  return left - right;
}
