/**
 * What each app sells and for how much. Prices never come from a client (GIFT-1). Every change of a
 * gift is a new version of it and old versions stay, so that a debit is honoured at its own price.
 */
import type { AppCode, CommandId, GiftId } from '../domain/ids.ts';

/** One version of one gift. */
export interface CatalogueGift {
  readonly giftId: GiftId;
  /** 1, 2, 3 … per gift. */
  readonly catalogueVersion: bigint;
  /** Coins for one; positive. */
  readonly coinPrice: bigint;
  /** False: no longer sold, known only to old debits. */
  readonly onSale: boolean;
  /** It draws: see `LuckyGiftClient`. Part of the version, like the price (CFG-14). */
  readonly lucky: boolean;
}

/** What a new version says. */
export type GiftOnOffer = Omit<CatalogueGift, 'catalogueVersion'>;

/** All methods throw a Retry failure when the store cannot be reached. */
export interface GiftCatalogue {
  /** The newest version of a gift, on sale or not; null: the app never had it. */
  current(appCode: AppCode, giftId: GiftId): Promise<CatalogueGift | null>;
  /** One version of a gift; null: there is none. */
  version(
    appCode: AppCode,
    giftId: GiftId,
    catalogueVersion: bigint,
  ): Promise<CatalogueGift | null>;
  /**
   * Makes the next version of a gift and answers it. Two writers at once make two versions. For gifts
   * that come with a start; operators set gifts by an act (`OperatorStore`), which the audit keeps.
   */
  put(appCode: AppCode, gift: GiftOnOffer, nowMs: number): Promise<CatalogueGift>;
  /** The version that an operator's act of this id made; null: none. */
  setBy(appCode: AppCode, giftId: GiftId, commandId: CommandId): Promise<CatalogueGift | null>;
  /** Newest versions of an app's gifts behind `after` ('': all), by gift id, at most `limit`. */
  list(appCode: AppCode, after: GiftId | '', limit: number): Promise<readonly CatalogueGift[]>;
}
