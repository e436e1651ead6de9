/**
 * DeleteRoom: of a closed room nothing is kept but its name (ROOM-18, decision 29). The row of this
 * very command stays in the log like any other, so that a repeat is answered.
 */
import { refuseUnlessOwner } from '../roles/role-of.ts';
import { closerKind } from './close-room.ts';
import type { RoomCommand } from './commands.ts';
import type { Decision } from './decision.ts';
import { applied, noEffect, rejected } from './outcomes.ts';
import type { DeleteRoom } from './room-commands.ts';
import type { RoomDeleted } from './room-events.ts';
import type { RoomState } from './state.ts';

/** Decides DeleteRoom for every room that exists. */
export function decideDeleteRoom(
  body: DeleteRoom,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessOwner(command, state);
  if (refusal !== null) return refusal;
  if (state.status === 'deleted') return noEffect();
  if (state.status !== 'closed') return rejected('ROOM_NOT_CLOSED', { room_status: state.status });
  const deleted: RoomDeleted = {
    type: 'RoomDeleted',
    byUserId: command.actorUserId,
    byKind: closerKind(command, state),
    reason: body.reason,
    note: body.note,
  };
  return applied([deleted]);
}
