/**
 * A wallet service for development and tests: the ledger, and the faults that somebody ordered. It
 * knows nothing of gRPC; whoever serves it passes calls in, with a signal that says when the caller
 * gave up. The sandbox serves it over gRPC, the twin in memory calls it directly.
 */
import { setMaxListeners } from 'node:events';
import type { AppCode, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import type { DebitRequest, PrizeRequest } from '../../ports/wallet.ts';
import { FaultBoard } from '../fault-board.ts';
import { walletFaultKinds } from './wallet-faults.ts';
import type { WalletCommand, WalletFault, WalletFaultKind } from './wallet-faults.ts';
import { WalletLedger } from './wallet-ledger.ts';
import type {
  LedgerDebit,
  LedgerFound,
  LedgerPrize,
  LedgerRefusal,
  LedgerVoid,
  WrittenInstead,
} from './wallet-ledger.ts';

/** A call that ended without an answer of the business. */
export interface WalletStatus {
  readonly kind: 'status';
  readonly status: 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED' | 'UNAVAILABLE' | 'INTERNAL';
  readonly message: string;
}

/** What a call answers to its transport. */
export type DebitAnswer =
  | Exclude<LedgerDebit, LedgerRefusal>
  | { readonly kind: 'refused'; readonly cause: string }
  | WalletStatus;
/** See `DebitAnswer`. */
export type FindAnswer = Exclude<LedgerFound, LedgerRefusal> | WalletStatus;
/** See `DebitAnswer`. */
export type VoidAnswer = Exclude<LedgerVoid, LedgerRefusal> | WalletStatus;
/** See `DebitAnswer`. */
export type PrizeAnswer = Exclude<LedgerPrize, LedgerRefusal> | WalletStatus;

/** `slow` and `late` without a time of their own wait this long. */
const slowMs = 5_000;
const lateMs = 1_000;
const orderedMessage = 'ordered by the sandbox';
/** What `wrong_payer` and `wrong_purpose` write down. */
const somebodyElse = 'somebody-else' as UserId;
const somethingElse = 'something else';

/** See the file header. */
export class WalletStandIn {
  readonly ledger: WalletLedger;
  readonly faults: FaultBoard<WalletFaultKind>;
  private readonly clock: Clock;
  private readonly timers: Timers;
  private readonly stopped = new AbortController();

  constructor(options: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly random: Random;
    readonly openingCoins: bigint;
  }) {
    // One per late call, of which there are as many as were ordered.
    setMaxListeners(0, this.stopped.signal);
    this.clock = options.clock;
    this.timers = options.timers;
    this.ledger = new WalletLedger(options);
    this.faults = new FaultBoard(walletFaultKinds, options.random);
  }

  /** Takes coins. `signal` aborts when the caller no longer waits. */
  debit(request: DebitRequest, signal: AbortSignal): Promise<DebitAnswer> {
    return this.perform('debit', signal, (fault): DebitAnswer => {
      if (fault?.kind === 'insufficient') return { kind: 'insufficient' };
      if (fault?.kind === 'refuse') return { kind: 'refused', cause: orderedMessage };
      return statusOrEnd(this.ledger.debit(request, writtenInstead(request, fault)));
    });
  }

  /** What stands under a key. */
  find(key: string, appCode: AppCode, signal: AbortSignal): Promise<FindAnswer> {
    return this.perform('find', signal, (fault): FindAnswer => {
      const isHidden = fault?.kind === 'find_lags' && this.isUnseen(key, appCode, fault);
      return isHidden ? { kind: 'absent' } : statusOrEnd(this.ledger.find(key, appCode));
    });
  }

  /** Gives back and closes a key. */
  void(key: string, appCode: AppCode, signal: AbortSignal): Promise<VoidAnswer> {
    return this.perform('void', signal, (): VoidAnswer =>
      statusOrEnd(this.ledger.void(key, appCode)),
    );
  }

  /** Pays a prize. */
  payPrize(request: PrizeRequest, signal: AbortSignal): Promise<PrizeAnswer> {
    return this.perform('prize', signal, (): PrizeAnswer =>
      statusOrEnd(this.ledger.payPrize(request)),
    );
  }

  /** Ends every wait. What was to happen late does not happen any more. */
  stop(): void {
    this.stopped.abort();
  }

  private async perform<Answer>(
    command: WalletCommand,
    signal: AbortSignal,
    apply: (fault: WalletFault | null) => Answer,
  ): Promise<Answer | WalletStatus> {
    const fault = this.faults.take(command);
    if (fault?.kind === 'unavailable') return ordered('UNAVAILABLE');
    if (fault?.kind === 'late') return this.applyLate(fault, signal, () => apply(fault));
    if (fault?.kind === 'twice') apply(fault);
    const answer = apply(fault);
    if (fault?.kind === 'applied_then_unavailable') return ordered('UNAVAILABLE');
    if (fault?.kind === 'applied_then_internal') return ordered('INTERNAL');
    if (fault?.kind === 'applied_then_hang') {
      await this.gaveUp(signal);
      return ordered('UNAVAILABLE');
    }
    if (fault?.kind === 'slow') {
      const ends = AbortSignal.any([signal, this.stopped.signal]);
      await this.timers.sleep(fault.delayMs ?? slowMs, ends);
    }
    return answer;
  }

  private async applyLate(
    fault: WalletFault,
    signal: AbortSignal,
    apply: () => unknown,
  ): Promise<WalletStatus> {
    await this.gaveUp(signal);
    await this.timers.sleep(fault.delayMs ?? lateMs, this.stopped.signal);
    if (!this.stopped.signal.aborted) apply();
    return ordered('UNAVAILABLE');
  }

  /** Resolves when nobody waits for the answer any more. */
  private gaveUp(signal: AbortSignal): Promise<void> {
    const ends = AbortSignal.any([signal, this.stopped.signal]);
    if (ends.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      ends.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private isUnseen(key: string, appCode: AppCode, { delayMs }: WalletFault): boolean {
    const writtenAtMs = this.ledger.writtenAtMs(key, appCode);
    if (writtenAtMs === null || delayMs === undefined) return true;
    return this.clock.wallMs() - writtenAtMs < delayMs;
  }
}

function writtenInstead(request: DebitRequest, fault: WalletFault | null): WrittenInstead {
  switch (fault?.kind) {
    case 'wrong_amount':
      return { coins: request.coins + 1n };
    case 'wrong_payer':
      return { payerUserId: somebodyElse };
    case 'wrong_purpose':
      return { purpose: somethingElse };
    default:
      return {};
  }
}

/** Ends of the business stay; a refusal of the ledger becomes the status that the contract names. */
function statusOrEnd<End extends { readonly kind: string }>(
  end: End | LedgerRefusal,
): Exclude<End, LedgerRefusal> | WalletStatus {
  if (isRefusal(end)) {
    return end.kind === 'invalid'
      ? { kind: 'status', status: 'INVALID_ARGUMENT', message: end.cause }
      : { kind: 'status', status: 'RESOURCE_EXHAUSTED', message: 'the books are full' };
  }
  return end as Exclude<End, LedgerRefusal>;
}

function isRefusal(end: { readonly kind: string }): end is LedgerRefusal {
  return end.kind === 'invalid' || end.kind === 'full';
}

function ordered(status: WalletStatus['status']): WalletStatus {
  return { kind: 'status', status, message: orderedMessage };
}
