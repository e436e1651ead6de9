/**
 * A lucky gift service for development and tests. What a key draws follows from its digits alone, so
 * that a stand-in that was started anew draws the same; it writes down what it drew, and the faults
 * that somebody ordered happen to it. It knows nothing of gRPC.
 */
import { assert } from '../../kernel/assert.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Draw, DrawRequest, LuckyGift } from '../../ports/lucky-gift-client.ts';
import { FaultBoard, type Fault } from '../fault-board.ts';

/** The calls, as orders name them. */
export const luckyCommands = ['check', 'draw'] as const;

/**
 * `unavailable`: refused before anything happens. `applied_then_…`: draws, and the caller gets
 * UNAVAILABLE or nothing. `slow`: draws at once and answers `delay_ms` later. `twice`: the call arrives
 * twice. `refuse`: a check ends so.
 */
export const luckyFaultKinds = [
  'unavailable',
  'applied_then_unavailable',
  'applied_then_hang',
  'slow',
  'twice',
  'refuse',
] as const;
/** One of them. */
export type LuckyFaultKind = (typeof luckyFaultKinds)[number];

/** What stands under a key. */
export interface KeptDraw extends Draw {
  readonly gift: LuckyGift;
  readonly targetUserId: DrawRequest['targetUserId'];
  /** Times that it was asked for again. */
  readonly repeats: number;
}

/** An end of a call: an answer of the business, or none. */
export type CheckAnswer =
  { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly cause: string } | LuckyStatus;
/** See `CheckAnswer`. */
export type DrawAnswer = { readonly kind: 'drawn'; readonly draws: readonly Draw[] } | LuckyStatus;
/** A call that ended without an answer of the business. */
export interface LuckyStatus {
  readonly kind: 'status';
  readonly status: 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE';
  readonly message: string;
}

const slowMs = 5_000;
const keysMax = 500_000;
const keyPattern = /^[0-9a-f]{64}$/;
/** One key in four wins; what, say two of its digits. */
const multipliersPercent = [50, 200, 250, 500, 10_000] as const;

/** See the file header. */
export class LuckyStandIn {
  readonly faults: FaultBoard<LuckyFaultKind>;
  private readonly timers: Timers;
  private readonly kept = new Map<string, KeptDraw>();
  private readonly stopped = new AbortController();

  constructor(options: { readonly timers: Timers; readonly random: Random }) {
    this.timers = options.timers;
    this.faults = new FaultBoard(luckyFaultKinds, options.random);
  }

  /** Every draw so far, in the order of first arrival. */
  draws(): readonly KeptDraw[] {
    return [...this.kept.values()];
  }

  /** Whether the gift may be sent. `signal` aborts when the caller no longer waits. */
  check(signal: AbortSignal): Promise<CheckAnswer> {
    return this.perform('check', signal, (fault): CheckAnswer => {
      return fault?.kind === 'refuse'
        ? { kind: 'refused', cause: 'ordered by the sandbox' }
        : { kind: 'allowed' };
    });
  }

  /** Draws, or answers what was drawn before. */
  draw(
    gift: LuckyGift,
    requests: readonly DrawRequest[],
    signal: AbortSignal,
  ): Promise<DrawAnswer> {
    return this.perform('draw', signal, (): DrawAnswer => {
      if (requests.some(({ key }) => !keyPattern.test(key))) {
        return { kind: 'status', status: 'INVALID_ARGUMENT', message: 'key must be 64 hex digits' };
      }
      if (this.kept.size + requests.length > keysMax) {
        return { kind: 'status', status: 'RESOURCE_EXHAUSTED', message: 'the books are full' };
      }
      return { kind: 'drawn', draws: requests.map((request) => this.drawOne(gift, request)) };
    });
  }

  /** Ends every wait. */
  stop(): void {
    this.stopped.abort();
  }

  private drawOne(gift: LuckyGift, { key, targetUserId }: DrawRequest): Draw {
    const name = `${gift.appCode}\0${key}`;
    const known = this.kept.get(name);
    const kept: KeptDraw =
      known === undefined
        ? { ...drawn(key, gift), gift, targetUserId, repeats: 0 }
        : { ...known, repeats: known.repeats + 1 };
    this.kept.set(name, kept);
    const { drawId, multiplierPercent, prizeCoins } = kept;
    return { key, drawId, multiplierPercent, prizeCoins };
  }

  private async perform<Answer>(
    command: (typeof luckyCommands)[number],
    signal: AbortSignal,
    apply: (fault: Fault<LuckyFaultKind> | null) => Answer,
  ): Promise<Answer | LuckyStatus> {
    const fault = this.faults.take(command);
    const ends = AbortSignal.any([signal, this.stopped.signal]);
    if (fault?.kind === 'unavailable') return unavailable;
    if (fault?.kind === 'twice') apply(fault);
    const answer = apply(fault);
    if (fault?.kind === 'applied_then_unavailable') return unavailable;
    if (fault?.kind === 'applied_then_hang') {
      await aborted(ends);
      return unavailable;
    }
    if (fault?.kind === 'slow') await this.timers.sleep(fault.delayMs ?? slowMs, ends);
    return answer;
  }
}

const unavailable: LuckyStatus = {
  kind: 'status',
  status: 'UNAVAILABLE',
  message: 'ordered by the sandbox',
};

/** By the digits of the key alone: see the file header. */
function drawn(key: string, { unitPrice, giftCount }: LuckyGift): Draw {
  const isWin = Number.parseInt(key.slice(0, 2), 16) < 64;
  const place = Number.parseInt(key.slice(2, 4), 16) % multipliersPercent.length;
  const multiplierPercent = isWin ? (multipliersPercent[place] ?? 0) : 0;
  const prizeCoins = (unitPrice * BigInt(giftCount) * BigInt(multiplierPercent)) / 100n;
  assert(prizeCoins >= 0n, 'a prize is not below zero', { prizeCoins });
  const drawId = `draw-${key.slice(0, 24)}`;
  // Half of the smallest price is no whole coin: then there is no prize.
  return prizeCoins === 0n
    ? { key, drawId, multiplierPercent: 0, prizeCoins }
    : { key, drawId, multiplierPercent, prizeCoins };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
