/** Memory twin of the users' locks: one table for all lockers of a process or a simulated run. */
import type { AppCode, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LockOutcome, LuckyGiftSendLocker } from '../../ports/lucky-gift-send-locker.ts';

/** What the lockers share. */
export class MemoryLuckyGiftLocks {
  /** Like a Redis that does not answer. */
  isAway = false;
  private readonly clock: Clock;
  private readonly held = new Map<string, { token: string; untilMonoMs: number }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A locker on this table. */
  open(): LuckyGiftSendLocker {
    let isStopped = false;
    const isOut = (): boolean => isStopped || this.isAway;
    return {
      take: (appCode, userId, token, ttlMs) =>
        Promise.resolve(isOut() ? 'away' : this.take(nameOf(appCode, userId), token, ttlMs)),
      release: (appCode, userId, token) => {
        const name = nameOf(appCode, userId);
        if (!isOut() && this.held.get(name)?.token === token) this.held.delete(name);
        return Promise.resolve();
      },
      stop: () => {
        isStopped = true;
        return Promise.resolve();
      },
    };
  }

  private take(name: string, token: string, ttlMs: number): LockOutcome {
    const nowMs = this.clock.monoMs();
    const lock = this.held.get(name);
    if (lock !== undefined && lock.token !== token && lock.untilMonoMs > nowMs) return 'busy';
    this.held.set(name, { token, untilMonoMs: nowMs + ttlMs });
    return 'taken';
  }
}

function nameOf(appCode: AppCode, userId: UserId): string {
  return `${appCode}\0${userId}`;
}
