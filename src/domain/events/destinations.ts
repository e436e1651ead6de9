/**
 * Where each event goes: the one table that the commit reads to write outbox rows, and the relay's
 * and adapters' rules for IM stand beside it (DIM-4). A new event type does not compile without a row.
 */
import type { UserId } from '../ids.ts';
import type { RoomEvent, RoomEventType } from '../room/events.ts';

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
  /** False: what IM makes of it is no message, and nobody who watches the room hears of it. */
  readonly isForClients: boolean;
}

const imAndActivity: readonly OutboxDestination[] = ['im', 'activity'];

/** Delivered however late: no later view shows it, or a client must hear it to stop looking. */
const lasting: EventRoute = {
  destinations: imAndActivity,
  imPriority: 'high',
  repairedBySnapshot: false,
  isForClients: true,
};

/** Lasting, and its user is put out of the room's audio as well (RTC-1). */
const putOut: EventRoute = { ...lasting, destinations: ['im', 'activity', 'rtc'] };

/** Its effect stands in every later view. */
function shown(imPriority: ImPriority): EventRoute {
  return { destinations: imAndActivity, imPriority, repairedBySnapshot: true, isForClients: true };
}

/** Nobody outside is told: the room keeps it for its own rules. */
const inside: EventRoute = { ...shown('lowest'), destinations: [], isForClients: false };

/**
 * The table. RoomCreated and RoomClosed are never superseded: the group is made by the one, and the
 * other tells clients to leave a room of which they would ask for no further view; so do the kick
 * and the eviction for one of them. Nor is an unban, of which clients hear nothing: without it the user
 * stays banned from the group. Nor is a gift: a later view has its coins in heat and rank, yet
 * no view ever shows that it was given, to whom and by whom, and somebody paid for just that; nor are a
 * rocket's ignition and launch, which name who won. Seats
 * change rarely and everybody watches them; comings and goings are many and can be missed. A request
 * for the mic stands in no view, yet it is over by the time its message may be superseded. What is
 * of interest only to lists and to those who manage the app is not shown in the room.
 */
export const eventRoutes: Readonly<Record<RoomEventType, EventRoute>> = {
  RoomCreated: lasting,
  RoomClosing: shown('high'),
  RoomClosed: lasting,
  RoomDeleted: lasting,
  RoomProfileUpdated: shown('normal'),
  RoomSeatCountChanged: shown('normal'),
  RoomPasswordChanged: shown('normal'),
  RoomPasswordAttemptFailed: inside,
  RoomModeChanged: shown('normal'),
  RoomVisibleRegionChanged: { ...shown('normal'), destinations: ['activity'] },
  RoomAdminChanged: shown('normal'),
  RoomOwnerTransferred: shown('normal'),
  RoomUserJoined: shown('low'),
  RoomUserUpdated: shown('lowest'),
  RoomUserLeft: shown('low'),
  RoomUsersStaleLeft: shown('low'),
  RoomUserKicked: putOut,
  RoomUserUnbanned: { ...lasting, isForClients: false },
  RoomUserEvicted: putOut,
  RoomMicUp: shown('normal'),
  RoomMicPublishing: shown('normal'),
  RoomMicRtcNoted: inside,
  RoomMicDown: shown('normal'),
  RoomMicSeatChanged: shown('normal'),
  RoomMicSeatLocked: shown('normal'),
  RoomMicSeatUnlocked: shown('normal'),
  RoomMicSeatMuted: shown('normal'),
  RoomMicRequested: { ...shown('normal'), destinations: ['im'] },
  RoomMicRequestEnded: { ...shown('normal'), destinations: ['im'] },
  RoomGiftSent: lasting,
  RoomRocketFueled: inside,
  RoomRocketIgnited: lasting,
  RoomRocketLaunched: lasting,
};

/** The route of an event type of this release. */
export function eventRoute(eventType: RoomEventType): EventRoute {
  return eventRoutes[eventType];
}

type PutsOut = Extract<RoomEvent, { readonly type: 'RoomUserKicked' | 'RoomUserEvicted' }>;

/** Whom an event puts out of the room's audio (RTC-1): those with the destination `rtc`. Null: nobody. */
export function putOutOfRtc(
  event: PutsOut | { readonly type: Exclude<RoomEventType, PutsOut['type']> },
): UserId | null {
  const putsOut = event.type === 'RoomUserKicked' || event.type === 'RoomUserEvicted';
  return putsOut ? event.userId : null;
}
