/** Where each event must go, in the judges' own words. */
import type { Destination } from '../../../src/protocol/topics.ts';
import type { LoggedEvent } from './logged-event.ts';

/** Where each event must go; written here a second time on purpose. */
export const requiredDestinations: Readonly<Record<LoggedEvent['type'], readonly Destination[]>> = {
  RoomCreated: ['im', 'activity'],
  RoomClosing: ['im', 'activity'],
  RoomClosed: ['im', 'activity'],
  RoomDeleted: ['im', 'activity'],
  RoomProfileUpdated: ['im', 'activity'],
  RoomSeatCountChanged: ['im', 'activity'],
  RoomPasswordChanged: ['im', 'activity'],
  RoomPasswordAttemptFailed: [],
  RoomModeChanged: ['im', 'activity'],
  RoomVisibleRegionChanged: ['activity'],
  RoomAdminChanged: ['im', 'activity'],
  RoomOwnerTransferred: ['im', 'activity'],
  RoomUserJoined: ['im', 'activity'],
  RoomUserUpdated: ['im', 'activity'],
  RoomUserLeft: ['im', 'activity'],
  RoomUsersStaleLeft: ['im', 'activity'],
  RoomUserKicked: ['im', 'activity', 'rtc'],
  RoomUserUnbanned: ['activity'],
  RoomUserEvicted: ['im', 'activity', 'rtc'],
  RoomMicUp: ['im', 'activity'],
  RoomMicPublishing: ['im', 'activity'],
  RoomMicRtcNoted: [],
  RoomMicDown: ['im', 'activity'],
  RoomMicSeatChanged: ['im', 'activity'],
  RoomMicSeatLocked: ['im', 'activity'],
  RoomMicSeatUnlocked: ['im', 'activity'],
  RoomMicSeatMuted: ['im', 'activity'],
  RoomMicRequested: ['im'],
  RoomMicRequestEnded: ['im'],
  RoomGiftSent: ['im', 'activity'],
  RoomRocketFueled: [],
  RoomRocketIgnited: ['im', 'activity'],
  RoomRocketLaunched: ['im', 'activity'],
};

/** Whether an event has a row for the destination. One that the judges do not know has none. */
export function mustGoTo(eventType: string, destination: Destination): boolean {
  const required = requiredDestinations as Readonly<Record<string, readonly Destination[]>>;
  return required[eventType]?.includes(destination) === true;
}
