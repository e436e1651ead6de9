/**
 * What was given in rooms period by period, from MySQL. A day and a week have rows of their own; all
 * time is the sum of a room's weeks, one row for each in which something was given.
 */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { BoardSum, BoardSums } from '../../ports/board-sums.ts';
import { listedAppsMax, roomIdsMax } from '../../ports/room-queries.ts';
import type { BoardPeriod } from '../../protocol/board-period.ts';
import type { MysqlPool } from './pool.ts';
import type { Row } from './session.ts';

/** See the port. */
export class MysqlBoardSums implements BoardSums {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async sumsOf(
    appCode: AppCode,
    period: BoardPeriod,
    roomIds: readonly RoomId[],
  ): Promise<readonly BoardSum[]> {
    assert(roomIds.length <= roomIdsMax, 'too many rooms in one look-up', { ids: roomIds.length });
    if (roomIds.length === 0) return [];
    const { from, values } = sumsIn(appCode, period);
    const rows = await this.pool.rows(
      'reading sums of rooms',
      `${from} AND room_id IN (?)${period.kind === 'all' ? ' GROUP BY room_id' : ''}`,
      [...values, roomIds],
    );
    return rows.map(sumOf);
  }

  async sumsAfter(
    appCode: AppCode,
    period: BoardPeriod,
    afterRoomId: RoomId | '',
    limit: number,
  ): Promise<readonly BoardSum[]> {
    const { from, values } = sumsIn(appCode, period);
    const rows = await this.pool.rows(
      'reading sums of all rooms',
      `${from} AND room_id > ?${period.kind === 'all' ? ' GROUP BY room_id' : ''} ` +
        'ORDER BY room_id LIMIT ?',
      [...values, afterRoomId, limit],
    );
    return rows.map(sumOf);
  }

  async appsWithSums(): Promise<readonly AppCode[]> {
    const rows = await this.pool.rows(
      'listing apps with gifts',
      'SELECT DISTINCT app_code FROM room_week_contributions ORDER BY app_code LIMIT ?',
      [listedAppsMax],
    );
    return rows.map((row) => String(row['app_code']) as AppCode);
  }
}

/** The rows of a period, each in the order of its index: by room. */
function sumsIn(
  appCode: AppCode,
  { kind, name }: BoardPeriod,
): { readonly from: string; readonly values: readonly string[] } {
  switch (kind) {
    case 'day':
      return {
        from: 'SELECT room_id, coins FROM room_day_contributions WHERE app_code = ? AND utc_day = ?',
        values: [appCode, name],
      };
    case 'week':
      return {
        from: 'SELECT room_id, coins FROM room_week_contributions WHERE app_code = ? AND iso_week = ?',
        values: [appCode, name],
      };
    case 'all':
      return {
        from: 'SELECT room_id, SUM(coins) AS coins FROM room_week_contributions WHERE app_code = ?',
        values: [appCode],
      };
  }
}

/** SUM is a DECIMAL, which comes as a text: no digit is lost. */
function sumOf(row: Row): BoardSum {
  return { roomId: String(row['room_id']) as RoomId, coins: BigInt(String(row['coins'])) };
}
