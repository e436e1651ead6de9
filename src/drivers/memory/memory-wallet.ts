/**
 * Memory twin of the wallet client: calls a wallet stand-in in this process. What a network adds, a
 * caller that gives up while the wallet goes on, follows from the timers and from ordered faults.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Wallet } from '../../ports/wallet.ts';
import type { WalletStandIn, WalletStatus } from '../wallet-stand-in/wallet-stand-in.ts';

/** A client of `standIn`. The stand-in outlives it: several clients share one wallet. */
export function createMemoryWallet(standIn: WalletStandIn, timers: Timers): Wallet {
  const calls = new OpenCalls(timers);
  return {
    async debit(request, timeoutMs) {
      const ended = await calls.make((signal) => standIn.debit(request, signal), timeoutMs);
      if (ended.kind !== 'status') return ended;
      return ended.status === 'INVALID_ARGUMENT'
        ? { kind: 'refused', cause: sentenceOf(ended) }
        : unknownOutcome(sentenceOf(ended));
    },
    async find(key, appCode, timeoutMs) {
      const ended = await calls.make((signal) => standIn.find(key, appCode, signal), timeoutMs);
      return ended.kind === 'status' ? unknownOutcome(sentenceOf(ended)) : ended;
    },
    async void(key, appCode, timeoutMs) {
      const ended = await calls.make((signal) => standIn.void(key, appCode, signal), timeoutMs);
      return ended.kind === 'status' ? unknownOutcome(sentenceOf(ended)) : ended;
    },
    stop() {
      calls.stop();
      return Promise.resolve();
    },
  };
}

/** Calls in flight: each ends in time, and at a stop at once. */
class OpenCalls {
  private readonly timers: Timers;
  private readonly leaving = new Set<(cause: string) => void>();
  private isStopped = false;

  constructor(timers: Timers) {
    this.timers = timers;
  }

  make<Answer>(
    perform: (signal: AbortSignal) => Promise<Answer>,
    timeoutMs: number,
  ): Promise<Answer | UnknownOutcome> {
    if (this.isStopped) return Promise.resolve(unknownOutcome('the client is stopped'));
    return new Promise((resolve) => {
      const caller = new AbortController();
      const end = (outcome: Answer | UnknownOutcome): void => {
        cancel();
        this.leaving.delete(leave);
        resolve(outcome);
      };
      // What the wallet does after that is its own business: the caller no longer hears of it.
      const leave = (cause: string): void => {
        end(unknownOutcome(cause));
        caller.abort();
      };
      const cancel = this.timers.after(timeoutMs, () => leave('DEADLINE_EXCEEDED'));
      this.leaving.add(leave);
      perform(caller.signal).then(end, (error: unknown) => end(unknownOutcome(error)));
    });
  }

  stop(): void {
    this.isStopped = true;
    for (const leave of this.leaving) leave('the client was stopped');
  }
}

function sentenceOf({ status, message }: WalletStatus): string {
  return `${status} ${message}`;
}
