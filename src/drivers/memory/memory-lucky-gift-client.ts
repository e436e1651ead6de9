/** Memory twin of the lucky gift client: calls a stand-in in this process. */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { LuckyGiftClient } from '../../ports/lucky-gift-client.ts';
import type { Timers } from '../../ports/timers.ts';
import type { LuckyStandIn, LuckyStatus } from '../lucky-stand-in/lucky-stand-in.ts';
import { OpenCalls } from './open-calls.ts';

/** A client of `standIn`, which outlives it. */
export function createMemoryLuckyGiftClient(
  standIn: LuckyStandIn,
  timers: Timers,
): LuckyGiftClient {
  const calls = new OpenCalls(timers);
  return {
    async check(_gift, _targetUserIds, timeoutMs) {
      const ended = await calls.make((signal) => standIn.check(signal), timeoutMs);
      return ended.kind === 'status' ? unknownOutcome(sentenceOf(ended)) : ended;
    },
    async draw(gift, requests, timeoutMs) {
      const ended = await calls.make((signal) => standIn.draw(gift, requests, signal), timeoutMs);
      return ended.kind === 'status' ? unknownOutcome(sentenceOf(ended)) : ended;
    },
    stop() {
      calls.stop();
      return Promise.resolve();
    },
  };
}

function sentenceOf({ status, message }: LuckyStatus): string {
  return `${status} ${message}`;
}
