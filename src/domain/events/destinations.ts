/**
 * Where each event goes: the one table that the commit reads to write outbox rows, and the relay's
 * and adapters' rules for IM stand beside it (DIM-4). A new event type does not compile without a row.
 */
import type { RoomEventType } from '../room/events.ts';

/** Who outside gets an event, each by an outbox row of its own. */
export type OutboxDestination = 'im' | 'activity' | 'rtc';

/** What IM keeps first when a group gets more messages per second than it may. */
export type ImPriority = 'high' | 'normal' | 'low' | 'lowest';

/** One row of the table. */
export interface EventRoute {
  /** In the order in which the rows are written; each destination at most once. */
  readonly destinations: readonly OutboxDestination[];
  readonly imPriority: ImPriority;
  /**
   * A client that missed the message sees its effect in the next room view, so a late IM row may
   * be confirmed as superseded (`useful_until_ms`). False: it is delivered however late it is.
   */
  readonly repairedBySnapshot: boolean;
}

const imAndActivity: readonly OutboxDestination[] = ['im', 'activity'];

/**
 * The table. RoomCreated and RoomClosed are never superseded: the group is made by the one, and the
 * other tells clients to leave a room of which they would ask for no further view. Nor is a gift: a
 * later view has its coins in heat and rank, yet no view ever shows that it was given, to whom and
 * by whom, and somebody paid for just that. Seats change rarely and everybody watches them; comings
 * and goings are many and can be missed.
 */
export const eventRoutes: Readonly<Record<RoomEventType, EventRoute>> = {
  RoomCreated: { destinations: imAndActivity, imPriority: 'high', repairedBySnapshot: false },
  RoomClosed: { destinations: imAndActivity, imPriority: 'high', repairedBySnapshot: false },
  RoomUserJoined: { destinations: imAndActivity, imPriority: 'low', repairedBySnapshot: true },
  RoomUserLeft: { destinations: imAndActivity, imPriority: 'low', repairedBySnapshot: true },
  RoomUserUpdated: { destinations: imAndActivity, imPriority: 'lowest', repairedBySnapshot: true },
  RoomMicUp: { destinations: imAndActivity, imPriority: 'normal', repairedBySnapshot: true },
  RoomMicPublishing: {
    destinations: imAndActivity,
    imPriority: 'normal',
    repairedBySnapshot: true,
  },
  RoomMicDown: { destinations: imAndActivity, imPriority: 'normal', repairedBySnapshot: true },
  RoomGiftSent: { destinations: imAndActivity, imPriority: 'high', repairedBySnapshot: false },
};

/** The route of an event type of this release. */
export function eventRoute(eventType: RoomEventType): EventRoute {
  return eventRoutes[eventType];
}
