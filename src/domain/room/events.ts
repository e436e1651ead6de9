/**
 * What happened in a room: past tense, complete, the only thing other systems see and the only thing
 * recovery reads. A changed rule is a new event (or a new optional field with a default), never a new
 * meaning of an old one, because old logs must replay to the state they made.
 */
import type { GiftId, MicSessionId, UserId } from '../ids.ts';
import type { CloserKind, RoomMode, UserProfile } from './state.ts';

/** Why a user is no longer present. */
export type LeaveReason = 'left' | 'stale' | 'kicked' | 'closed';

/** Why a seat became free. */
export type MicDownReason =
  'mic_down' | 'taken_down' | 'left_room' | 'publish_timeout' | 'room_closed';

/** EVT-1. The IM group and the list entry follow from it. */
export interface RoomCreated {
  readonly type: 'RoomCreated';
  readonly ownerUserId: UserId;
  readonly title: string;
  readonly coverUrl: string;
  readonly backgroundUrl: string;
  readonly seatCount: number;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** Stripped from the envelope that leaves the service; kept in the log for recovery. */
  readonly passwordHash: string;
  readonly tags: readonly string[];
  readonly ext: string;
}

/** A user entered the room. */
export interface RoomUserJoined {
  readonly type: 'RoomUserJoined';
  readonly userId: UserId;
  readonly profile: UserProfile;
  readonly isRobot: boolean;
}

/** A present user's profile changed (by a repeated join, later by UpdateUser). */
export interface RoomUserUpdated {
  readonly type: 'RoomUserUpdated';
  readonly userId: UserId;
  readonly profile: UserProfile;
}

/** A user is no longer in the room; a held seat was freed by a RoomMicDown before it. */
export interface RoomUserLeft {
  readonly type: 'RoomUserLeft';
  readonly userId: UserId;
  readonly reason: LeaveReason;
}

/** A seat was taken in the business sense; RTC publishing is not confirmed yet (MIC-16). */
export interface RoomMicUp {
  readonly type: 'RoomMicUp';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishDeadlineMs: number;
}

/** RTC publishing of the session is confirmed (MIC-6). */
export interface RoomMicPublishing {
  readonly type: 'RoomMicPublishing';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  /** 0 when a client confirmed; the RTC event's own time when a callback did (MIC-12). */
  readonly publishEventTimeMs: number;
}

/** A seat became free and its session ended. */
export interface RoomMicDown {
  readonly type: 'RoomMicDown';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly reason: MicDownReason;
  /** Time on the seat, from session start to release (MIC-29). */
  readonly onMicMs: number;
}

/** Implies the leave of everybody who was present; seats were freed by events before it. */
export interface RoomClosed {
  readonly type: 'RoomClosed';
  readonly closedByUserId: UserId;
  readonly closedByKind: CloserKind;
  readonly reason: string;
  readonly note: string;
  readonly finalOnlineCount: number;
  /** `RoomState.heat` at the end. 0 in logs written before gifts existed. */
  readonly finalHeat: bigint;
}

/** A paid gift reached one of its targets; a command makes one per target, in order (GIFT-6). */
export interface RoomGiftSent {
  readonly type: 'RoomGiftSent';
  readonly senderUserId: UserId;
  readonly targetUserId: UserId;
  readonly giftId: GiftId;
  readonly giftCount: number;
  /** For this target: unit price × count. */
  readonly coins: bigint;
  readonly unitPrice: bigint;
  /** The catalogue version of the price (decision 13). */
  readonly catalogueVersion: bigint;
  /** The command's own, or ''. */
  readonly comboId: string;
  /** One receipt pays for all targets of a command. */
  readonly billingReceiptId: string;
}

/** The body of an event; id, version, index and time stand in its envelope. */
export type RoomEvent =
  | RoomCreated
  | RoomUserJoined
  | RoomUserUpdated
  | RoomUserLeft
  | RoomMicUp
  | RoomMicPublishing
  | RoomMicDown
  | RoomClosed
  | RoomGiftSent;

/** Every name an event can have. */
export type RoomEventType = RoomEvent['type'];
