/**
 * Whether the group still knows a member that goes on fetching. A fetch needs no membership, so records
 * that arrive say nothing of it; only a join or an answered heartbeat does.
 *
 * Race (test "a member that the group has forgotten, and whose next join is cut off, becomes a member again"):
 *   1. The group goes on without a member that was silent for longer than its session.
 *   2. The member hears so at its next heartbeat and joins again; the join's connection breaks.
 *   3. kafkajs has thrown its member id away by then, and goes on fetching what it had: without an id it
 *      sends no heartbeat, so that nobody ever tells it again. Its cell takes the partitions back from
 *      their new owners, which take them back in turn, for as long as it lives.
 * Closed by giving a member up that gets fetches answered, and nothing from the group for a whole session.
 */
import type { Clock } from '../../ports/clock.ts';

/**
 * Fetches that must have been answered meanwhile: a process that was frozen has had its whole session pass
 * in one step, and asks the group itself behind its first fetch.
 */
const fetchesMin = 10;

/** See the file header. One per consumer. */
export class MembershipWatch {
  private readonly clock: Pick<Clock, 'monoMs'>;
  private readonly sessionTimeoutMs: number;
  private confirmedAtMs: number | null = null;
  private fetches = 0;

  constructor(clock: Pick<Clock, 'monoMs'>, sessionTimeoutMs: number) {
    this.clock = clock;
    this.sessionTimeoutMs = sessionTimeoutMs;
  }

  /** The member joined, or a heartbeat of it was answered. */
  confirmed(): void {
    this.confirmedAtMs = this.clock.monoMs();
    this.fetches = 0;
  }

  /** A fetch was answered. True: the group has forgotten the member, which must join as a new one. */
  isForgotten(): boolean {
    if (this.confirmedAtMs === null) return false;
    this.fetches += 1;
    const isSilent = this.clock.monoMs() - this.confirmedAtMs > this.sessionTimeoutMs;
    return isSilent && this.fetches >= fetchesMin;
  }
}
