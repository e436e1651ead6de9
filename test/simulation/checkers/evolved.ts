/**
 * Events to rooms, the checkers' way: what an event says is made, and nothing is judged, so that a
 * history with a fault in it can be followed up to its end. The checkers look at what lies before
 * and after each event.
 */
import { bannedBy, without, withUsersGone } from './evolved-people.ts';
import { freeSeats, lockedSeat, movedSession, mutedSeat, seated } from './evolved-seats.ts';
import { flown } from './evolved-rocket.ts';
import type { LoggedEvent, LoggedOf, PeopleEvent } from './logged-event.ts';
import { absentRoom } from './room-model.ts';
import type { RoomModel } from './room-model.ts';

/** The room after one event of the command that made `version` at `atMs`. */
export function evolved(
  room: RoomModel,
  event: LoggedEvent,
  version: bigint,
  atMs: bigint,
): RoomModel {
  return { ...changed(room, event, version, atMs), version, lastEventAtMs: atMs };
}

function changed(room: RoomModel, event: LoggedEvent, version: bigint, atMs: bigint): RoomModel {
  switch (event.type) {
    case 'RoomCreated':
      return created(room, event, atMs);
    case 'RoomClosing': {
      const { type: _, ...closing } = event;
      return { ...room, status: 'closing', closing };
    }
    case 'RoomClosed':
      return closed(room, event, atMs);
    case 'RoomDeleted': {
      const { appCode, roomId, ownerUserId, createdAtMs } = room;
      return { ...absentRoom(appCode, roomId), status: 'deleted', ownerUserId, createdAtMs };
    }
    case 'RoomProfileUpdated':
      return { ...room, profile: event.profile };
    case 'RoomSeatCountChanged': {
      const kept = room.seats.slice(0, event.seatCount);
      return { ...room, seats: [...kept, ...freeSeats(kept.length + 1, event.seatCount)] };
    }
    case 'RoomPasswordChanged': {
      const { passwordHash, passwordVersion } = event;
      return { ...room, passwordHash, passwordVersion, passwordAttempts: new Map() };
    }
    case 'RoomPasswordAttemptFailed': {
      const { userId, attempts, windowStartedAtMs } = event;
      const entry = { userId, attempts, windowStartedAtMs };
      return { ...room, passwordAttempts: new Map(room.passwordAttempts).set(userId, entry) };
    }
    case 'RoomModeChanged': {
      const stay = event.mode === 'free' ? ['invite'] : ['invite', 'apply'];
      const micRequests = room.micRequests.filter(({ kind }) => stay.includes(kind));
      return { ...room, mode: event.mode, micRequests };
    }
    case 'RoomVisibleRegionChanged':
      return { ...room, visibleRegionId: event.visibleRegionId };
    case 'RoomAdminChanged': {
      const others = room.admins.filter((userId) => userId !== event.userId);
      return { ...room, admins: event.isAdmin ? [...others, event.userId].sort() : others };
    }
    case 'RoomOwnerTransferred': {
      const admins = room.admins.filter((userId) => userId !== event.toUserId);
      return { ...room, ownerUserId: event.toUserId, admins };
    }
    case 'RoomGiftSent':
      return gifted(room, event, version);
    case 'RoomRocketFueled':
    case 'RoomRocketIgnited':
    case 'RoomRocketLaunched':
      return { ...room, rocket: flown(room.rocket, event, version, atMs) };
    default:
      return changedByPeople(room, event, version, atMs);
  }
}

/** Who is in the room, and who sits where. */
function changedByPeople(
  room: RoomModel,
  event: PeopleEvent,
  version: bigint,
  atMs: bigint,
): RoomModel {
  switch (event.type) {
    case 'RoomUserJoined': {
      const { userId, profile, isRobot } = event;
      const user = { userId, profile, isRobot, joinedAtMs: atMs, joinedAtVersion: version };
      const users = new Map(room.users).set(userId, user);
      return { ...room, users, passwordAttempts: without(room.passwordAttempts, userId) };
    }
    case 'RoomUserUpdated': {
      const user = room.users.get(event.userId);
      if (user === undefined) return room;
      const users = new Map(room.users).set(event.userId, { ...user, profile: event.profile });
      return { ...room, users };
    }
    case 'RoomUserLeft':
      return withUsersGone(room, [event.userId]);
    case 'RoomUsersStaleLeft':
      return withUsersGone(room, event.userIds);
    case 'RoomUserKicked':
      return bannedBy(room, event, atMs);
    case 'RoomUserUnbanned':
      return { ...room, bans: without(room.bans, event.userId) };
    case 'RoomUserEvicted':
      return room;
    case 'RoomMicUp':
    case 'RoomMicPublishing':
    case 'RoomMicRtcNoted':
    case 'RoomMicDown':
      return seated(room, event, version, atMs);
    case 'RoomMicSeatChanged':
      return movedSession(room, event);
    case 'RoomMicSeatLocked':
      return lockedSeat(room, event.seatNo, true);
    case 'RoomMicSeatUnlocked':
      return lockedSeat(room, event.seatNo, false);
    case 'RoomMicSeatMuted':
      return mutedSeat(room, event.seatNo, event.muted);
    case 'RoomMicRequested': {
      const { kind, userId, byUserId, seatNo, expiresAtMs } = event;
      const request = { kind, userId, byUserId, seatNo, requestedAtMs: atMs, expiresAtMs };
      return { ...room, micRequests: [...room.micRequests, request] };
    }
    case 'RoomMicRequestEnded': {
      const micRequests = room.micRequests.filter(({ userId }) => userId !== event.userId);
      return { ...room, micRequests };
    }
  }
}

function created(room: RoomModel, event: LoggedOf<'RoomCreated'>, atMs: bigint): RoomModel {
  const { title, coverUrl, backgroundUrl, tags, ext, ownerUserId, mode, visibleRegionId } = event;
  return {
    ...room,
    status: 'active',
    ownerUserId,
    profile: { title, coverUrl, announcement: '', backgroundUrl, tags, ext },
    mode,
    visibleRegionId,
    passwordHash: event.passwordHash,
    passwordVersion: 1n,
    seats: freeSeats(1, event.seatCount),
    createdAtMs: atMs,
  };
}

function closed(room: RoomModel, event: LoggedOf<'RoomClosed'>, atMs: bigint): RoomModel {
  const { type: _, ...said } = event;
  return {
    ...room,
    status: 'closed',
    users: new Map(),
    micRequests: [],
    bans: new Map(),
    passwordAttempts: new Map(),
    rocket: null,
    closing: null,
    closeInfo: { ...said, closedAtMs: atMs },
  };
}

function gifted(room: RoomModel, event: LoggedOf<'RoomGiftSent'>, version: bigint): RoomModel {
  const { senderUserId: userId } = event;
  if (event.isUncounted === true) return room;
  const coins = (room.giftSenders.get(userId)?.coins ?? 0n) + event.coins;
  const giftSenders = new Map(room.giftSenders);
  giftSenders.set(userId, { userId, coins, reachedAtVersion: version });
  return { ...room, heat: room.heat + event.coins, giftSenders };
}
