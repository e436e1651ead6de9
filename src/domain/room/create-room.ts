/**
 * CreateRoom: an absent room becomes active in one commit (ROOM-3, decision 28). The actor becomes
 * the owner and is not joined by it: presence begins with a JoinRoom of its own (PRES-3).
 */
import type { UserId } from '../ids.ts';
import type { CreateRoom } from './commands.ts';
import type { Decision, RoomLimits } from './decision.ts';
import type { RoomCreated } from './events.ts';
import { applied, rejected } from './outcomes.ts';

/** Decides CreateRoom for a room that is absent; the dispatch has refused every other state. */
export function decideCreateRoom(
  body: CreateRoom,
  ownerUserId: UserId,
  limits: RoomLimits,
): Decision {
  // A full room closes with one event per seat and one for the room, all in one command. A room
  // whose closing would be refused as too large could never be closed, so it is not made.
  const seatsMax = limits.eventsPerCommandMax - 1;
  if (body.seatCount > seatsMax) {
    return rejected('RESULT_TOO_LARGE', {
      seat_count: String(body.seatCount),
      seat_count_max: String(seatsMax),
    });
  }
  return applied([roomCreated(body, ownerUserId)]);
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
