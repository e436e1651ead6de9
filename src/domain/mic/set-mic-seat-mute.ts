/** SetMicSeatMute: a manager turns a seat's voice off for all, or on again; whoever sits there stays. */
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { SetMicSeatMute } from './mic-commands.ts';
import { findSeatByNumber } from './seats.ts';

/** Decides SetMicSeatMute for an active room. */
export function decideSetMicSeatMute(
  body: SetMicSeatMute,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const { seatNo, muted } = body;
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  const seat = findSeatByNumber(state.seats, seatNo);
  if (seat === null) return rejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
  if (seat.muted === muted) return noEffect({ seatNo });
  return applied([{ type: 'RoomMicSeatMuted', seatNo, muted }], { seatNo });
}
