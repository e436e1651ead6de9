/**
 * ExpireMicPublish: the room's own timer frees a seat whose publishing was not confirmed in time
 * (MIC-13). Timers fire late, twice, and from an owner that has since lost the room, so the command
 * is a question and not an order: everything it was set for must still hold.
 */
import { assertDefined } from '../../kernel/assert.ts';
import type { ExpireMicPublish } from './mic-commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { MicOccupancy, RoomState } from '../room/state.ts';
import { micDownOf } from './mic-down-event.ts';
import { findSeatByNumber } from './seats.ts';

/** Decides ExpireMicPublish for every room that exists. */
export function decideExpireMicPublish(
  body: ExpireMicPublish,
  nowMs: number,
  state: RoomState,
): Decision {
  const seat = findSeatByNumber(state.seats, body.seatNo);
  // Race (MIC-11, MIC-28, TST-8): the timer of a session meets what came after it.
  //   1. Session 1 sits on seat 1; a timer for (seat 1, session 1, deadline d1) is set.
  //   2. The user confirms; or goes down; or goes down and up again (session 2, deadline d2).
  //   3. The timer fires. Seat, session, state and deadline are compared, each on its own: a moved
  //      session keeps its id and gets a new deadline, so the session alone would not do.
  // Test: "a publish timeout does nothing when its … differs".
  const occupancy = seat?.occupancy ?? null;
  if (occupancy === null || !isStillDue(body, occupancy, nowMs)) return noEffect();

  const held = { seat: assertDefined(seat, 'an occupancy without a seat'), occupancy };
  const down = micDownOf(held, 'publish_timeout', nowMs);
  return applied([down], { seatNo: down.seatNo, micSessionId: down.micSessionId });
}

function isStillDue(body: ExpireMicPublish, occupancy: MicOccupancy, nowMs: number): boolean {
  return (
    occupancy.micSessionId === body.micSessionId &&
    occupancy.state === 'pending_publish' &&
    occupancy.publishDeadlineMs === body.publishDeadlineMs &&
    nowMs >= occupancy.publishDeadlineMs
  );
}
