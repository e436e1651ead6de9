/**
 * MicUp: a present user takes a seat in the business sense (MIC-5, MIC-16). The client must confirm
 * RTC publishing with the session that is answered here before the deadline (MIC-17, MIC-18).
 */
import { actsAsManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision, ResultFields } from '../room/decision.ts';
import { noEffect, rejected } from '../room/outcomes.ts';
import { refuseUnlessPresent } from '../room/room-guards.ts';
import type { RoomState } from '../room/state.ts';
import type { MicUp } from './mic-commands.ts';
import { chooseSeat, seatUser } from './seat-user.ts';
import { anySeatNo, findSeatByUser } from './seats.ts';
import type { HeldSeat } from './seats.ts';

/** Decides MicUp for an active room. The actor is the user who sits down. */
export function decideMicUp(
  body: MicUp,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. In the room.
  const absent = refuseUnlessPresent(state, command.actorUserId);
  if (absent !== null) return absent;

  // 2. Seated already. Before the rules of 3 and 4, which are about sitting down: a client that
  //    lost the answer repeats with a new id and must get the session it holds (MIC-22).
  const held = findSeatByUser(state.seats, command.actorUserId);
  if (held !== null) return whenSeated(body, held);

  // 3. In mode `apply` people are let up, and only a manager sits down by itself (META-1).
  if (state.mode === 'apply' && !actsAsManager(command, state)) {
    return rejected('MIC_BY_INVITATION');
  }

  // 4. The seat.
  const seat = chooseSeat(body.seatNo, state);
  return 'kind' in seat ? seat : seatUser(command.actorUserId, seat, facts);
}

/** Any seat, or the one held: nothing changes. Another one: that is what ChangeMicSeat is for. */
function whenSeated(body: MicUp, held: HeldSeat): Decision {
  const { seatNo } = held.seat;
  if (body.seatNo !== anySeatNo && body.seatNo !== seatNo) {
    return rejected('ALREADY_ON_SEAT', { seat_no: String(seatNo) });
  }
  const result: ResultFields = {
    seatNo,
    micSessionId: held.occupancy.micSessionId,
    publishDeadlineMs: held.occupancy.publishDeadlineMs,
  };
  return noEffect(result);
}
