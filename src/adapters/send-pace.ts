/**
 * Spaces sends so that a destination's rate limits are kept by us and not found out by refusals: at
 * most so many per second for one key (a group) and in all (an app). Waiting costs time of the
 * claim, so the limits lie below the destination's own.
 */
import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';

/** Sends per second; after a quiet time `burst` of them may go at once. */
export interface PaceLimits {
  readonly perKeyPerSecond: number;
  readonly totalPerSecond: number;
  readonly burst: number;
}

/** Keys remembered; beyond it those whose time has passed are dropped. */
const keysMax = 10_000;

/** See the file header. */
export class SendPace {
  private readonly clock: Clock;
  private readonly timers: Timers;
  private readonly limits: PaceLimits;
  /** When the next send of a key would be on time, on the monotonic clock. */
  private readonly nextByKey = new Map<string, number>();
  private nextInAll = 0;

  constructor(clock: Clock, timers: Timers, limits: PaceLimits) {
    this.clock = clock;
    this.timers = timers;
    this.limits = limits;
  }

  /** Resolves when it is the caller's turn. Turns are given in the order in which they are asked for. */
  async turn(key: string): Promise<void> {
    const { perKeyPerSecond, totalPerSecond } = this.limits;
    const nowMs = this.clock.monoMs();
    if (this.nextByKey.size >= keysMax) this.forgetPast(nowMs);
    const ofKeyMs = this.place(this.nextByKey.get(key), nowMs, perKeyPerSecond);
    const inAllMs = this.place(this.nextInAll, nowMs, totalPerSecond);
    this.nextByKey.set(key, ofKeyMs + 1000 / perKeyPerSecond);
    this.nextInAll = inAllMs + 1000 / totalPerSecond;
    const waitMs = Math.max(ofKeyMs, inAllMs) - nowMs;
    if (waitMs > 0) await this.timers.sleep(waitMs);
  }

  /** A quiet key may be behind by a burst, not by more. */
  private place(nextMs: number | undefined, nowMs: number, perSecond: number): number {
    const burstMs = ((this.limits.burst - 1) * 1000) / perSecond;
    return Math.max(nextMs ?? 0, nowMs - burstMs);
  }

  private forgetPast(nowMs: number): void {
    for (const [key, nextMs] of this.nextByKey) if (nextMs < nowMs) this.nextByKey.delete(key);
  }
}
