/**
 * Snapshots: written after the commit, off the lane. Every N versions; at once where a command asks
 * for it, which is then answered after it (RES-3); and of a small room with a tail that leaves memory,
 * so that it comes back without a replay. A failure costs recovery time and nothing else; the log is
 * the truth (PIPE-14, OCFG-1).
 */
import type { RoomVersion } from '../domain/ids.ts';
import type { CancelTimer } from '../ports/timers.ts';
import { stateHashOf } from '../protocol/state-hash.ts';
import type { CellContext } from './cell-context.ts';
import type { RoomCell } from './registry/room-cell.ts';

/** Snapshots written at the same time on one node. */
const concurrentWritesMax = 4;
/** Longest time that the answer of a command waits for its snapshot. */
const forcedWaitMs = 2_000;
/** Rooms above this leave memory without a snapshot: encoding them would cost the loop too much. */
const leavingUsersMax = 500;
/** Snapshots that may wait before rooms leave memory without one. */
const leavingQueueMax = 32;

/** Somebody who waits until the room is stored at this version or a later one, or cannot be. */
interface Waiter {
  readonly version: RoomVersion;
  readonly done: () => void;
  readonly cancel: CancelTimer;
}

/** See the file header. One snapshot in flight per room; the newest state wins. */
export class Snapshots {
  private readonly context: CellContext;
  private readonly waiting = new Set<RoomCell>();
  /** Before all that merely wait. */
  private readonly urgent = new Set<RoomCell>();
  private readonly waiters = new Map<RoomCell, readonly Waiter[]>();
  /** Rooms that are written although they are out of memory: their last state is a committed one. */
  private readonly leavers = new WeakSet<RoomCell>();
  private writing = 0;

  constructor(context: CellContext) {
    this.context = context;
  }

  get idle(): boolean {
    const { writing, waiting, urgent, waiters } = this;
    return writing === 0 && waiting.size === 0 && urgent.size === 0 && waiters.size === 0;
  }

  /** Writes one if the room is N versions ahead of its last snapshot. */
  consider(room: RoomCell): void {
    // Of a deleted room nothing is stored any more but its row.
    if (room.phase !== 'ready' || room.state.status === 'deleted') return;
    const ahead = room.state.version - room.snapshotVersion;
    if (ahead < BigInt(this.context.options.snapshotEveryN) || room.snapshotInFlight) return;
    this.waiting.add(room);
    this.writeNext();
  }

  /**
   * Writes the present state as soon as one of the writers is free, whatever its distance to the last
   * one. `done` is called once: when it is stored, when it could not be, or after `forcedWaitMs`. A
   * command is never failed by its snapshot.
   */
  force(room: RoomCell, done: () => void): void {
    const { version } = room.state;
    const cancel = this.context.timers.after(forcedWaitMs, () => {
      this.context.metrics.count('cell_snapshot_waits_given_up_total');
      this.context.log.warn({ roomKey: room.key, version }, 'answered before its snapshot');
      this.release(room, (waiter) => waiter.cancel === cancel);
    });
    const waiters = this.waiters.get(room) ?? [];
    this.waiters.set(room, [...waiters, { version, done, cancel }]);
    this.urgent.add(room);
    this.writeNext();
  }

  /** The room leaves memory; what it is ahead of its last snapshot is stored if that is cheap. */
  leaving(room: RoomCell): void {
    const { state } = room;
    if (state.status === 'deleted' || state.version === room.snapshotVersion) return;
    if (state.users.size > leavingUsersMax || this.waiting.size >= leavingQueueMax) return;
    this.leavers.add(room);
    this.waiting.add(room);
    this.writeNext();
  }

  /** Ends the waits of those who still wait, without a word to them. */
  stop(): void {
    for (const waiters of this.waiters.values()) for (const { cancel } of waiters) cancel();
    this.waiters.clear();
    this.urgent.clear();
    this.waiting.clear();
  }

  private writeNext(): void {
    for (const queue of [this.urgent, this.waiting]) {
      for (const room of queue) {
        if (this.writing >= concurrentWritesMax) return;
        // In flight with an older state: its turn comes when that one is stored.
        if (room.snapshotInFlight) continue;
        queue.delete(room);
        this.begin(room);
      }
    }
  }

  private begin(room: RoomCell): void {
    const { version } = room.state;
    const isWanted = room.usable || (this.leavers.has(room) && room.partition.active);
    if (!isWanted) {
      this.release(room, () => true);
      return;
    }
    this.writing += 1;
    room.snapshotInFlight = true;
    void this.write(room).then((isStored) => {
      this.writing -= 1;
      room.snapshotInFlight = false;
      this.release(room, (waiter) => waiter.version <= version);
      // What fell due meanwhile must not wait for a further command, which may never come. Of a failure
      // nothing follows at once: in an outage it would follow for ever.
      if (isStored) this.consider(room);
      this.writeNext();
    });
  }

  private release(room: RoomCell, isOver: (waiter: Waiter) => boolean): void {
    const waiters = this.waiters.get(room) ?? [];
    const left = waiters.filter((waiter) => !isOver(waiter));
    if (left.length === 0) this.waiters.delete(room);
    else this.waiters.set(room, left);
    for (const { cancel, done } of waiters.filter(isOver)) {
      cancel();
      done();
    }
  }

  /** Whether it is stored. Never throws. */
  private async write(room: RoomCell): Promise<boolean> {
    const { codec, snapshots, clock, log, metrics, options, trace } = this.context;
    // Taken together: the live state is replaced only between turns.
    const { state, chainHash } = room;
    const startedMonoMs = clock.monoMs();
    try {
      const bytes = codec.encodeSnapshot({ state });
      const stateHash = stateHashOf(bytes);
      trace.at('cell.snapshot_before_write');
      const row = { roomKey: room.key, version: state.version, bytes, stateHash, chainHash };
      await snapshots.save({ ...row, createdAtMs: clock.wallMs() }, options.snapshotsKept);
      room.snapshotVersion = state.version;
      metrics.observeMs('cell_snapshot_ms', clock.monoMs() - startedMonoMs);
      return true;
    } catch (error) {
      // An outage or a fault of ours: one room's snapshot must not cost the node's other rooms.
      metrics.count('cell_snapshot_failures_total');
      log.warn({ roomKey: room.key, error }, 'a snapshot was not written');
      return false;
    }
  }
}
