/**
 * One lane to instant messaging per event type (DIM-4, decision 1): facts by the outbox, unless an
 * operator gave a type to the display lane to save the outbox its rows. Only types whose effect the
 * next view of the room shows may be given away, since the display lane promises nothing.
 */
import type { RoomEvent, RoomEventType } from '../room/events.ts';
import { eventRoutes, type OutboxDestination } from './destinations.ts';

/** How an event's message gets to the room's clients. */
export type ImLane = 'outbox' | 'display' | 'none';

/** What one deployment chose. */
export interface ImLanes {
  /** Event types that go by the display lane. */
  readonly byDisplay: ReadonlySet<RoomEventType>;
  /**
   * Joins and leaves of rooms with more users than this get no message of their own; what clients
   * see of them is gathered (`RoomUsersCameAndWent`).
   */
  readonly largeRoomUsers: number;
}

/** The room behind its command, and who gave the command. */
export interface RoomSize {
  readonly onlineCount: number;
  /** A robot of a robot room: what it does there is shown and no more (ROBOT-6). */
  readonly isOfRobotRoom?: boolean;
}

/** What robots do in robot rooms all the time. The rest, such as opening one, is a fact like any other. */
const robotShow: ReadonlySet<RoomEventType> = new Set<RoomEventType>([
  'RoomUserJoined',
  'RoomUserLeft',
  'RoomGiftSent',
]);

/** Whether the event is shown by sample: of one room and type the last one of a window, or never. */
export function isSampled(event: RoomEvent, { isOfRobotRoom }: RoomSize): boolean {
  return isOfRobotRoom === true && robotShow.has(event.type);
}

/** Null, or why this type must stay with the outbox; continues a sentence that begins with its name. */
export function displayLaneFault(eventType: string): string | null {
  if (!Object.hasOwn(eventRoutes, eventType)) return 'is no event of this release';
  const { destinations, repairedBySnapshot } = eventRoutes[eventType as RoomEventType];
  if (!destinations.includes('im')) return 'has no message that could go another way';
  return repairedBySnapshot ? null : 'is not repaired by a snapshot and must not get lost';
}

/** Whether the event is told together with others, and not by a message of its own. */
export function isGathered(event: RoomEvent, lanes: ImLanes, { onlineCount }: RoomSize): boolean {
  const isComingOrGoing = event.type === 'RoomUserJoined' || event.type === 'RoomUserLeft';
  return isComingOrGoing && onlineCount > lanes.largeRoomUsers;
}

/** The lane of one event of a room. */
export function imLaneOf(event: RoomEvent, lanes: ImLanes, room: RoomSize): ImLane {
  if (!eventRoutes[event.type].destinations.includes('im')) return 'none';
  if (isGathered(event, lanes, room)) return 'none';
  if (isSampled(event, room)) return 'display';
  return lanes.byDisplay.has(event.type) ? 'display' : 'outbox';
}

/** The outbox rows that one event of a room gets. */
export function outboxDestinationsOf(
  event: RoomEvent,
  lanes: ImLanes,
  room: RoomSize,
): readonly OutboxDestination[] {
  const { destinations } = eventRoutes[event.type];
  if (!destinations.includes('im') || imLaneOf(event, lanes, room) === 'outbox')
    return destinations;
  return destinations.filter((destination) => destination !== 'im');
}
