/**
 * The statements of a commit packet that gifts add to it: debits to give back, and statistics. Each
 * stands on its primary key alone, as an upsert must (two unique keys could each name another row),
 * and `VALUES()` is the only spelling that MySQL and MariaDB share.
 */
import type {
  GiftStatRow,
  RoomDayRow,
  RoomWeekRow,
  SettlementRow,
  UserWeekRow,
} from '../../ports/commit-lane.ts';
import { big, text, whole } from './sql-literals.ts';

/**
 * A key that has a row keeps it as it is, settled or not: a repeat must not open a void again. The
 * empty UPDATE does that without hiding data errors, as IGNORE would.
 */
export function settlementsInsert(rows: readonly SettlementRow[]): string {
  const values = rows.map(
    (row) =>
      `(${text(row.debitKey)},${text(row.appCode)},${text(row.roomId)},${text(row.commandId)},` +
      `${text(row.payerUserId)},${whole(row.partition)},${text(row.reason)},'open',` +
      `${whole(row.createdAtMs)},${prizeOf(row)})`,
  );
  return (
    'INSERT INTO wallet_settlement (debit_key,app_code,room_id,command_id,payer_user_id,' +
    `partition_id,reason,status,created_at_ms,prize_of,prize_coins,prize_draw_id) VALUES ${values.join()} ` +
    'ON DUPLICATE KEY UPDATE debit_key=VALUES(debit_key)'
  );
}

function prizeOf({ prize }: SettlementRow): string {
  if (prize === null) return 'NULL,NULL,NULL';
  return `${text(prize.debitKey)},${big(prize.coins)},${text(prize.drawId)}`;
}

/**
 * Adds to what is stored; the sums are the server's, so nothing is read first. A sum that BIGINT
 * does not hold is refused (1690) and never wraps.
 */
export function giftStatsUpsert(rows: readonly GiftStatRow[]): string {
  const values = rows.map(
    (row) =>
      `(${text(row.appCode)},${text(row.roomId)},${text(row.userId)},${big(row.sentCoins)},` +
      `${big(row.sentCount)},${big(row.receivedCoins)},${big(row.receivedCount)},` +
      `${whole(row.updatedAtMs)})`,
  );
  return (
    'INSERT INTO room_user_gift_stats (app_code,room_id,user_id,sent_coins,sent_count,' +
    `received_coins,received_count,updated_at_ms) VALUES ${values.join()} ` +
    addTo('sent_coins', 'sent_count', 'received_coins', 'received_count')
  );
}

/** Adds to what is stored of these days, as above. */
export function roomDaysUpsert(rows: readonly RoomDayRow[]): string {
  const values = rows.map(
    (row) => `(${text(row.appCode)},${text(row.utcDay)},${text(row.roomId)},${sumsOf(row)})`,
  );
  return (
    'INSERT INTO room_day_contributions (app_code,utc_day,room_id,coins,gift_count,' +
    `updated_at_ms) VALUES ${values.join()} ${addTo('coins', 'gift_count')}`
  );
}

/** Adds to what is stored of these weeks, as above. */
export function roomWeeksUpsert(rows: readonly RoomWeekRow[]): string {
  const values = rows.map((row) => `(${roomOf(row)},${text(row.isoWeek)},${sumsOf(row)})`);
  return (
    'INSERT INTO room_week_contributions (app_code,room_id,iso_week,coins,gift_count,' +
    `updated_at_ms) VALUES ${values.join()} ${addTo('coins', 'gift_count')}`
  );
}

/** The same for senders. */
export function userWeeksUpsert(rows: readonly UserWeekRow[]): string {
  const values = rows.map(
    (row) => `(${roomOf(row)},${text(row.isoWeek)},${text(row.userId)},${sumsOf(row)})`,
  );
  return (
    'INSERT INTO room_user_week_contributions (app_code,room_id,iso_week,user_id,coins,gift_count,' +
    `updated_at_ms) VALUES ${values.join()} ${addTo('coins', 'gift_count')}`
  );
}

function roomOf({ appCode, roomId }: RoomWeekRow): string {
  return `${text(appCode)},${text(roomId)}`;
}

function sumsOf({ coins, giftCount, updatedAtMs }: RoomDayRow | RoomWeekRow): string {
  return `${big(coins)},${big(giftCount)},${whole(updatedAtMs)}`;
}

function addTo(...columns: readonly string[]): string {
  const sums = columns.map((column) => `${column}=${column}+VALUES(${column})`).join();
  return `ON DUPLICATE KEY UPDATE ${sums},updated_at_ms=VALUES(updated_at_ms)`;
}
