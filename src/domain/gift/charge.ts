/**
 * How the payment of one gift command ended, as a fact for `decide`. The wallet is called between
 * plan and decide (GIFT-2, GIFT-3); whatever it answered is judged here like every other fact.
 */
import type { DrawFact } from './lucky-draw.ts';

/** The wallet's record of the coins it took for one command. */
export interface ChargeReceipt {
  /** The wallet's own id of the debit; `billing_receipt_id` of the answer (RES-9). */
  readonly receiptId: string;
  /** Price of one gift in the catalogue version under which the debit was made. */
  readonly unitPrice: bigint;
  /** That version: old ones are kept, so that a found debit is honoured at its own price. */
  readonly catalogueVersion: bigint;
  /** The payer's coins after the debit (RES-10); null when the wallet did not say. */
  readonly balanceAfter: bigint | null;
  /** The receiver's coins after its share, for a single target (RES-11); null: not applicable. */
  readonly incomeBalanceAfter: bigint | null;
}

/** Every end of a charge. */
export type Charge =
  /** The coins were taken: exactly unit price × count × targets, which the caller has checked. */
  | {
      readonly kind: 'charged';
      readonly receipt: ChargeReceipt;
      /** A lucky gift: one per target, in their order. Any other gift: none. */
      readonly draws: readonly DrawFact[];
    }
  /** The payer does not have the coins. */
  | { readonly kind: 'insufficient' }
  /** The app sells no such gift now. Nothing was asked of the wallet. */
  | { readonly kind: 'notOffered' }
  /** A lucky gift that may not be sent: not here, not by this user. Nothing was asked of the wallet. */
  | { readonly kind: 'luckyRefused'; readonly cause: string }
  /** Another lucky gift of the sender is on its way, or nobody could say whether it may be sent. */
  | { readonly kind: 'luckyBusy' }
  /** No certain debit in time, or one that cannot be honoured: whatever was taken is given back. */
  | { readonly kind: 'notCharged'; readonly cause: string };
