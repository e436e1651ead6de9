/**
 * Deadlines of rooms become system commands of their owner (architecture section 6). A room in
 * memory has a timer for its earliest one; rooms that are not in memory are found through
 * `rooms.next_deadline_ms`. Nothing is decided here: a command that comes too early, twice or for a
 * session that has ended finds nothing to do (MIC-28).
 */
import type { MicSessionId, UserId } from '../domain/ids.ts';
import type { SystemCommandBody } from '../domain/room/commands.ts';
import { nextDeadline } from '../domain/room/deadlines.ts';
import { Failure } from '../kernel/failure.ts';
import type { CancelTimer } from '../ports/timers.ts';
import type { CellContext } from './cell-context.ts';
import { OutageNote } from './outage-note.ts';
import type { Partition } from './partition/partition.ts';
import type { RoomCell } from './registry/room-cell.ts';
import type { RoomRegistry } from './registry/room-registry.ts';
import { confirmationItem, startClock, timerItem, type SystemItem } from './work.ts';

/** Shortest pause before a deadline is looked at. */
const shortestDelayMs = 20;
/** Pause before a deadline whose command changed nothing is tried again: it meets the same fault. */
const fruitlessDelayMs = 1_000;
/** Longest timer; a later deadline is armed again when it ends. */
const longestDelayMs = 60_000;
/** Rooms woken per look at one partition. */
const wokenPerPoll = 100;

/** See the file header. */
export class Deadlines {
  private readonly context: CellContext;
  private readonly registry: RoomRegistry;
  private readonly roomHasWork: (room: RoomCell) => void;
  private readonly armed = new Map<RoomCell, CancelTimer>();
  private stopped = false;
  /** Partitions whose last look met an outage. */
  private readonly unread = new Set<Partition>();
  private readonly outage: OutageNote;

  constructor(context: CellContext, registry: RoomRegistry, roomHasWork: (room: RoomCell) => void) {
    this.context = context;
    this.registry = registry;
    this.roomHasWork = roomHasWork;
    this.outage = new OutageNote(context, 'read due rooms');
  }

  /** Sets the room's timer to its earliest deadline, or takes it away. */
  arm(room: RoomCell): void {
    this.armed.get(room)?.();
    this.armed.delete(room);
    if (this.stopped || !room.usable || room.phase !== 'ready' || room.deadlineQueued) return;
    const deadline = nextDeadline(room.state);
    if (deadline === null) return;
    const untilMs = deadline.atMs - this.context.clock.wallMs();
    const isFruitless = room.deadlineFiredAt === room.state.version;
    const leastMs = isFruitless ? fruitlessDelayMs : shortestDelayMs;
    const delayMs = Math.min(Math.max(untilMs, leastMs), longestDelayMs);
    this.armed.set(
      room,
      this.context.timers.after(delayMs, () => this.fire(room)),
    );
  }

  /** Called after a commit: what was queued for the room has run. */
  ran(room: RoomCell): void {
    room.deadlineQueued = room.pending.some(({ kind }) => kind === 'system');
    this.arm(room);
  }

  /** Drops the timers of rooms that left memory. What was unread there is the next owner's. */
  forget(partition: Partition): void {
    this.noteRead(partition, true);
    for (const [room, cancel] of this.armed) {
      if (room.partition !== partition) continue;
      cancel();
      this.armed.delete(room);
    }
  }

  /** Brings due rooms of a partition into memory; their timers do the rest. */
  async wakeDue(partition: Partition): Promise<void> {
    const { rooms, clock, log } = this.context;
    if (this.stopped) return;
    try {
      const due = await rooms.dueRooms(partition.id, clock.wallMs(), wokenPerPoll);
      this.noteRead(partition, true);
      for (const key of due) {
        if (partition.active && !this.stopped) this.registry.ensure(key, partition);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      // The next look comes by itself. For a node without work it is the only one that sees an
      // outage, so readiness hears of it.
      log.debug({ partition: partition.id, error: error.message }, 'due rooms unread');
      this.noteRead(partition, false);
    }
  }

  private noteRead(partition: Partition, wasRead: boolean): void {
    if (wasRead || !partition.active) this.unread.delete(partition);
    else this.unread.add(partition);
    this.outage.note(this.unread.size > 0);
  }

  /** Leaves all deadlines from here on to the next owner (LEASE-22). Idempotent. */
  stop(): void {
    this.stopped = true;
    for (const cancel of this.armed.values()) cancel();
    this.armed.clear();
  }

  private fire(room: RoomCell): void {
    this.armed.delete(room);
    if (!room.usable || room.phase !== 'ready' || room.deadlineQueued) return;
    const deadline = nextDeadline(room.state);
    if (deadline === null) return;
    if (deadline.atMs > this.context.clock.wallMs()) {
      this.arm(room);
      return;
    }
    room.deadlineFiredAt = room.state.version;
    this.queue(room, deadline.command);
  }

  /** Puts a command of the owner's own into the room's queue; one that is useless there does nothing. */
  queue(room: RoomCell, body: SystemCommandBody): void {
    this.put(room, timerItem(room.key, body, startClock(this.context.clock.monoMs())));
  }

  /**
   * The same for a mic heartbeat that says it publishes: at most one confirmation of a session waits
   * (decision 7). The session is what publishes, whatever seat it is moved to meanwhile.
   */
  confirm(room: RoomCell, userId: UserId, micSessionId: MicSessionId): void {
    const waits = room.pending.some(
      (item) =>
        item.kind === 'system' &&
        item.body.type === 'ConfirmMicPublishing' &&
        item.body.micSessionId === micSessionId,
    );
    if (waits) return;
    this.context.metrics.count('cell_heartbeat_confirmations_total');
    const clock = startClock(this.context.clock.monoMs());
    const body = { type: 'ConfirmMicPublishing', micSessionId } as const;
    this.put(room, confirmationItem(room.key, userId, body, clock));
  }

  private put(room: RoomCell, item: SystemItem): void {
    if (this.stopped) return;
    room.deadlineQueued = true;
    room.pending.push(item);
    this.roomHasWork(room);
  }
}
