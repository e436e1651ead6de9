/** What each app sells, in MySQL. Versions are only ever added, so a reader needs no lock. */
import type { AppCode, CommandId, GiftId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { CatalogueGift, GiftCatalogue, GiftOnOffer } from '../../ports/gift-catalogue.ts';
import { toFailure } from './mysql-errors.ts';
import { insertNextVersion } from './next-version.ts';
import type { MysqlPool } from './pool.ts';
import type { MysqlSession, Row } from './session.ts';

const columns = 'gift_id, catalogue_version, coin_price, on_sale, lucky';

/** See the port. A price that BIGINT does not hold is Reject `DATA_REFUSED`. */
export class MysqlGiftCatalogue implements GiftCatalogue {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async current(appCode: AppCode, giftId: GiftId): Promise<CatalogueGift | null> {
    const rows = await this.pool.rows(
      'reading a gift',
      `SELECT ${columns} FROM gift_catalogue WHERE app_code = ? AND gift_id = ? ` +
        'ORDER BY catalogue_version DESC LIMIT 1',
      [appCode, giftId],
    );
    return rows[0] === undefined ? null : giftOf(rows[0]);
  }

  async version(
    appCode: AppCode,
    giftId: GiftId,
    catalogueVersion: bigint,
  ): Promise<CatalogueGift | null> {
    const rows = await this.pool.rows(
      'reading a version of a gift',
      `SELECT ${columns} FROM gift_catalogue ` +
        'WHERE app_code = ? AND gift_id = ? AND catalogue_version = ?',
      [appCode, giftId, catalogueVersion],
    );
    return rows[0] === undefined ? null : giftOf(rows[0]);
  }

  /** An answer that is lost may leave a version behind; asking again makes one more of the same. */
  async put(appCode: AppCode, gift: GiftOnOffer, nowMs: number): Promise<CatalogueGift> {
    assert(gift.coinPrice > 0n, 'a gift costs something', { price: gift.coinPrice });
    try {
      return await this.pool.withSession((session) =>
        insertNextGift(session, appCode, gift, nowMs, ''),
      );
    } catch (thrown) {
      throw toFailure(thrown, 'storing a gift');
    }
  }

  async setBy(
    appCode: AppCode,
    giftId: GiftId,
    commandId: CommandId,
  ): Promise<CatalogueGift | null> {
    const rows = await this.pool.rows(
      'reading what an act made of a gift',
      `SELECT ${columns} FROM gift_catalogue ` +
        'WHERE app_code = ? AND gift_id = ? AND set_by_command = ? ' +
        'ORDER BY catalogue_version DESC LIMIT 1',
      [appCode, giftId, commandId],
    );
    return rows[0] === undefined ? null : giftOf(rows[0]);
  }

  async list(
    appCode: AppCode,
    after: GiftId | '',
    limit: number,
  ): Promise<readonly CatalogueGift[]> {
    const rows = await this.pool.rows(
      'listing gifts',
      'SELECT c.gift_id, c.catalogue_version, c.coin_price, c.on_sale, c.lucky ' +
        'FROM gift_catalogue c ' +
        'JOIN (SELECT gift_id, MAX(catalogue_version) AS newest FROM gift_catalogue ' +
        'WHERE app_code = ? AND gift_id > ? GROUP BY gift_id ORDER BY gift_id LIMIT ?) n ' +
        'ON c.gift_id = n.gift_id AND c.catalogue_version = n.newest ' +
        'WHERE c.app_code = ? ORDER BY c.gift_id',
      [appCode, after, Math.max(limit, 1), appCode],
    );
    return rows.map(giftOf);
  }
}

/**
 * Makes the next version of a gift, in the session's transaction where one is open, and notes which act
 * of an operator made it ('': none). Throws as `insertNextVersion`.
 */
export async function insertNextGift(
  session: MysqlSession,
  appCode: AppCode,
  gift: GiftOnOffer,
  nowMs: number,
  setBy: CommandId | '',
): Promise<CatalogueGift> {
  const { giftId, coinPrice, onSale, lucky } = gift;
  const catalogueVersion = await insertNextVersion(
    `gift ${giftId}`,
    () => newestVersion(session, appCode, giftId),
    (version) =>
      session.run(
        'INSERT INTO gift_catalogue (app_code, gift_id, catalogue_version, coin_price, on_sale, ' +
          'lucky, created_at_ms, set_by_command) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [appCode, giftId, version, coinPrice, onSale ? 1 : 0, lucky ? 1 : 0, nowMs, setBy],
      ),
  );
  return { ...gift, catalogueVersion };
}

/** 0 for a gift that the app never had. */
async function newestVersion(
  session: MysqlSession,
  appCode: AppCode,
  giftId: GiftId,
): Promise<bigint> {
  const rows = await session.rows(
    'SELECT COALESCE(MAX(catalogue_version), 0) AS newest FROM gift_catalogue ' +
      'WHERE app_code = ? AND gift_id = ?',
    [appCode, giftId],
  );
  return BigInt(String(rows[0]?.['newest'] ?? 0));
}

function giftOf(row: Row): CatalogueGift {
  return {
    giftId: String(row['gift_id']) as GiftId,
    catalogueVersion: BigInt(String(row['catalogue_version'])),
    coinPrice: BigInt(String(row['coin_price'])),
    onSale: Number(row['on_sale']) === 1,
    lucky: Number(row['lucky']) === 1,
  };
}
