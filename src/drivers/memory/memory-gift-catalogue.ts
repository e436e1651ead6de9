/** Memory twin of the gift catalogue. Versions are only ever added. */
import type { AppCode, CommandId, GiftId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import type { CatalogueGift, GiftCatalogue, GiftOnOffer } from '../../ports/gift-catalogue.ts';
import { giftKey, int64Max, type CatalogueRow } from './gift-rows.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import { actKey } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

/** See the file header. A price that 64 bits do not hold is Reject `DATA_REFUSED`. */
export class MemoryGiftCatalogue implements GiftCatalogue {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  current(appCode: AppCode, giftId: GiftId): Promise<CatalogueGift | null> {
    return this.database.server.call('catalogue', 'reading a gift', 'read', () => {
      const newest = newestOf(this.database, appCode, giftId);
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
      const { stored, changes } = nextGift(this.database, appCode, gift, nowMs);
      this.database.commit(changes);
      return stored;
    });
  }

  setBy(appCode: AppCode, giftId: GiftId, commandId: CommandId): Promise<CatalogueGift | null> {
    const { server, catalogue, setByActs } = this.database;
    return server.call('catalogue', 'reading what an act made of a gift', 'read', () => {
      const version = setByActs.get(actKey(appCode, commandId));
      const row = catalogue.get(`${giftKey(appCode, giftId)}\0${version}`);
      return row === undefined ? null : giftOf(row);
    });
  }

  list(appCode: AppCode, after: GiftId | '', limit: number): Promise<readonly CatalogueGift[]> {
    return this.database.server.call('catalogue', 'listing gifts', 'read', () => {
      const ids = new Set(
        this.database.catalogue.rowsBy('app', appCode).map(({ giftId }) => giftId),
      );
      const page = [...ids].filter((giftId) => giftId > after).sort();
      return page.slice(0, Math.max(limit, 1)).flatMap((giftId) => {
        const newest = newestOf(this.database, appCode, giftId);
        return newest === null ? [] : [giftOf(newest)];
      });
    });
  }
}

/** The next version of a gift and what stores it. Throws DATA_REFUSED as the column would. */
export function nextGift(
  database: MemoryDatabase,
  appCode: AppCode,
  gift: GiftOnOffer,
  nowMs: number,
): { readonly stored: CatalogueGift; readonly changes: readonly RowChange[] } {
  if (gift.coinPrice > int64Max) {
    throw new Failure('reject', 'DATA_REFUSED', `storing a gift: ${gift.coinPrice} coins`);
  }
  const newest = newestOf(database, appCode, gift.giftId);
  const catalogueVersion = (newest?.catalogueVersion ?? 0n) + 1n;
  const row: CatalogueRow = { ...gift, appCode, catalogueVersion, createdAtMs: nowMs };
  const key = `${giftKey(appCode, gift.giftId)}\0${catalogueVersion}`;
  return { stored: giftOf(row), changes: [put(database.catalogue, key, row)] };
}

function newestOf(database: MemoryDatabase, appCode: AppCode, giftId: GiftId): CatalogueRow | null {
  const rows = database.catalogue.rowsBy('gift', giftKey(appCode, giftId));
  return rows.reduce<CatalogueRow | null>((newest, row) => {
    return newest === null || row.catalogueVersion > newest.catalogueVersion ? row : newest;
  }, null);
}

function giftOf(row: CatalogueRow): CatalogueGift {
  const { giftId, catalogueVersion, coinPrice, onSale, lucky } = row;
  return { giftId, catalogueVersion, coinPrice, onSale, lucky };
}
