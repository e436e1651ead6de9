/**
 * Debits that must be given back. Rows are born in the transaction that ends a gift otherwise than
 * applied (`SettlementRow` of the commit lane) and live until the wallet has acknowledged the void. So
 * do the prizes of an applied lucky gift that were not certainly paid when it was decided.
 */
import type { AppCode, CommandId, RoomId, UserId } from '../domain/ids.ts';
import type { OpenPrize } from './commit-lane.ts';

/** A void, or the payment of a prize, that the wallet has not acknowledged yet. */
export interface OpenSettlement {
  readonly debitKey: string;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly payerUserId: UserId;
  /** Reason code with which the gift ended. */
  readonly reason: string;
  /** Fruitless calls so far. */
  readonly tries: number;
  readonly createdAtMs: number;
  /** Null: a debit to void. Else a prize to pay, and `debitKey` is the prize's own key. */
  readonly prize: OpenPrize | null;
}

/** An open void with all that an operator wants to know of it. */
export interface ListedSettlement extends OpenSettlement {
  readonly partition: number;
  /** 0: at once. */
  readonly nextTryAtMs: number;
  /** Why the last try failed; empty before the first one. Cut to 1,000 characters. */
  readonly lastError: string;
}

/** All methods throw a Retry failure when MySQL cannot be reached. */
export interface SettlementStore {
  /**
   * Open rows of these partitions that may be tried at `nowMs`, oldest first. Whoever asks for
   * partition 0 also gets rows of partitions that the layout of the commands topic does not have:
   * with fewer partitions than before, no row is without somebody who finds it (ADR 8).
   */
  due(
    partitions: readonly number[],
    nowMs: number,
    limit: number,
  ): Promise<readonly OpenSettlement[]>;
  /** Ends a row, with the coins that were refunded or paid; a second time changes nothing. */
  settled(debitKey: string, movedCoins: bigint, nowMs: number): Promise<void>;
  /** Counts a fruitless try of an open row and says when the next one may come. */
  postponed(debitKey: string, error: string, nextTryAtMs: number): Promise<void>;
  /** The oldest open rows of all partitions, due or not. */
  listOpen(limit: number): Promise<readonly ListedSettlement[]>;
  /** Open rows in all, and the age anchor of the oldest; for metrics, at a slow pace. */
  backlog(): Promise<{ readonly open: number; readonly oldestCreatedAtMs: number | null }>;
}
