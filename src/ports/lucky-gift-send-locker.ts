/**
 * One lucky gift of a user at a time, over all nodes: from the check to the prize (LUCKY-2, CFG-14).
 * It is for order alone, so that a user sees its balance move step by step. Whoever loses the lock,
 * or never had it, draws and pays the same: draws and prizes stand under keys of their command.
 */
import type { AppCode, UserId } from '../domain/ids.ts';

/** How a try to take the lock ended. `away`: nobody can say; the gift goes on without it. */
export type LockOutcome = 'taken' | 'busy' | 'away';

/** Never throws; every call ends within a short time of its own. */
export interface LuckyGiftSendLocker {
  /**
   * Takes the user's lock under `token` for `ttlMs` at most. Who has it under the same token already
   * has it anew.
   */
  take(appCode: AppCode, userId: UserId, token: string, ttlMs: number): Promise<LockOutcome>;
  /** Frees the lock if `token` has it; a lock of another token stays. Failing is harmless: it ends. */
  release(appCode: AppCode, userId: UserId, token: string): Promise<void>;
  stop(): Promise<void>;
}
