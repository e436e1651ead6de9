/**
 * One room as data: what `evolve` builds and `decide` reads. Immutable with structural sharing, so
 * that a draft of a room with 10,000 users costs the changed entries and not the room.
 *
 * Not in here on purpose: times of last heartbeats (a soft table beside the state, never logged),
 * delivery state of events (belongs to the outbox, ARC-9), and anything Redis knows.
 */
import type { PersistentMap } from '../../kernel/persistent-map.ts';
import type { AppCode, MicSessionId, RoomId, RoomVersion, UserId } from '../ids.ts';
import type { RocketState } from '../rocket/rocket-state.ts';

/**
 * `absent` is a room that was never created. `creating` of the seeds is never persisted:
 * CreateRoom commits `active` (decision 28). `closing` appears only with a configured grace.
 * `deleted` is a name that is never used again, and nothing else (ROOM-18).
 */
export type RoomStatus = 'absent' | 'active' | 'closing' | 'closed' | 'deleted';

/** What a user is in a room, by the room's own word; the platform's roles stand above it. */
export type RoomRole = 'owner' | 'admin' | 'member';

/** `free`: anyone present takes an open seat. `apply`: the owner or an admin lets people up. */
export type RoomMode = 'free' | 'apply';

/** What others see of a user. All texts come from the caller's profile, bounded at the gateway. */
export interface UserProfile {
  readonly nickname: string;
  readonly avatarUrl: string;
  readonly countryCode: string;
  /** Opaque to us, at most 1 KB. */
  readonly ext: string;
}

/** A user who is in the room in the business sense (PRES-1). */
export interface PresentUser {
  readonly userId: UserId;
  readonly profile: UserProfile;
  readonly isRobot: boolean;
  readonly joinedAtMs: number;
  /** The version that the join made: tells two stays of one user apart (MIC-14). */
  readonly joinedAtVersion: RoomVersion;
}

/** The seat's holder and how far RTC publishing got (MIC-1). */
export interface MicOccupancy {
  readonly userId: UserId;
  readonly micSessionId: MicSessionId;
  readonly state: 'pending_publish' | 'publishing';
  /** `mic_session_room_version`: the version in which the session began (MIC-12). */
  readonly sessionRoomVersion: RoomVersion;
  readonly sessionStartedAtMs: number;
  /** Only meaningful while `pending_publish`; 0 while publishing. */
  readonly publishDeadlineMs: number;
  /** `last_publish_event_time_ms`: RTC events at or before it are old (MIC-12). 0: none yet. */
  readonly lastPublishEventTimeMs: number;
}

/** One numbered place. Numbers start at 1 and never change while the room lives. */
export interface MicSeat {
  readonly seatNo: number;
  readonly locked: boolean;
  readonly muted: boolean;
  readonly occupancy: MicOccupancy | null;
}

/** `apply`: the user wants up, a manager answers. `invite`: a manager wants it, the user answers. */
export type MicRequestKind = 'apply' | 'invite';

/** A wish that waits for its answer. A user has one at most, and none while on a seat. */
export interface MicRequest {
  readonly kind: MicRequestKind;
  /** Who would sit down. */
  readonly userId: UserId;
  /** The applicant, or the manager who invites. */
  readonly byUserId: UserId;
  /** 0: the first seat that is free when it is accepted. */
  readonly seatNo: number;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/** Who may not come in (PRES-16), why, and until when. */
export interface RoomBan {
  readonly userId: UserId;
  readonly byUserId: UserId;
  readonly reason: string;
  readonly bannedAtMs: number;
  /** 0: until UnbanUser. */
  readonly expiresAtMs: number;
}

/** Wrong passwords of one user within one window of time (PWD-2). */
export interface PasswordAttempts {
  readonly userId: UserId;
  readonly attempts: number;
  readonly windowStartedAtMs: number;
}

/** Who closes a room that is closing, and when it is over. */
export interface RoomClosingInfo {
  readonly closedByUserId: UserId;
  readonly closedByKind: CloserKind;
  readonly reason: string;
  readonly note: string;
  readonly closesAtMs: number;
}

/** Who closed a room: a person of the room, the platform, or the room's own timers. */
export type CloserKind = 'owner' | 'admin' | 'operator' | 'system';

/** Who closed the room, why and when, and its final figures (META-5). */
export interface RoomCloseInfo {
  readonly closedByUserId: UserId;
  readonly closedByKind: CloserKind;
  readonly reason: string;
  readonly note: string;
  readonly closedAtMs: number;
  readonly finalOnlineCount: number;
  readonly finalHeat: bigint;
}

/** What one user has given in this room. */
export interface GiftSender {
  readonly userId: UserId;
  /** Sum over all gifts and targets, always positive. */
  readonly coins: bigint;
  /** The version whose gift made the sum what it is: of equal sums the earlier ranks first. */
  readonly reachedAtVersion: RoomVersion;
}

/** What the owner chooses about the room and lists show. */
export interface RoomProfile {
  readonly title: string;
  readonly coverUrl: string;
  readonly announcement: string;
  readonly backgroundUrl: string;
  readonly tags: readonly string[];
  /** Opaque to us, at most 2 KB. */
  readonly ext: string;
}

/** The whole authoritative state of one room. */
export interface RoomState {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly status: RoomStatus;
  readonly version: RoomVersion;
  /** Null only while `absent`. */
  readonly ownerUserId: UserId | null;
  readonly profile: RoomProfile;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** Encoded scrypt hash, or '' for an open room. Never leaves the service (SNAP-4). */
  readonly passwordHash: string;
  /** Grows with every change of the password: a fact about another version is stale. */
  readonly passwordVersion: bigint;
  readonly seats: readonly MicSeat[];
  /** In the order in which they were made; at most `micRequestsMax`. */
  readonly micRequests: readonly MicRequest[];
  /** Sorted by code units, without the owner; at most `adminsMax`. */
  readonly admins: readonly UserId[];
  /** Keyed by user id; at most `bansMax`. Nobody in it is present. */
  readonly bans: PersistentMap<RoomBan>;
  /**
   * The bans that end by themselves, the earliest first: made from `bans`, never stored. Kept here
   * so that the next deadline of a room with many bans costs a look and not a walk.
   */
  readonly temporaryBans: readonly RoomBan[];
  /** Keyed by user id; at most `passwordAttemptsMax`, the oldest window leaves a full table. */
  readonly passwordAttempts: PersistentMap<PasswordAttempts>;
  /** Keyed by user id. Its size is the online count; no counter is kept beside it (INV-29). */
  readonly users: PersistentMap<PresentUser>;
  /**
   * How many of them are robots: made from `users`, never stored. Kept here so that a view of a room
   * with 10,000 users costs no walk (ROBOT-5).
   */
  readonly robotCount: number;
  /** Coins of all committed gifts (decision 13). */
  readonly heat: bigint;
  /** Keyed by user id; at most `giftSendersMax`, see there for who leaves a full table. */
  readonly giftSenders: PersistentMap<GiftSender>;
  /**
   * The first `topGiftSendersMax` of `giftSenders` in rank order: made from it, never stored. Kept
   * here so that a gift costs a few places of a short list and not the ordering of a long one.
   */
  readonly topGiftSenders: readonly GiftSender[];
  /** Null until a gift first made fuel, and again when the room has closed (ROCKET-8). */
  readonly rocket: RocketState | null;
  readonly createdAtMs: number;
  /** Time of the newest event: no later event is earlier than it, whatever the clocks say. */
  readonly lastEventAtMs: number;
  /** Set exactly while `closing`. */
  readonly closing: RoomClosingInfo | null;
  /** Set exactly while `closed`. */
  readonly closeInfo: RoomCloseInfo | null;
}
