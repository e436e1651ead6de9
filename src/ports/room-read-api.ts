/**
 * The reads that the gateway offers beside `RoomApi`: of one room at its owner, and of lists in MySQL.
 * Texts and numbers come as they arrived, unchecked; every method throws a Failure of the catalogue.
 */
import type { RoomView } from '../domain/room/room-view.ts';
import type { MicRequest, RoomBan } from '../domain/room/state.ts';
import type { RankItem } from '../domain/gift/gift-rank.ts';
import type { AudienceUser } from './owner-reads.ts';
import type { CallFrame } from './room-api.ts';
import type { BoardPlace } from './room-gift-leaderboard.ts';
import type { ListEntry, UserRoom } from './room-queries.ts';
import type { WatchMessage } from './room-watch.ts';
import type { RtcTicket } from './rtc-tickets.ts';

/** One room. */
export interface RoomPlace {
  readonly appCode: string;
  readonly roomId: string;
}

/** A page as it is asked for. 0 entries: the default; '': the first page. */
export interface PageRequest {
  readonly pageSize: number;
  readonly cursor: string;
}

/** What clients are told of a watched room. */
export type RoomWatchMessage = Exclude<WatchMessage, { readonly kind: 'alive' }>;

/** What the guard says. */
export interface GuardVerdict {
  readonly allowed: boolean;
  /** Code of the catalogue; '' with a yes. */
  readonly reason: string;
  readonly roomVersion: bigint;
  readonly ownerEpoch: bigint;
}

/** A ticket to a room's RTC, with what it is worth. */
export interface IssuedRtcTicket extends RtcTicket {
  readonly rtcRoomId: string;
  readonly userId: string;
  readonly maySendAudio: boolean;
  readonly expiresAtMs: number;
  readonly roomVersion: bigint;
  readonly ownerEpoch: bigint;
}

/** See the file header. */
export interface RoomReadApi {
  /** `consistency`: `owner`, `cached`, or '' for the default (`cached`); anything else is refused. */
  readRoom(frame: CallFrame, place: RoomPlace & { consistency: string }): Promise<RoomView>;
  /** ROOM-20. A no is an answer; only who could not be asked is a failure. */
  guardUser(frame: CallFrame, place: RoomPlace & { userId: string }): Promise<GuardVerdict>;
  /** RTC-3. Fails with the guard's no, or with RTC_NOT_CONFIGURED. */
  issueRtcTicket(frame: CallFrame, place: RoomPlace & { userId: string }): Promise<IssuedRtcTicket>;
  listAudience(
    frame: CallFrame,
    page: RoomPlace & PageRequest,
  ): Promise<{
    readonly users: readonly AudienceUser[];
    readonly nextCursor: string;
    readonly roomVersion: bigint;
  }>;
  listBans(
    frame: CallFrame,
    page: RoomPlace & PageRequest,
  ): Promise<{
    readonly bans: readonly RoomBan[];
    readonly nextCursor: string;
    readonly roomVersion: bigint;
  }>;
  listMicRequests(
    frame: CallFrame,
    place: RoomPlace,
  ): Promise<{ readonly requests: readonly MicRequest[]; readonly roomVersion: bigint }>;
  getGiftRank(
    frame: CallFrame,
    place: RoomPlace & { places: number },
  ): Promise<{
    readonly giftRank: readonly RankItem[];
    readonly roomHeat: bigint;
    readonly roomVersion: bigint;
  }>;
  /**
   * The room from a version on, 0: from a view. Throws as `OwnerWatches` does, USER_PLATFORM_BANNED,
   * GATEWAY_BUSY, or UNAUTHENTICATED when the caller's token runs out; ends without a word when the
   * caller is gone.
   */
  watchRoom(
    frame: CallFrame,
    watch: RoomPlace & { readonly afterVersion: bigint },
  ): AsyncIterable<RoomWatchMessage>;
  /**
   * The board of `period` (`day`, `week` or `all`), or with `previous` of the one before it. Throws
   * LEADERBOARD_NOT_ENABLED, or a Retry failure when the boards are out of reach.
   */
  getLeaderboard(
    frame: CallFrame,
    query: {
      readonly appCode: string;
      readonly period: string;
      readonly previous: boolean;
    } & PageRequest,
  ): Promise<{
    readonly places: readonly BoardPlace[];
    /** Which period it is: `2026-11-30`, `2026-W49` or `all`. */
    readonly periodName: string;
    readonly nextCursor: string;
  }>;
  /** Rooms whatever their status, in the order of the ids; unknown and deleted ones are left out. */
  batchGetRooms(
    frame: CallFrame,
    query: { readonly appCode: string; readonly roomIds: readonly string[] },
  ): Promise<readonly ListEntry[]>;
  /** Open rooms, by room id. */
  listRoomsByOwner(
    frame: CallFrame,
    query: { readonly appCode: string; readonly ownerUserId: string } & PageRequest,
  ): Promise<{ readonly entries: readonly ListEntry[]; readonly nextCursor: string }>;
  /** Where the user is, by room id. */
  getUserRooms(
    frame: CallFrame,
    query: { readonly appCode: string; readonly userId: string } & PageRequest,
  ): Promise<{ readonly rooms: readonly UserRoom[]; readonly nextCursor: string }>;
}
