/**
 * CreateRoom: an absent room becomes active in one commit (ROOM-3, decision 28). The actor becomes
 * the owner and is not joined by it: presence begins with a JoinRoom of its own (PRES-3).
 */
import type { UserId } from '../ids.ts';
import type { CreateRoom } from './room-commands.ts';
import type { Decision, Rejected, RoomLimits } from './decision.ts';
import type { RoomCreated } from './room-events.ts';
import { applied, rejected } from './outcomes.ts';

/** Decides CreateRoom for a room that is absent; the dispatch has refused every other state. */
export function decideCreateRoom(
  body: CreateRoom,
  ownerUserId: UserId,
  limits: RoomLimits,
): Decision {
  return refuseSeatCount(body.seatCount, limits) ?? applied([roomCreated(body, ownerUserId)]);
}

/**
 * RESULT_TOO_LARGE for more seats than a room can be closed with, else null. A full room closes with
 * one event per seat and one for itself, all in one command; a room whose closing would be refused
 * could never be closed.
 */
export function refuseSeatCount(seatCount: number, limits: RoomLimits): Rejected | null {
  const seatsMax = limits.eventsPerCommandMax - 1;
  if (seatCount <= seatsMax) return null;
  return rejected('RESULT_TOO_LARGE', {
    seat_count: String(seatCount),
    seat_count_max: String(seatsMax),
  });
}

function roomCreated(body: CreateRoom, ownerUserId: UserId): RoomCreated {
  return {
    type: 'RoomCreated',
    ownerUserId,
    title: body.title,
    coverUrl: body.coverUrl,
    backgroundUrl: body.backgroundUrl,
    // A count below 1 passed the gateway only by a fault of it; it makes a room without seats.
    seatCount: Math.max(0, body.seatCount),
    mode: body.mode,
    visibleRegionId: body.visibleRegionId,
    passwordHash: body.passwordHash,
    tags: body.tags,
    ext: body.ext,
  };
}
