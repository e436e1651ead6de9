/**
 * The wallet service as a cell uses it: coins are taken once per key, looked up by key, and given
 * back by key (GIFT-3, architecture section 4, "Money is never taken for nothing").
 *
 * What the service must promise: one debit per key, for ever; a repeat of a key answers the first
 * receipt and takes nothing; `void` is final, so a debit that arrives after it takes nothing.
 *
 * A prize is paid once per key, for ever, and hangs on the debit that it was won with: the void of that
 * debit takes its prizes back too, and a prize that arrives after it pays nothing (ADR 20).
 */
import type { AppCode, UserId } from '../domain/ids.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** One payment. Coins are whole and positive. */
export interface DebitRequest {
  /** 64 hex digits, the same on every try of one command (`debitKeyOf`). */
  readonly key: string;
  readonly appCode: AppCode;
  readonly payerUserId: UserId;
  readonly coins: bigint;
  /** What the coins are for (`giftPurpose`); a found receipt is compared with it. */
  readonly purpose: string;
  /** Who is to get something for it, and the part of `coins` that was spent on each. */
  readonly payees: readonly { readonly userId: UserId; readonly coins: bigint }[];
}

/** What the wallet wrote down under a key. */
export interface WalletReceipt {
  readonly receiptId: string;
  readonly payerUserId: UserId;
  readonly coins: bigint;
  readonly purpose: string;
  readonly balanceAfter: bigint | null;
  /** The single payee's balance after its share; null for several payees or none. */
  readonly incomeBalanceAfter: bigint | null;
}

/** How a debit ended. `unknown`: it may have been taken, may still be, or may never be. */
export type DebitOutcome =
  | { readonly kind: 'debited'; readonly receipt: WalletReceipt }
  | { readonly kind: 'insufficient' }
  /** The key was given back before: nothing will ever be taken under it. */
  | { readonly kind: 'voided' }
  /** The wallet refuses the request itself; nothing was taken by this call. */
  | { readonly kind: 'refused'; readonly cause: string }
  | UnknownOutcome;

/** What stands under a key now. `absent` does not exclude a debit that is still on its way. */
export type FoundDebit =
  | { readonly kind: 'found'; readonly receipt: WalletReceipt }
  | { readonly kind: 'voided' }
  | { readonly kind: 'absent' }
  | UnknownOutcome;

/** `voided`: acknowledged and final. 0 coins refunded: only a tombstone was set. */
export type VoidOutcome =
  { readonly kind: 'voided'; readonly refundedCoins: bigint } | UnknownOutcome;

/** A prize that a lucky gift won for its payer. Coins are whole and positive. */
export interface PrizeRequest {
  /** 64 hex digits, the same on every try of one command for one target (`prizeKeyOf`). */
  readonly key: string;
  /** The key of the debit that the prize was won with. */
  readonly debitKey: string;
  readonly appCode: AppCode;
  readonly winnerUserId: UserId;
  readonly coins: bigint;
  /** The draw that says so. */
  readonly drawId: string;
}

/** What the wallet wrote down under a prize's key. */
export interface PrizeReceipt {
  readonly receiptId: string;
  readonly winnerUserId: UserId;
  readonly coins: bigint;
  readonly balanceAfter: bigint | null;
}

/** How the payment of a prize ended. `unknown`: it may be paid, may still be, or may never be. */
export type PrizeOutcome =
  | { readonly kind: 'paid'; readonly receipt: PrizeReceipt }
  /** Its debit was given back: nothing will ever be paid under the key. */
  | { readonly kind: 'voided' }
  /** The wallet refuses the request itself; nothing was paid by this call. */
  | { readonly kind: 'refused'; readonly cause: string }
  | UnknownOutcome;

/** Every call ends within `timeoutMs`. Never throws; every doubt is `unknown`. */
export interface Wallet {
  debit(request: DebitRequest, timeoutMs: number): Promise<DebitOutcome>;
  find(key: string, appCode: AppCode, timeoutMs: number): Promise<FoundDebit>;
  /**
   * Refunds what was taken under the key, if anything, takes back the prizes that hang on it, and
   * closes the key for ever. Idempotent.
   */
  void(key: string, appCode: AppCode, timeoutMs: number): Promise<VoidOutcome>;
  /** Pays the prize, or answers the receipt of the first time. Idempotent. */
  payPrize(request: PrizeRequest, timeoutMs: number): Promise<PrizeOutcome>;
  stop(): Promise<void>;
}
