/**
 * What the events of one command make of the guard's yes (ROOM-20): whoever was let in by
 * `guard-user.ts` before them may be let in no more behind them. For those who are told of events as
 * they come and hold no state of the room.
 */
import type { UserId } from '../ids.ts';
import type { RejectReason } from '../reasons.ts';
import type { RoomEvent } from '../room/events.ts';

/** Why the guard's yes has ended. */
export type GuardEnd = Extract<
  RejectReason,
  'ROOM_CLOSED' | 'USER_PLATFORM_BANNED' | 'USER_BANNED' | 'USER_NOT_PRESENT'
>;

/** What is read of an event; reasons and texts of a newer release do not matter here. */
type LeavingEvent =
  | { readonly type: Exclude<RoomEvent['type'], Personal | 'RoomUsersStaleLeft'> }
  | { readonly type: Personal; readonly userId: UserId }
  | { readonly type: 'RoomUsersStaleLeft'; readonly userIds: readonly UserId[] };

type Personal = 'RoomUserLeft' | 'RoomUserKicked' | 'RoomUserEvicted';
/** What is told when several hold, first: the room's end, then bans, which explain an absence. */
const order: readonly GuardEnd[] = [
  'ROOM_CLOSED',
  'USER_PLATFORM_BANNED',
  'USER_BANNED',
  'USER_NOT_PRESENT',
];

/** Null: whoever had the guard's yes before the events of one command has it still. */
export function guardAfter(events: readonly LeavingEvent[], userId: UserId): GuardEnd | null {
  const ends = new Set(events.map((event) => endOf(event, userId)));
  return order.find((end) => ends.has(end)) ?? null;
}

function endOf(event: LeavingEvent, userId: UserId): GuardEnd | null {
  switch (event.type) {
    case 'RoomClosing':
    case 'RoomClosed':
    case 'RoomDeleted':
      return 'ROOM_CLOSED';
    case 'RoomUserEvicted':
      return event.userId === userId ? 'USER_PLATFORM_BANNED' : null;
    case 'RoomUserKicked':
      return event.userId === userId ? 'USER_BANNED' : null;
    case 'RoomUserLeft':
      return event.userId === userId ? 'USER_NOT_PRESENT' : null;
    case 'RoomUsersStaleLeft':
      return event.userIds.includes(userId) ? 'USER_NOT_PRESENT' : null;
    default:
      return null;
  }
}
