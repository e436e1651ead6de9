/** What can be asked about who is in a room. */
import type { UserId } from '../ids.ts';
import type { PasswordVerdict } from '../password/password-verdict.ts';
import type { UserProfile } from '../room/state.ts';

/** JoinRoom: a user who is already present is refreshed, not joined twice (PRES-20). */
export interface JoinRoom {
  readonly type: 'JoinRoom';
  readonly profile: UserProfile;
  readonly isRobot: boolean;
  readonly password: PasswordVerdict;
  /** The gateway's look at the platform's bans (decision 30); a banned user may not come in. */
  readonly isPlatformBanned: boolean;
}

/** UpdateUser: a present user's profile, whole. */
export interface UpdateUser {
  readonly type: 'UpdateUser';
  readonly profile: UserProfile;
}

/** LeaveRoom: frees the seat in the same commit (PRES-14). */
export interface LeaveRoom {
  readonly type: 'LeaveRoom';
}

/** KickUser: out of the room, and banned from it until UnbanUser or `expiresAtMs` (PRES-16). */
export interface KickUser {
  readonly type: 'KickUser';
  readonly userId: UserId;
  readonly reason: string;
  /** 0: until UnbanUser. */
  readonly expiresAtMs: number;
}

/** UnbanUser: the user may join again (PRES-11). */
export interface UnbanUser {
  readonly type: 'UnbanUser';
  readonly userId: UserId;
}

/**
 * EvictUser: the platform puts a user out of this room. Not the room's own ban: what keeps the user
 * out is the platform's, which the operator has written before (decision 30).
 */
export interface EvictUser {
  readonly type: 'EvictUser';
  readonly userId: UserId;
  readonly reason: string;
}

/** System: users whose heartbeats ceased (PRES-6). Each is looked at again when this runs. */
export interface SweepStaleUsers {
  readonly type: 'SweepStaleUsers';
  /** At most `staleUsersPerSweepMax`. */
  readonly userIds: readonly UserId[];
}

/** System: temporary bans whose time is over. */
export interface ExpireBans {
  readonly type: 'ExpireBans';
}
