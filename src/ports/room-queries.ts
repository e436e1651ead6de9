/** Read models that the gateway serves from MySQL. */
import type { AppCode, RoomId, UserId } from '../domain/ids.ts';
import type { RoomStatus } from '../domain/room/state.ts';
import { heatBucketOf } from '../protocol/heat-bucket.ts';

/** One entry of the public room list. */
export interface ListEntry {
  readonly roomId: RoomId;
  /** `active` on a page of the list; elsewhere any but `deleted`, which leaves no entry. */
  readonly status: RoomStatus;
  readonly title: string;
  readonly coverUrl: string;
  readonly ownerUserId: string;
  readonly mode: string;
  readonly visibleRegionId: bigint;
  readonly locked: boolean;
  readonly tags: readonly string[];
  readonly onlineCount: number;
  readonly seatCount: number;
  readonly pinned: boolean;
  readonly heat: bigint;
  readonly createdAtMs: number;
}

/** Position in the list order (decision 32): pinned first, then heat bucket (log2), then room id. */
export interface ListCursor {
  readonly pinned: boolean;
  readonly heatBucket: number;
  readonly roomId: RoomId;
}

/** Where an entry stands in the list: what a cursor behind it holds. */
export function cursorOf({
  pinned,
  heat,
  roomId,
}: Pick<ListEntry, 'pinned' | 'heat' | 'roomId'>): ListCursor {
  return { pinned, heatBucket: heatBucketOf(heat), roomId };
}

/** Most entries of a page, whatever was asked for. */
export const listPageSizeMax = 200;

/** How many entries a page has at most that was asked for with `pageSize`: at least one. */
export function listPageSizeOf(pageSize: number): number {
  return Math.min(Math.max(pageSize, 1), listPageSizeMax);
}

/** Most rooms of one look-up by id. */
export const roomIdsMax = 100;

/** A page in the order of room ids. */
export interface RoomIdPage {
  /** '': from the first one on. */
  readonly afterRoomId: RoomId | '';
  /** Cut to `listPageSizeMax`. */
  readonly pageSize: number;
}

/** A room that a user is in. */
export interface UserRoom {
  readonly roomId: RoomId;
  readonly joinedAtMs: number;
}

/** What is asked of the list. Only active rooms are listed. */
export interface ListQuery {
  readonly appCode: AppCode;
  readonly visibleRegionId: bigint | null;
  readonly mode: string | null;
  readonly tag: string | null;
  readonly after: ListCursor | null;
  readonly pageSize: number;
}

/** Most apps of one answer. */
export const listedAppsMax = 1_000;

/** Throws Retry when MySQL cannot be reached. */
export interface RoomQueries {
  /** A page in list order and the cursor of its last entry (null on an empty page). */
  listRooms(
    query: ListQuery,
  ): Promise<{ readonly entries: readonly ListEntry[]; readonly next: ListCursor | null }>;
  /** Apps that have rooms, whatever their status, in the order of their codes; cut to `listedAppsMax`. */
  listedApps(): Promise<readonly AppCode[]>;
  /** The entries of these rooms whatever their status, in any order; at most `roomIdsMax` ids. */
  roomsById(appCode: AppCode, roomIds: readonly RoomId[]): Promise<readonly ListEntry[]>;
  /** Rooms of this owner that are active or closing. */
  roomsByOwner(
    appCode: AppCode,
    ownerUserId: UserId,
    page: RoomIdPage,
  ): Promise<readonly ListEntry[]>;
  /** Rooms in which the user is present. */
  roomsOfUser(appCode: AppCode, userId: UserId, page: RoomIdPage): Promise<readonly UserRoom[]>;
  /** The facts that a password check needs; null for an unknown room. */
  passwordOf(
    appCode: AppCode,
    roomId: RoomId,
  ): Promise<{ readonly passwordHash: string; readonly passwordVersion: bigint } | null>;
  /**
   * Whether the platform has banned the user from all rooms of the app (decision 30): a ban without
   * an end, or one that ends after `nowMs`.
   */
  isPlatformBanned(appCode: AppCode, userId: UserId, nowMs: number): Promise<boolean>;
}
