/**
 * The catalogue of reason codes: one row per code, and the only place where one is made up.
 * `docs/errors.md` shows the same table to callers; a test compares the two.
 *
 * `sticky` codes are stored under the command id and repeated (use a new id to try again);
 * `free` codes leave the id unused (send the same id again); `none` codes write nothing.
 */

import { giftReasons } from './gift/gift-reasons.ts';
import { operatorReasons } from './operator-reasons.ts';
import type { ReasonRow } from './reason-row.ts';

export type { GrpcStatusName, ReasonRow } from './reason-row.ts';

/** Final refusals by the room's rules: stored under the command id (except where `none` is said). */
export const rejectReasons = {
  ROOM_NOT_FOUND: {
    status: 'NOT_FOUND',
    memory: 'none',
    sentence: 'There is no such room in this app.',
    advice: 'Check app_code and room_id, or create the room.',
  },
  ROOM_ALREADY_EXISTS: {
    status: 'ALREADY_EXISTS',
    memory: 'sticky',
    sentence: 'A room with this id exists, or existed and was deleted.',
    advice: 'Choose another room_id.',
  },
  ROOM_CLOSED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The room is not open; room_status names its state.',
    advice: 'Leave the room page; a closed room does not open again.',
  },
  ROOM_NOT_CLOSED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'Only a closed room can be deleted; room_status names its state.',
    advice: 'Close the room, then send a new command_id.',
  },
  USER_BANNED: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence:
      'The user is banned from this room; expires_at_ms says until when, if the ban ends by itself.',
    advice: 'A manager of the room may unban the user; then send a new command_id.',
  },
  USER_PLATFORM_BANNED: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'The platform has banned the user from its rooms.',
    advice: 'Ask the operators.',
  },
  BAN_LIST_FULL: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence: 'As many users are banned from this room as may be.',
    advice: 'Unban somebody, then send a new command_id.',
  },
  BAN_END_PAST: {
    status: 'INVALID_ARGUMENT',
    memory: 'sticky',
    sentence: 'The time at which the ban is to end has passed.',
    advice: 'Name a later expires_at_ms, or none; send a new command_id.',
  },
  TOO_MANY_PASSWORD_ATTEMPTS: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence:
      'The user has given wrong passwords too often; until_ms says when the next one is looked at.',
    advice: 'Wait until then; send a new command_id.',
  },
  ROOM_FULL: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence: 'The room holds as many users as it may.',
    advice: 'Try again later with a new command_id.',
  },
  USER_NOT_PRESENT: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The user is not in the room.',
    advice: 'Join first, then send a new command_id.',
  },
  WRONG_PASSWORD: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'The room has a password and the one given does not match.',
    advice: 'Ask the user for the password; send a new command_id.',
  },
  ROBOT_NOT_ALLOWED: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'Only a service may bring robots into a room.',
    advice: 'Use a service token, or leave is_robot unset.',
  },
  NOT_ROOM_MANAGER: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'The actor does not manage this room.',
    advice: 'Only the owner, an admin of the room or an operator may do this.',
  },
  NOT_ROOM_OWNER: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'Only the owner of the room may do this.',
    advice: 'Ask the owner; a service or an operator may do it for the app.',
  },
  TARGET_PROTECTED: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence:
      'The other user stands as high in this room as the actor, or higher; role says how high.',
    advice: 'Only the owner may act against an admin, and nobody of the room against its owner.',
  },
  TOO_MANY_ADMINS: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence: 'The room has as many admins as it may.',
    advice: 'Take the rights of another admin first; send a new command_id.',
  },
  SEAT_NOT_FOUND: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The room has no seat with this number.',
    advice: 'Read the room and choose one of its seats.',
  },
  SEAT_TAKEN: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'Somebody else sits on this seat.',
    advice: 'Choose another seat; send a new command_id.',
  },
  SEAT_LOCKED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The seat is locked.',
    advice: 'Choose another seat; send a new command_id.',
  },
  NO_FREE_SEAT: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'Every open seat is taken.',
    advice: 'Wait until somebody leaves a seat; send a new command_id.',
  },
  ALREADY_ON_SEAT: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The user already sits on another seat.',
    advice: 'Use ChangeMicSeat to move.',
  },
  MIC_BY_INVITATION: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'In this room the owner or an admin lets people up to the mic.',
    advice: 'Apply for the mic and wait for the answer.',
  },
  MIC_IS_FREE: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'In this room everybody takes a seat without asking.',
    advice: 'Use MicUp.',
  },
  MIC_REQUEST_PENDING: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The user is asked for, or has asked, already; kind says which of the two waits.',
    advice: 'Answer it with AnswerMicRequest.',
  },
  MIC_REQUEST_NOT_FOUND: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence:
      'Nothing waits for an answer about this user: it was answered, taken back, or its time is over.',
    advice: 'Read the list of requests again.',
  },
  NOT_YOUR_MIC_REQUEST: {
    status: 'PERMISSION_DENIED',
    memory: 'sticky',
    sentence: 'The other side accepts: a manager an application, the invited user an invitation.',
    advice: 'Wait for the other side; the one who asked can only take it back.',
  },
  MIC_QUEUE_FULL: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence: 'As many requests wait in this room as may.',
    advice: 'Try again later with a new command_id.',
  },
  NOT_ON_SEAT: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The user sits on no seat.',
    advice: 'Read the room; there is nothing to take down or confirm.',
  },
  MIC_SESSION_STALE: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The mic session named is not the one that holds the seat now.',
    advice: 'Drop the old session; use the session of the newest MicUp.',
  },
  ...giftReasons,
  RESULT_TOO_LARGE: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'sticky',
    sentence: 'The command would make more events than one command may.',
    advice: 'Split the request.',
  },
  DATA_REFUSED: {
    status: 'INTERNAL',
    memory: 'none',
    sentence: 'The database refused this command’s data; it was set aside for an operator.',
    advice: 'Report the command_id; sending it again meets the same fault.',
  },
  POISON: {
    status: 'INTERNAL',
    memory: 'none',
    sentence:
      'Processes ended over this command, again and again; it was set aside for an operator.',
    advice: 'Report the command_id; sending it again meets the same fault.',
  },
  UNDECODABLE: {
    status: 'INVALID_ARGUMENT',
    memory: 'none',
    sentence: 'The record on the command topic could not be read; it was set aside.',
    advice: 'Check that gateway and cell run releases that fit together.',
  },
  WRONG_PARTITION: {
    status: 'INTERNAL',
    memory: 'none',
    sentence: 'The record lies on a partition that its key does not belong to.',
    advice: 'Check topic_layout and the producer; the record was set aside.',
  },
  COMMAND_ID_REUSED: {
    status: 'ALREADY_EXISTS',
    memory: 'none',
    sentence: 'This command_id was used in this room with another payload, user or type.',
    advice: 'Make a new command_id for every new intention.',
  },
} as const satisfies Record<string, ReasonRow>;

/** Refusals that leave the id free: the same command may be sent again. */
export const retryReasons = {
  EXPIRED: {
    status: 'DEADLINE_EXCEEDED',
    memory: 'free',
    sentence: 'The command’s time ran out before it was executed; it was not executed.',
    advice: 'Send it again with the same command_id and a longer deadline.',
  },
  ROOM_BUSY: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'free',
    sentence: 'Too many commands of this room are waiting.',
    advice: 'Wait for the retry delay; send the same command_id again.',
  },
  LUCKY_GIFT_BUSY: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'free',
    sentence: 'Another lucky gift of the sender is on its way; nothing was paid for this one.',
    advice: 'Wait for the retry delay; send the same command_id again.',
  },
  GATEWAY_BUSY: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'free',
    sentence: 'This gateway holds as many calls as it may; nothing was sent.',
    advice: 'Wait for the retry delay; send the same command_id again.',
  },
  FACT_STALE: {
    status: 'ABORTED',
    memory: 'free',
    sentence: 'The room changed while a fact about it was checked.',
    advice: 'Send the same command_id again.',
  },
  DRAINING: {
    status: 'UNAVAILABLE',
    memory: 'free',
    sentence: 'This node is going offline and takes no new work.',
    advice: 'Send the same command_id again; another node answers.',
  },
  NOT_OWNER: {
    status: 'UNAVAILABLE',
    memory: 'free',
    sentence: 'This node does not own the room’s partition.',
    advice: 'Ask again; owner names the node that does.',
  },
  OWNER_BUSY: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'free',
    sentence: 'The node that was asked holds as many reads as it may.',
    advice: 'Wait for the retry delay, then read again.',
  },
  WATCH_TOO_SLOW: {
    status: 'RESOURCE_EXHAUSTED',
    memory: 'free',
    sentence: 'More happened in the room than this watcher took; what waited for it was let go.',
    advice: 'Watch again behind the last version that arrived.',
  },
  NOT_YET_ENABLED: {
    status: 'UNAVAILABLE',
    memory: 'free',
    sentence: 'The deployment is being upgraded and does not take this command yet.',
    advice: 'Send the same command_id again after the upgrade; level and needed_level are told.',
  },
  UNAVAILABLE: {
    status: 'UNAVAILABLE',
    memory: 'free',
    sentence: 'A service that roomcell stands on is out of reach; nothing was sent.',
    advice: 'Send the same command_id again after the retry delay.',
  },
  OUTCOME_UNKNOWN: {
    status: 'DEADLINE_EXCEEDED',
    memory: 'free',
    sentence: 'No answer came in time; the command may or may not have been executed.',
    advice: 'Send the same command_id again: it answers what happened.',
  },
} as const satisfies Record<string, ReasonRow>;

/** Refusals by the gateway before anything is produced. */
export const requestReasons = {
  INVALID_FIELD: {
    status: 'INVALID_ARGUMENT',
    memory: 'none',
    sentence: 'A field is missing, malformed or too large; field and fault name it.',
    advice: 'Correct the request.',
  },
  UNAUTHENTICATED: {
    status: 'UNAUTHENTICATED',
    memory: 'none',
    sentence: 'The bearer token is missing, malformed, expired or signed by nobody we know.',
    advice: 'Get a new token.',
  },
  PERMISSION_DENIED: {
    status: 'PERMISSION_DENIED',
    memory: 'none',
    sentence: 'The token does not allow this: another app, another user, or another role.',
    advice: 'Use a token of the right app, user and role.',
  },
  RTC_NOT_CONFIGURED: {
    status: 'FAILED_PRECONDITION',
    memory: 'none',
    sentence: 'The app has no RTC application in this deployment.',
    advice: 'Ask the operators to name the app under rtc.apps, with its keys.',
  },
  LEADERBOARD_NOT_ENABLED: {
    status: 'FAILED_PRECONDITION',
    memory: 'none',
    sentence: 'This deployment keeps no boards over rooms.',
    advice: 'Ask the operators to set leaderboard.enabled; GetGiftRank shows the rank in a room.',
  },
  ROOM_CORRUPT: {
    status: 'INTERNAL',
    memory: 'free',
    sentence: 'The stored history of this room does not add up; the room stands still.',
    advice: 'Tell the operators; the same command_id may be sent again once the room is repaired.',
  },
  ...operatorReasons,
  INTERNAL: {
    status: 'INTERNAL',
    memory: 'none',
    sentence: 'roomcell met a fault of its own.',
    advice: 'Report it with the time and the command_id; the same id may be sent again.',
  },
} as const satisfies Record<string, ReasonRow>;

/** A final no. */
export type RejectReason = keyof typeof rejectReasons;
/** A no that leaves the id free. */
export type RetryReason = keyof typeof retryReasons;
/** A no of the gateway. */
export type RequestReason = keyof typeof requestReasons;
/** Every reason code. */
export type Reason = RejectReason | RetryReason | RequestReason;

/** The catalogue row of a code, or null for a code that this release does not know. */
export function reasonRow(reason: string): ReasonRow | null {
  return rows.get(reason) ?? null;
}

const rows: ReadonlyMap<string, ReasonRow> = new Map<string, ReasonRow>(
  Object.entries({ ...rejectReasons, ...retryReasons, ...requestReasons }),
);
