/**
 * What clients in a room are shown and nobody is promised: displays. None of them is a fact (recovery
 * and other systems never read one), each is repaired by the next view of the room, and each may be
 * lost. They leave a cell after COMMIT by the display lane. The table below stands beside the one of
 * events (DIM-4): a new display type does not compile without a row.
 */
import type { BatchDisplay } from '../gift/batch-display.ts';
import type { GiftId, UserId } from '../ids.ts';
import type { UserProfile } from '../room/state.ts';
import type { ImPriority } from './destinations.ts';

/** A user who came in, as the room's clients draw it. */
export interface ShownUser {
  readonly userId: UserId;
  readonly profile: UserProfile;
  readonly isRobot: boolean;
}

/** Comings and goings of a large room, gathered: its single joins and leaves get no message. */
export interface RoomUsersCameAndWent {
  readonly type: 'RoomUsersCameAndWent';
  /** The last ones, at most `shownUsersMax`; `joinedCount` counts all. */
  readonly joined: readonly ShownUser[];
  readonly joinedCount: number;
  /** The last ones, at most `shownUsersMax`; `leftCount` counts all. */
  readonly leftUserIds: readonly UserId[];
  readonly leftCount: number;
  /** Users in the room behind the last of them. */
  readonly onlineCount: number;
}

/** The picture of a gift to several targets (BATCH-2); a fact says of each target that it has it. */
export interface RoomGiftBatchShown extends BatchDisplay {
  readonly type: 'RoomGiftBatchShown';
  readonly senderUserId: UserId;
}

/** How far the room's rocket is (ROCKET-4): while it charges, when it ignites, and as a launch leaves it. */
export interface RoomRocketProgressed {
  readonly type: 'RoomRocketProgressed';
  readonly roundNo: bigint;
  readonly level: number;
  readonly fuel: bigint;
  readonly fuelTarget: bigint;
}

/** A draw that won much (LUCKY-5); the gift's own fact tells of it as well, like of every draw. */
export interface RoomLuckyWinShown {
  readonly type: 'RoomLuckyWinShown';
  readonly senderUserId: UserId;
  readonly targetUserId: UserId;
  readonly giftId: GiftId;
  readonly giftCount: number;
  /** Times a hundred of what was spent on the target. */
  readonly multiplierPercent: number;
  readonly prizeCoins: bigint;
}

/** Every display. */
export type RoomDisplay =
  RoomUsersCameAndWent | RoomGiftBatchShown | RoomRocketProgressed | RoomLuckyWinShown;

/** Its name, as clients and operators read it. */
export type RoomDisplayType = RoomDisplay['type'];

/** One row of the table. */
export interface DisplayRoute {
  readonly imPriority: ImPriority;
  /**
   * Of one room and key at most one leaves per so many milliseconds; what comes within is gathered
   * by `gatherDisplays`, and the end of the time sends it. Null: each leaves at once.
   */
  readonly windowMs: number | null;
}

/** The table. */
export const displayRoutes: Readonly<Record<RoomDisplayType, DisplayRoute>> = {
  RoomUsersCameAndWent: { imPriority: 'lowest', windowMs: 1_000 },
  RoomGiftBatchShown: { imPriority: 'low', windowMs: null },
  RoomRocketProgressed: { imPriority: 'lowest', windowMs: 1_000 },
  RoomLuckyWinShown: { imPriority: 'high', windowMs: null },
};

/** Users that one display names. */
export const shownUsersMax = 10;

type Gathering = {
  readonly [T in RoomDisplayType]: (
    waiting: Extract<RoomDisplay, { readonly type: T }>,
    next: Extract<RoomDisplay, { readonly type: T }>,
  ) => Extract<RoomDisplay, { readonly type: T }>;
};

/** A type of which the newest says all has `(_, next) => next`. */
const gathering: Gathering = {
  RoomUsersCameAndWent: (waiting, next) => ({
    type: 'RoomUsersCameAndWent',
    joined: [...waiting.joined, ...next.joined].slice(-shownUsersMax),
    joinedCount: waiting.joinedCount + next.joinedCount,
    leftUserIds: [...waiting.leftUserIds, ...next.leftUserIds].slice(-shownUsersMax),
    leftCount: waiting.leftCount + next.leftCount,
    onlineCount: next.onlineCount,
  }),
  RoomGiftBatchShown: (_, next) => next,
  RoomRocketProgressed: (_, next) => next,
  RoomLuckyWinShown: (_, next) => next,
};

/** Two displays of one type, room and key as one, when the first still waits. */
export function gatherDisplays<D extends RoomDisplay>(waiting: D, next: D): D {
  const gather = gathering[next.type] as (waiting: RoomDisplay, next: RoomDisplay) => D;
  return gather(waiting, next);
}
