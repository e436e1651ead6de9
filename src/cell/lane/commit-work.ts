/**
 * Brings one gathering of work to its end: decides it on drafts, commits it as one transaction, and
 * does what each outcome of a transaction asks for (architecture section 4, "When the transaction
 * fails"). Every try decides anew, so times, deadlines and repeats are judged as of that try.
 */
import type { RoomKey } from '../../domain/ids.ts';
import { assert, assertNever } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { CommitOutcome, LaneBatch, SettledCommit } from '../../ports/commit-lane.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { retryPauseMs } from '../retry-forever.ts';
import type { RoomItem } from '../work.ts';
import { buildBatch, type BuiltBatch } from './build-batch.ts';
import { decideRoom } from './decide-room.ts';
import type { PartitionWork, RoomDraft } from './draft.ts';
import { ensureLeases, verifyLeases } from './lease-gate.ts';
import { refreshResults } from './refresh-results.ts';
import { groupsOf, onlyPartitions, withoutPartitions, withoutRooms } from './split-work.ts';

/** Tries of a transaction that met a deadlock before the database counts as down. */
const conflictTriesMax = 5;
/** Different causes of one outage that are worth a line. */
const causesToldMax = 10;

/** What the lane does with the ends of a commit. */
export interface CommitTargets {
  /** The batch is stored: replace live state, answer, and so on. Must not throw. */
  committed(built: BuiltBatch, drafts: readonly RoomDraft[], saveMutationMs: number): void;
  /** These partitions are no longer ours: drop them and everything in memory that is theirs. */
  fenced(partitions: readonly Partition[]): void;
  /** Memory and database differ: load the room anew, with these items first in its queue. */
  stale(room: RoomCell, items: readonly RoomItem[]): void;
  /** The owner row is held by somebody: put the work back and look at the owner row. */
  postponed(work: PartitionWork): void;
  /** The database is (not) taking transactions: shown in readiness as DB_DOWN. */
  databaseDown(down: boolean): void;
  /** False once the node must not begin another try (it is stopping for good). */
  goOn(): boolean;
}

/** See the file header. One at a time per lane. */
export class CommitWork {
  private readonly context: CellContext;
  private readonly targets: CommitTargets;
  /** Items that the database refused on their own, with its words. */
  private readonly setAside = new Map<RoomItem, string>();
  /** Records whose dead-letter row must do without their bytes. */
  private readonly bareRecords = new Set<SourceRecord>();
  /** What was said about the database: an hour's outage is a line per cause, not one per try. */
  private readonly told = new Set<string>();

  constructor(context: CellContext, targets: CommitTargets) {
    this.context = context;
    this.targets = targets;
  }

  /** Resolves when every piece of `works` is committed, handed back, or no longer ours. */
  async run(works: readonly PartitionWork[]): Promise<void> {
    let left = works;
    for (let tries = 1; ; tries += 1) {
      left = this.takeBack(left.filter(({ partition }) => partition.active));
      // Nothing waits for the database any more; the next batch says anew how it is.
      if (left.length === 0) this.targets.databaseDown(false);
      if (left.length === 0 || !this.targets.goOn()) return;
      const startedMonoMs = this.context.clock.monoMs();
      const ensured = await ensureLeases(this.context, roomsOf(left));
      noteLeaseTime(left, this.context.clock.monoMs() - startedMonoMs);
      left = this.dropLost(left, ensured.lost);
      if (left.length === 0) continue;
      const drafts = left.flatMap(({ rooms }) =>
        rooms.map((work) => decideRoom(this.context, work, this.setAside)),
      );
      const built = buildBatch(this.context, left, drafts, this.bareRecords);
      const next = await this.commit(left, built, drafts, tries);
      if (next === null) return;
      left = next;
    }
  }

  /**
   * Race (test "keep their order when the owner row is busy in the midst of the split"):
   *   1. A batch is split, and a part of it hands commands of a room back to the room's queue.
   *   2. A later part holds commands of the same room that come behind them.
   *   3. Those go back, too: decided now, they would overtake.
   */
  private takeBack(works: readonly PartitionWork[]): readonly PartitionWork[] {
    const overtaking = works
      .flatMap(({ rooms }) => rooms)
      .filter(({ room, items }) => room.phase === 'dropped' || room.hasOlderThan(items));
    for (const { room, items } of overtaking) {
      if (room.phase === 'dropped') this.targets.stale(room, items);
      else room.putBack(items);
    }
    return withoutRooms(works, new Set(overtaking.map(({ room }) => room.key)));
  }

  /** One transaction. What is left to try again, or null when nothing is. */
  private async commit(
    works: readonly PartitionWork[],
    built: BuiltBatch,
    drafts: readonly RoomDraft[],
    tries: number,
  ): Promise<readonly PartitionWork[] | null> {
    const { lane, clock, trace } = this.context;
    const startedMonoMs = clock.monoMs();
    let lost: ReadonlySet<Partition> = new Set();
    const gate = verifyLeases(this.context, roomsOf(works)).then((found) => {
      lost = found.lost;
      trace.at('cell.packet_answered_before_commit');
      return lost.size === 0;
    });
    trace.at('cell.before_commit_packet');
    const outcome = await lane.commit(built.batch, gate);
    const tookMs = clock.monoMs() - startedMonoMs;
    this.context.metrics.observeMs('cell_commit_ms', tookMs, { outcome: outcome.kind });
    if (outcome.kind === 'committed') {
      this.targets.databaseDown(false);
      this.targets.committed(built, drafts, tookMs);
      return null;
    }
    if (outcome.kind === 'stopped') {
      // A gate that broke (and did not say no) is a fault of ours: it is thrown here.
      await gate;
      return this.dropLost(works, lost);
    }
    return this.afterFailure(works, built, drafts, outcome, tries);
  }

  private async afterFailure(
    works: readonly PartitionWork[],
    built: BuiltBatch,
    drafts: readonly RoomDraft[],
    outcome: Exclude<CommitOutcome, { kind: 'committed' | 'stopped' }>,
    tries: number,
  ): Promise<readonly PartitionWork[] | null> {
    switch (outcome.kind) {
      case 'fenced': {
        const lost = partitionsIn(works, outcome.partitions);
        assert(lost.size > 0, 'fenced out of a partition that is not in the batch');
        return this.dropLost(works, lost);
      }
      case 'fenceBusy': {
        const busy = partitionsIn(works, outcome.partitions);
        for (const work of onlyPartitions(works, busy)) this.targets.postponed(work);
        return withoutPartitions(works, busy);
      }
      case 'staleRooms':
        return this.reloadRooms(works, new Set(outcome.roomKeys));
      case 'duplicateCommand': {
        const learned = await refreshResults(this.context, works);
        // Nothing new means that the log refuses an id which it does not show: no try will pass.
        return learned ? works : this.isolate(works, outcome.cause);
      }
      case 'conflict':
      case 'unavailable':
        return this.pauseAndRetry(works, outcome.kind, outcome.cause, tries);
      case 'dataError':
        return this.isolate(works, outcome.cause);
      case 'unknown':
        return this.settle(works, built, drafts, outcome.cause);
      default:
        return assertNever(outcome, 'an outcome of a transaction without an answer');
    }
  }

  private reloadRooms(
    works: readonly PartitionWork[],
    keys: ReadonlySet<RoomKey>,
  ): readonly PartitionWork[] {
    const stale = works.flatMap(({ rooms }) => rooms).filter(({ room }) => keys.has(room.key));
    assert(stale.length > 0, 'a stale room that is not in the batch');
    this.context.metrics.count('cell_stale_rooms_total', {}, stale.length);
    for (const { room, items } of stale) this.targets.stale(room, items);
    return withoutRooms(works, keys);
  }

  private async pauseAndRetry(
    works: readonly PartitionWork[],
    kind: 'conflict' | 'unavailable',
    cause: string,
    tries: number,
  ): Promise<readonly PartitionWork[]> {
    this.context.metrics.count('cell_transaction_retries_total', { kind });
    if (kind === 'unavailable' || tries >= conflictTriesMax) {
      this.warnOnce(cause, 'the database does not take the batch');
      this.targets.databaseDown(true);
    }
    await this.context.timers.sleep(retryPauseMs(this.context, tries));
    return works;
  }

  /**
   * A data error belongs to one command: split by partition, room, command until one fails alone
   * and is set aside. The halves that are clean commit on the way. An outage never gets here.
   */
  private async isolate(
    works: readonly PartitionWork[],
    cause: string,
  ): Promise<readonly PartitionWork[] | null> {
    this.context.metrics.count('cell_data_errors_total');
    const groups = groupsOf(works);
    if (groups.length > 1) {
      for (const group of groups) await this.run(group);
      return null;
    }
    const item = works[0]?.rooms[0]?.items[0];
    const record = works[0]?.loose[0]?.record ?? (item?.kind === 'command' ? item.record : null);
    if (item !== undefined && !this.setAside.has(item)) {
      this.context.log.error({ roomKey: item.roomKey, cause }, 'a command is set aside');
      this.setAside.set(item, cause);
      return works;
    }
    // Not a command's data but our own dead-letter row: keep the fact, leave the payload out.
    assert(record !== null && !this.bareRecords.has(record), `a lone record is refused: ${cause}`);
    this.bareRecords.add(record);
    return works;
  }

  /**
   * An unknown COMMIT is read back before anything else happens (INV-14): answering early could
   * promise what is not stored, trying again early could store it twice.
   */
  private async settle(
    works: readonly PartitionWork[],
    built: BuiltBatch,
    drafts: readonly RoomDraft[],
    cause: string,
  ): Promise<readonly PartitionWork[] | null> {
    this.context.log.warn({ cause }, 'the outcome of a COMMIT is unknown: reading it back');
    const settled = await this.readBack(built.batch);
    if (settled === null) return null;
    this.context.metrics.count('cell_unknown_commits_total', { ended: settled.kind });
    if (settled.kind === 'absent') return works;
    if (settled.kind === 'committed') {
      this.targets.committed(built, drafts, 0);
      return null;
    }
    const lost = partitionsIn(works, settled.partitions);
    const rest = withoutPartitions(works, lost);
    const kept = drafts.filter(({ room }) => !lost.has(room.partition));
    this.targets.fenced([...lost]);
    if (settled.rest === 'absent') return rest;
    const settles = new Map([...built.settles].filter(([partition]) => !lost.has(partition)));
    if (rest.length > 0) this.targets.committed({ ...built, settles }, kept, 0);
    return null;
  }

  private async readBack(batch: LaneBatch): Promise<SettledCommit | null> {
    for (let tries = 1; ; tries += 1) {
      const settled = await this.settleOnce(batch);
      if (settled !== null) {
        this.targets.databaseDown(false);
        return settled;
      }
      this.targets.databaseDown(true);
      if (!this.targets.goOn()) return null;
      await this.context.timers.sleep(retryPauseMs(this.context, tries));
    }
  }

  private async settleOnce(batch: LaneBatch): Promise<SettledCommit | null> {
    try {
      return await this.context.lane.settle(batch);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      this.warnOnce(error.message, 'the outcome cannot be read back yet');
      return null;
    }
  }

  private warnOnce(cause: string, message: string): void {
    const line = `${message}: ${cause}`;
    if (this.told.has(line) || this.told.size >= causesToldMax) return;
    this.told.add(line);
    this.context.log.warn({ cause }, message);
  }

  private dropLost(
    works: readonly PartitionWork[],
    lost: ReadonlySet<Partition>,
  ): readonly PartitionWork[] {
    if (lost.size === 0) return works;
    this.targets.fenced([...lost]);
    return withoutPartitions(works, lost);
  }
}

function roomsOf(works: readonly PartitionWork[]): RoomCell[] {
  return works.flatMap(({ rooms }) => rooms.map(({ room }) => room));
}

function noteLeaseTime(works: readonly PartitionWork[], tookMs: number): void {
  for (const { items } of works.flatMap(({ rooms }) => rooms)) {
    for (const item of items) item.clock.leaseMs += tookMs;
  }
}

function partitionsIn(
  works: readonly PartitionWork[],
  ids: readonly number[],
): ReadonlySet<Partition> {
  const wanted = new Set(ids);
  return new Set(works.map(({ partition }) => partition).filter(({ id }) => wanted.has(id)));
}
