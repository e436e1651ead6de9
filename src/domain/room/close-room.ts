/**
 * CloseRoom: the room ends in one commit (ROOM-6): every seat is freed in seat order (ROOM-14), then
 * the room closes and everybody's presence with it (ROOM-13). It is a command like any other, so its
 * log row, its RoomClosed and the meta rows are one transaction (ROOM-12, ROOM-15…17).
 */
import { heldSeats } from '../mic/seats.ts';
import { micDownOf } from '../mic/mic-down-event.ts';
import type { CloseRoom, RoomCommand } from './commands.ts';
import type { DecideFacts, Decision } from './decision.ts';
import type { RoomClosed } from './events.ts';
import { applied, noEffect } from './outcomes.ts';
import { refuseUnlessManager } from './room-guards.ts';
import type { CloserKind, RoomState } from './state.ts';

/** Decides CloseRoom for a room that is active or closed. */
export function decideCloseRoom(
  body: CloseRoom,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. Who may. Before 2 on purpose: a stranger gets one answer whether the room is open or closed,
  //    and cannot use CloseRoom to look into a room. A manager's repeat is the success of 2.
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;

  // 2. Closed already: success without effect; the first closer's words stay (ROOM-19).
  if (state.status === 'closed') return noEffect();

  // 3. Seats in seat order, then the room.
  const seatEvents = heldSeats(state.seats).map((held) =>
    micDownOf(held, 'room_closed', facts.nowMs),
  );
  return applied([...seatEvents, roomClosed(body, command, state)]);
}

function roomClosed(body: CloseRoom, command: RoomCommand, state: RoomState): RoomClosed {
  return {
    type: 'RoomClosed',
    closedByUserId: command.actorUserId,
    closedByKind: closerKind(command, state),
    reason: body.reason,
    note: body.note,
    finalOnlineCount: state.users.size,
    finalHeat: state.heat,
  };
}

/**
 * The role speaks first: an operator who happens to own the room closes it as an operator. A service
 * closes for the owner when it names the owner, and otherwise for the platform.
 */
function closerKind(command: RoomCommand, state: RoomState): CloserKind {
  if (command.actorRole === 'system') return 'system';
  if (command.actorRole === 'operator') return 'operator';
  return command.actorUserId === state.ownerUserId ? 'owner' : 'operator';
}
