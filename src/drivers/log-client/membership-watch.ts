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
 * Closed by giving a member up that gets fetches answered, and nothing from the group for a whole session. One
 * that fetches nothing, because it has no partition, asks who is in the group when the longest join is over:
 * it would stand by for ever and never be called.
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
  private readonly longestJoinMs: number;
  private confirmedAtMs: number | null = null;
  private fetches = 0;

  /** `longestJoinMs`: a rebalance and the request that waits for it. */
  constructor(clock: Pick<Clock, 'monoMs'>, sessionTimeoutMs: number, longestJoinMs: number) {
    this.clock = clock;
    this.sessionTimeoutMs = sessionTimeoutMs;
    this.longestJoinMs = longestJoinMs;
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
    return this.fetches >= fetchesMin && this.isSilentFor(this.sessionTimeoutMs);
  }

  /** The group has said nothing for longer than any join takes: time to ask it who is in it. */
  get isInDoubt(): boolean {
    return this.isSilentFor(this.sessionTimeoutMs + this.longestJoinMs);
  }

  private isSilentFor(ms: number): boolean {
    return this.confirmedAtMs !== null && this.clock.monoMs() - this.confirmedAtMs > ms;
  }
}
