/**
 * Finds users and mic sessions whose heartbeats ceased and has them taken out (PRES-17, decision 27).
 * Looks at rooms in memory only (LEASE-17); rooms with people that are not there are brought in by
 * `unloaded-rooms.ts`. Nothing is decided here: who is named goes into the room's queue as a system
 * command, is looked at again when that is decided (PRES-19), and committed behind lease and fence
 * like any other (LEASE-18 … LEASE-20).
 */
import type { UserId } from '../../domain/ids.ts';
import { heldSeats } from '../../domain/mic/seats.ts';
import { isMicStale, isStale, lastSeenMsOf } from '../../domain/presence/staleness.ts';
import type { HeartbeatFacts } from '../../domain/room/decision.ts';
import { staleUsersPerSweepMax } from '../../domain/room/room-limits.ts';
import { Failure } from '../../kernel/failure.ts';
import type { CellContext } from '../cell-context.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Partition } from '../partition/partition.ts';
import type { PartitionSet } from '../partition/partition-set.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { lookGapMaxMs } from './live-window.ts';
import { UnloadedRooms } from './unloaded-rooms.ts';

/** What a sweep looks at and what it tells. */
export interface SweepParts {
  readonly registry: RoomRegistry;
  readonly partitions: PartitionSet;
  readonly deadlines: Deadlines;
}

/** See the file header. */
export class Sweeper {
  private readonly context: CellContext;
  private readonly parts: SweepParts;
  private readonly unloaded: UnloadedRooms;
  private stopped = false;

  constructor(context: CellContext, parts: SweepParts) {
    this.context = context;
    this.parts = parts;
    this.unloaded = new UnloadedRooms(context, parts.registry);
  }

  /** One look at everything. At most one sweep per room; a room with more stale users waits a tick. */
  async tick(): Promise<void> {
    const peopled = new Set<Partition>();
    for (const room of this.parts.registry.all()) {
      if (room.usable && room.state.users.size > 0) peopled.add(room.partition);
    }
    await Promise.all([...peopled].map((partition) => this.look(partition)));
    for (const room of [...this.parts.registry.all()]) this.sweep(room);
    for (const partition of [...this.parts.partitions.all()]) {
      if (!this.stopped) await this.unloaded.wake(partition);
    }
  }

  /** Leaves everybody to the next owner (LEASE-22). Idempotent. */
  stop(): void {
    this.stopped = true;
  }

  /** Only where people are: an empty partition costs the brokers no question. */
  private async look(partition: Partition): Promise<void> {
    const { source, clock, log, metrics, options } = this.context;
    try {
      const { endOffset } = await source.logRange(partition.id);
      const { appliedOffset } = partition.offsets;
      const now = { monoMs: clock.monoMs(), wallMs: clock.wallMs(), endOffset, appliedOffset };
      if (!partition.live.look(now, lookGapMaxMs(options))) {
        metrics.count('cell_intake_breaks_total');
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      // Nobody is stale while the log cannot be looked at; the next look comes by itself.
      partition.live.broken();
      metrics.count('cell_intake_breaks_total');
      log.debug({ partition: partition.id, error: error.message }, 'the log is out of reach');
    }
  }

  private sweep(room: RoomCell): void {
    if (this.stopped || !room.usable || room.phase !== 'ready' || room.deadlineQueued) return;
    if (room.state.users.size === 0) return;
    const facts = room.heartbeatFacts(this.context);
    const userIds = this.staleUsers(room, facts);
    if (userIds.length > 0) {
      this.context.metrics.count('cell_sweeps_total', { kind: 'users' }, userIds.length);
      this.parts.deadlines.queue(room, { type: 'SweepStaleUsers', userIds });
    }
    for (const { seat, occupancy } of heldSeats(room.state.seats)) {
      const { micSessionId } = occupancy;
      if (!isMicStale(micSessionId, facts)) continue;
      this.context.metrics.count('cell_sweeps_total', { kind: 'mic' });
      const { seatNo } = seat;
      this.parts.deadlines.queue(room, { type: 'ExpireMicHeartbeat', seatNo, micSessionId });
    }
  }

  private staleUsers(room: RoomCell, facts: HeartbeatFacts): readonly UserId[] {
    const { clock, options } = this.context;
    if (facts.staleBeforeMs === 0 || clock.wallMs() < room.times.quietUntilMs) return [];
    const stale: UserId[] = [];
    let earliestSeenMs = clock.wallMs();
    for (const user of room.state.users.values()) {
      if (user.isRobot) continue;
      if (isStale(user, facts)) stale.push(user.userId);
      else earliestSeenMs = Math.min(earliestSeenMs, lastSeenMsOf(user, facts.lastSeenMs));
      if (stale.length === staleUsersPerSweepMax) return stale;
    }
    if (stale.length === 0) {
      room.times.quietUntilMs = earliestSeenMs + options.presenceStaleAfterMs;
    }
    return stale;
  }
}
