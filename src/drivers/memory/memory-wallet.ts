/**
 * Memory twin of the wallet client: calls a wallet stand-in in this process. What a network adds, a
 * caller that gives up while the wallet goes on, follows from the timers and from ordered faults.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Wallet } from '../../ports/wallet.ts';
import { OpenCalls } from './open-calls.ts';
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
    async payPrize(request, timeoutMs) {
      const ended = await calls.make((signal) => standIn.payPrize(request, signal), timeoutMs);
      if (ended.kind !== 'status') return ended;
      return ended.status === 'INVALID_ARGUMENT'
        ? { kind: 'refused', cause: sentenceOf(ended) }
        : unknownOutcome(sentenceOf(ended));
    },
    stop() {
      calls.stop();
      return Promise.resolve();
    },
  };
}

function sentenceOf({ status, message }: WalletStatus): string {
  return `${status} ${message}`;
}
