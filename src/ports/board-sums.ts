/**
 * What was given in rooms period by period, as MySQL has added it up in the transactions of the gifts
 * (LB-2): what boards are made of (LB-4). Sums of rooms that were deleted stay.
 */
import type { AppCode, RoomId } from '../domain/ids.ts';
import type { BoardPeriod } from '../protocol/board-period.ts';

/** A room and what was given in it. */
export interface BoardSum {
  readonly roomId: RoomId;
  /** At least one: a room that was given nothing has no sum. */
  readonly coins: bigint;
}

/** Throws Retry when MySQL cannot be reached. Everything that is committed at the call is counted. */
export interface BoardSums {
  /** Of these rooms, in any order; at most `roomIdsMax`. */
  sumsOf(
    appCode: AppCode,
    period: BoardPeriod,
    roomIds: readonly RoomId[],
  ): Promise<readonly BoardSum[]>;
  /** Of all rooms, in the order of their ids, behind one ('': from the first one on). */
  sumsAfter(
    appCode: AppCode,
    period: BoardPeriod,
    afterRoomId: RoomId | '',
    limit: number,
  ): Promise<readonly BoardSum[]>;
  /** Apps in whose rooms anything was ever given, in the order of their codes; cut to `listedAppsMax`. */
  appsWithSums(): Promise<readonly AppCode[]>;
}
