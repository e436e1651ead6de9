/** Rows of gifts in the memory database. */
import type { AppCode, GiftId } from '../../domain/ids.ts';
import type {
  GiftStatRow,
  RoomDayRow,
  RoomWeekRow,
  SettlementRow,
  UserWeekRow,
} from '../../ports/commit-lane.ts';
import type { CatalogueGift } from '../../ports/gift-catalogue.ts';

/** What BIGINT holds at most. */
export const int64Max = 2n ** 63n - 1n;

/** A void and how far it has come. */
export interface SettlementRecord extends SettlementRow {
  readonly status: 'open' | 'settled';
  readonly tries: number;
  readonly nextTryAtMs: number;
  readonly lastError: string;
  readonly refundedCoins: bigint | null;
  readonly settledAtMs: number | null;
}

/** One version of one gift of one app. */
export interface CatalogueRow extends CatalogueGift {
  readonly appCode: AppCode;
  readonly createdAtMs: number;
}

/** Key of a user's sums in a room. */
export function giftStatKey(row: Pick<GiftStatRow, 'appCode' | 'roomId' | 'userId'>): string {
  return `${row.appCode}\0${row.roomId}\0${row.userId}`;
}

/** Key of what was given in a room on a day. */
export function roomDayKey(row: Pick<RoomDayRow, 'appCode' | 'roomId' | 'utcDay'>): string {
  return `${row.appCode}\0${row.roomId}\0${row.utcDay}`;
}

/** Key of what was given in a room in a week. */
export function roomWeekKey(row: Pick<RoomWeekRow, 'appCode' | 'roomId' | 'isoWeek'>): string {
  return `${row.appCode}\0${row.roomId}\0${row.isoWeek}`;
}

/** Key of a sender's part in it. */
export function userWeekKey(
  row: Pick<UserWeekRow, 'appCode' | 'roomId' | 'isoWeek' | 'userId'>,
): string {
  return `${roomWeekKey(row)}\0${row.userId}`;
}

/** What all versions of one gift are found by. */
export function giftKey(appCode: AppCode, giftId: GiftId): string {
  return `${appCode}\0${giftId}`;
}
