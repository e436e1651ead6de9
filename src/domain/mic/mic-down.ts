/**
 * MicDown: a seat is freed by its holder, or taken from another by a manager (MIC-7, MIC-8). With a
 * session id it frees that session only, so that a late MicDown cannot end a newer one (MIC-11).
 */
import type { MicDown } from './mic-commands.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, rejected } from '../room/outcomes.ts';
import { refuseProtectedTarget, refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomState } from '../room/state.ts';
import { micDownOf } from './mic-down-event.ts';
import { findSeatByUser } from './seats.ts';

/** Decides MicDown for an active room. */
export function decideMicDown(
  body: MicDown,
  command: RoomCommand,
  nowMs: number,
  state: RoomState,
): Decision {
  const targetUserId = body.userId === '' ? command.actorUserId : body.userId;
  const isSelf = targetUserId === command.actorUserId;

  // 1. Who may. First, so that a stranger learns nothing about another's seat.
  const refusal = isSelf
    ? null
    : (refuseUnlessManager(command, state) ?? refuseProtectedTarget(command, targetUserId, state));
  if (refusal !== null) return refusal;

  // 2. The seat.
  const held = findSeatByUser(state.seats, targetUserId);
  if (held === null) return rejected('NOT_ON_SEAT', { user_id: targetUserId });

  // 3. Race (TST-8): a MicDown meets a newer session of the same user.
  //    1. The user sits with session 1; its client sends MicDown(session 1), which is delayed.
  //    2. The client reconnects: MicDown and MicUp go through, the user sits with session 2.
  //    3. The delayed MicDown(session 1) arrives and must not free the seat of session 2.
  //    Test: "late words about session 1 leave session 2 untouched".
  if (body.micSessionId !== '' && body.micSessionId !== held.occupancy.micSessionId) {
    return rejected('MIC_SESSION_STALE', { seat_no: String(held.seat.seatNo) });
  }

  const down = micDownOf(held, isSelf ? 'mic_down' : 'taken_down', nowMs);
  return applied([down], { seatNo: down.seatNo, micSessionId: down.micSessionId });
}
