/**
 * SetSeatCount: more idle seats, or fewer, whose holders are taken down in the same commit. Numbers,
 * locks and mutes of the rest stay (META-3, decision 19).
 */
import { micDownOf } from '../mic/mic-down-event.ts';
import { heldSeats } from '../mic/seats.ts';
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from './commands.ts';
import { refuseSeatCount } from './create-room.ts';
import type { DecideFacts, Decision } from './decision.ts';
import { applied, noEffect } from './outcomes.ts';
import type { SetSeatCount } from './room-commands.ts';
import type { RoomSeatCountChanged } from './room-events.ts';
import type { RoomState } from './state.ts';

/** Decides SetSeatCount for an active room. */
export function decideSetSeatCount(
  body: SetSeatCount,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // A count below 0 passed the gateway only by a fault of it; it leaves a room without seats.
  const seatCount = Math.max(0, body.seatCount);
  const refusal = refuseUnlessManager(command, state) ?? refuseSeatCount(seatCount, facts.limits);
  if (refusal !== null) return refusal;
  if (seatCount === state.seats.length) return noEffect();
  const downs = heldSeats(state.seats)
    .filter(({ seat }) => seat.seatNo > seatCount)
    .map((held) => micDownOf(held, 'seat_removed', facts.nowMs));
  const changed: RoomSeatCountChanged = {
    type: 'RoomSeatCountChanged',
    byUserId: command.actorUserId,
    seatCount,
  };
  return applied([...downs, changed]);
}
