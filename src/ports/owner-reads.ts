/**
 * Strongly consistent reads (architecture section 3): answered by the node that owns the room's
 * partition, after it has made sure in MySQL that it still does. Every cell serves them at its
 * `advertise_addr`; a cell that is not the owner passes a call on, once.
 */
import type { RoomKey, RoomVersion, UserId } from '../domain/ids.ts';
import type { RankItem } from '../domain/gift/gift-rank.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { MicRequest, PresentUser, RoomBan, RoomRole } from '../domain/room/state.ts';
import type { OwnerWatches } from './room-watch.ts';

/** On whose behalf somebody asks. Above the room, as for commands, stand service and operator. */
export interface ReadAsker {
  readonly role: 'user' | 'service' | 'operator';
  /** Null: nobody in particular, which a user never is. */
  readonly userId: UserId | null;
}

/** A page in the order of user ids. */
export interface PageQuestion {
  /** '': from the first one on. */
  readonly afterUserId: UserId | '';
  /** From 1 to `readPageSizeMax`. */
  readonly pageSize: number;
}

/** What can be asked of one room. */
export type OwnerQuestion =
  | { readonly kind: 'view' }
  | { readonly kind: 'guard'; readonly userId: UserId }
  /** By a user only with the guard's yes. */
  | ({ readonly kind: 'audience' } & PageQuestion)
  /** By a manager of the room, or from above it. */
  | ({ readonly kind: 'bans' } & PageQuestion)
  /** Like `bans`. */
  | { readonly kind: 'micRequests' }
  /** From 1 to `readPageSizeMax` places. */
  | { readonly kind: 'giftRank'; readonly places: number };

/** A present user as an audience shows it. */
export interface AudienceUser {
  readonly user: PresentUser;
  readonly role: RoomRole;
  /** 0: on no seat. */
  readonly seatNo: number;
}

/** The answer to the question of the same kind. */
export type OwnerAnswer =
  | { readonly kind: 'view'; readonly view: RoomView }
  /**
   * `refusal` null: yes; else a code of the catalogue, maybe of a newer release. `onSeat`: yes, and
   * the user holds a mic seat; a node of an older release does not say so.
   */
  | { readonly kind: 'guard'; readonly refusal: string | null; readonly onSeat: boolean }
  | {
      readonly kind: 'audience';
      readonly users: readonly AudienceUser[];
      readonly hasMore: boolean;
    }
  | { readonly kind: 'bans'; readonly bans: readonly RoomBan[]; readonly hasMore: boolean }
  | { readonly kind: 'micRequests'; readonly requests: readonly MicRequest[] }
  | { readonly kind: 'giftRank'; readonly places: readonly RankItem[]; readonly roomHeat: bigint };

/** Most entries of one page, and most places of a rank. */
export const readPageSizeMax = 100;

/** One read. */
export interface OwnerRead {
  readonly roomKey: RoomKey;
  readonly asker: ReadAsker;
  readonly question: OwnerQuestion;
  /** Node that passed the call on; '' none. Such a call is never passed on again (LEASE-26). */
  readonly forwardedBy: string;
}

/** An answer with what it is worth. */
export interface OwnerReply {
  /** 0: the room was never created, which only the guard answers at all. */
  readonly roomVersion: RoomVersion;
  /** Epoch that MySQL confirmed between the arrival of the read and its answer. */
  readonly ownerEpoch: bigint;
  readonly answer: OwnerAnswer;
}

/** How long somebody waits. */
export interface ReadCall {
  readonly withinMs: number;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Reads at one node. The answer shows everything that was committed before the call, or there is
 * none: it fails with NOT_OWNER (the fact `owner` names who owns the room by MySQL, if anybody does),
 * UNAVAILABLE (MySQL, or the node, is out of reach), DRAINING or OWNER_BUSY, which all may be asked
 * again; with ROOM_NOT_FOUND, ROOM_CORRUPT; or, where the asker may not know, with NOT_ROOM_MANAGER or
 * the guard's refusal. Ends within `withinMs`.
 */
export interface OwnerReads {
  read(read: OwnerRead, call: ReadCall): Promise<OwnerReply>;
}

/** No connection, or a lost one: as good as a call that nobody has seen; another address may be tried. */
export const unreached = { node: 'unreached' } as const;

/** The reads and the watches of other nodes. */
export interface OwnerReadsPeers {
  /**
   * Of the node at `host:port`. Connects with the first call. A call without a connection fails
   * with UNAVAILABLE and the facts `unreached`.
   */
  at(advertiseAddr: string): OwnerReads & OwnerWatches;
  /** Lets all connections go. Idempotent. */
  stop(): Promise<void>;
}

/** The face of a node towards the others. */
export interface OwnerReadsServer {
  /** Listens; resolves with the address at which others reach it. */
  start(): Promise<string>;
  /** Refuses new calls as DRAINING; those in hand end. */
  drain(): void;
  /** Ends within `deadlineMs`, cutting what is left then. Idempotent. */
  stop(deadlineMs: number): Promise<void>;
}
