/** What happened about who is in a room. */
import type { UserId } from '../ids.ts';
import type { UserProfile } from '../room/state.ts';

/**
 * Why a user is no longer present. `stale` and `closed` are never written since RoomUsersStaleLeft
 * and RoomClosed imply the leaves; they stay readable.
 */
export type LeaveReason = 'left' | 'stale' | 'kicked' | 'closed' | 'evicted';

/** Why a ban ended. */
export type UnbanReason = 'unbanned' | 'expired';

/** A user entered the room. */
export interface RoomUserJoined {
  readonly type: 'RoomUserJoined';
  readonly userId: UserId;
  readonly profile: UserProfile;
  readonly isRobot: boolean;
}

/** A present user's profile changed (by UpdateUser or a repeated join). */
export interface RoomUserUpdated {
  readonly type: 'RoomUserUpdated';
  readonly userId: UserId;
  readonly profile: UserProfile;
}

/**
 * A user is no longer in the room; a held seat was freed by a RoomMicDown before it. Ends what the
 * user had asked for at the mic.
 */
export interface RoomUserLeft {
  readonly type: 'RoomUserLeft';
  readonly userId: UserId;
  readonly reason: LeaveReason;
}

/** Users whose heartbeats ceased; seats were freed before it. Implies the leave of each (PRES-6). */
export interface RoomUsersStaleLeft {
  readonly type: 'RoomUsersStaleLeft';
  /** In the order of the sweep; at most `staleUsersPerSweepMax`. */
  readonly userIds: readonly UserId[];
}

/**
 * A user was banned from the room, present or not (PRES-21); who was present left by the event
 * before it. Ends an admin's rights. A second one about the same user replaces the ban.
 */
export interface RoomUserKicked {
  readonly type: 'RoomUserKicked';
  readonly userId: UserId;
  readonly byUserId: UserId;
  readonly reason: string;
  /** 0: until UnbanUser. */
  readonly expiresAtMs: number;
}

/** A ban of the room ended (PRES-11). */
export interface RoomUserUnbanned {
  readonly type: 'RoomUserUnbanned';
  readonly userId: UserId;
  readonly byUserId: UserId;
  readonly reason: UnbanReason;
}

/** The platform put a present user out; the leave stands before it. */
export interface RoomUserEvicted {
  readonly type: 'RoomUserEvicted';
  readonly userId: UserId;
  readonly byUserId: UserId;
  readonly reason: string;
}
