/**
 * SetMicSeatLock: a manager locks or opens a seat (MIC-3, MIC-4). Who sits on it is taken down first,
 * in the same commit and with a reason (MIC-24, decision 18).
 */
import { refuseProtectedTarget, refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import type { RoomEvent } from '../room/events.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { MicSeat, RoomState } from '../room/state.ts';
import type { SetMicSeatLock } from './mic-commands.ts';
import { micDownOf } from './mic-down-event.ts';
import { findSeatByNumber } from './seats.ts';

/** Decides SetMicSeatLock for an active room. */
export function decideSetMicSeatLock(
  body: SetMicSeatLock,
  command: RoomCommand,
  nowMs: number,
  state: RoomState,
): Decision {
  const { seatNo, locked } = body;
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  const seat = findSeatByNumber(state.seats, seatNo);
  if (seat === null) return rejected('SEAT_NOT_FOUND', { seat_no: String(seatNo) });
  if (seat.locked === locked) return noEffect({ seatNo });
  if (!locked) return applied([{ type: 'RoomMicSeatUnlocked', seatNo }], { seatNo });

  // A lock is no way around the protection of those whom one may not take down.
  const holderUserId = seat.occupancy?.userId ?? command.actorUserId;
  const isOwnSeat = holderUserId === command.actorUserId;
  const protection = isOwnSeat ? null : refuseProtectedTarget(command, holderUserId, state);
  if (protection !== null) return protection;
  return applied([...takenDown(seat, nowMs), { type: 'RoomMicSeatLocked', seatNo }], { seatNo });
}

function takenDown(seat: MicSeat, nowMs: number): readonly RoomEvent[] {
  const { occupancy } = seat;
  return occupancy === null ? [] : [micDownOf({ seat, occupancy }, 'seat_locked', nowMs)];
}
