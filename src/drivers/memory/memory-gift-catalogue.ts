/** Memory twin of the gift catalogue. Versions are only ever added. */
import type { AppCode, GiftId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import type { CatalogueGift, GiftCatalogue, GiftOnOffer } from '../../ports/gift-catalogue.ts';
import { giftKey, int64Max, type CatalogueRow } from './gift-rows.ts';
import { put, type MemoryDatabase } from './memory-database.ts';

/** See the file header. A price that 64 bits do not hold is Reject `DATA_REFUSED`. */
export class MemoryGiftCatalogue implements GiftCatalogue {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  current(appCode: AppCode, giftId: GiftId): Promise<CatalogueGift | null> {
    return this.database.server.call('catalogue', 'reading a gift', 'read', () => {
      const newest = this.newestOf(appCode, giftId);
      return newest === null ? null : giftOf(newest);
    });
  }

  version(
    appCode: AppCode,
    giftId: GiftId,
    catalogueVersion: bigint,
  ): Promise<CatalogueGift | null> {
    return this.database.server.call('catalogue', 'reading a version of a gift', 'read', () => {
      const row = this.database.catalogue.get(`${giftKey(appCode, giftId)}\0${catalogueVersion}`);
      return row === undefined ? null : giftOf(row);
    });
  }

  async put(appCode: AppCode, gift: GiftOnOffer, nowMs: number): Promise<CatalogueGift> {
    assert(gift.coinPrice > 0n, 'a gift costs something', { price: gift.coinPrice });
    return this.database.server.call('catalogue', 'storing a gift', 'write', () => {
      if (gift.coinPrice > int64Max) {
        throw new Failure('reject', 'DATA_REFUSED', `storing a gift: ${gift.coinPrice} coins`);
      }
      const catalogueVersion = (this.newestOf(appCode, gift.giftId)?.catalogueVersion ?? 0n) + 1n;
      const row: CatalogueRow = { ...gift, appCode, catalogueVersion, createdAtMs: nowMs };
      const key = `${giftKey(appCode, gift.giftId)}\0${catalogueVersion}`;
      this.database.commit([put(this.database.catalogue, key, row)]);
      return giftOf(row);
    });
  }

  list(appCode: AppCode): Promise<readonly CatalogueGift[]> {
    return this.database.server.call('catalogue', 'listing gifts', 'read', () => {
      const ids = new Set(
        this.database.catalogue.rowsBy('app', appCode).map(({ giftId }) => giftId),
      );
      return [...ids].sort().flatMap((giftId) => {
        const newest = this.newestOf(appCode, giftId);
        return newest === null ? [] : [giftOf(newest)];
      });
    });
  }

  private newestOf(appCode: AppCode, giftId: GiftId): CatalogueRow | null {
    const rows = this.database.catalogue.rowsBy('gift', giftKey(appCode, giftId));
    return rows.reduce<CatalogueRow | null>((newest, row) => {
      return newest === null || row.catalogueVersion > newest.catalogueVersion ? row : newest;
    }, null);
  }
}

function giftOf(row: CatalogueRow): CatalogueGift {
  const { giftId, catalogueVersion, coinPrice, onSale, lucky } = row;
  return { giftId, catalogueVersion, coinPrice, onSale, lucky };
}
