/** Where each event must go, in the judges' own words. */
import type { Destination } from '../../../src/protocol/topics.ts';
import type { LoggedEvent } from './logged-event.ts';
import { isShownBySample } from './robot-ids.ts';

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
  RoomUserUnbanned: ['im', 'activity'],
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

/** How a run was told to show what it shows, as plain data. */
export interface ShownLanes {
  /** Types whose message goes by the display lane. */
  readonly byDisplayLane: readonly string[];
  /** Joins and leaves of rooms with more users are told together. */
  readonly largeRoomUsers: number;
}

/** Of a world that says nothing of lanes. */
const outboxOnly: ShownLanes = { byDisplayLane: [], largeRoomUsers: Infinity };
const comingAndGoing: ReadonlySet<string> = new Set(['RoomUserJoined', 'RoomUserLeft']);

/** An event and the command that made it. */
export interface MadeEvent {
  readonly eventType: string;
  readonly commandId: string;
  /** How many users are in the room behind the command. */
  readonly users: number;
}

/** How an event's message gets to the room's clients. */
export function wayToIm(
  { eventType, commandId, users }: MadeEvent,
  { byDisplayLane, largeRoomUsers }: ShownLanes = outboxOnly,
): 'outbox' | 'display' | 'gathered' | 'none' {
  if (!mustGoTo(eventType, 'im')) return 'none';
  if (comingAndGoing.has(eventType) && users > largeRoomUsers) return 'gathered';
  if (isShownBySample(eventType, commandId)) return 'display';
  return byDisplayLane.includes(eventType) ? 'display' : 'outbox';
}

/** Whether an event has an outbox row for the destination. */
export function hasRowFor(
  event: MadeEvent,
  destination: Destination,
  lanes: ShownLanes = outboxOnly,
): boolean {
  if (destination === 'im') return wayToIm(event, lanes) === 'outbox';
  return mustGoTo(event.eventType, destination);
}

/** Whether an event is for the destination at all. One that the judges do not know is for none. */
export function mustGoTo(eventType: string, destination: Destination): boolean {
  const required = requiredDestinations as Readonly<Record<string, readonly Destination[]>>;
  return required[eventType]?.includes(destination) === true;
}
