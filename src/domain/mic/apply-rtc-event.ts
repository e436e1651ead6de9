/**
 * ApplyRtcEvent: what the RTC service saw of a user's audio (MIC-6, MIC-8, PRES-15). A callback names
 * no session and comes late, twice, and out of order; its own time says which session it is about
 * and whether something newer is known (MIC-12, MIC-26, decision 20).
 */
import type { DecideFacts, Decision, ResultFields } from '../room/decision.ts';
import type { RoomCommand } from '../room/commands.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { ApplyRtcEvent } from './mic-commands.ts';
import { micDownOf } from './mic-down-event.ts';
import type { RoomMicPublishing, RoomMicRtcNoted } from './mic-events.ts';
import { findSeatByUser } from './seats.ts';
import type { HeldSeat } from './seats.ts';

/** Decides ApplyRtcEvent for every room that exists. The actor is the user whom it is about. */
export function decideApplyRtcEvent(
  body: ApplyRtcEvent,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  if (command.actorRole !== 'rtc') {
    return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
  }
  const held = findSeatByUser(state.seats, command.actorUserId);
  // Race (MIC-14, TST-9): an old exit meets the session of a new stay.
  //   1. The user leaves the room; RTC sends room_exited, which is delayed.
  //   2. The user joins again and sits down with session 2.
  //   3. The exit arrives: its time is before the start of session 2, so it is about an older one.
  //   Test: "an RTC exit of an earlier stay leaves the new session untouched".
  if (held === null || !isNews(body, held, facts)) return noEffect();

  const result = { seatNo: held.seat.seatNo, micSessionId: held.occupancy.micSessionId };
  switch (body.kind) {
    case 'audio_started':
      return audioStarted(body, held, result);
    case 'audio_stopped':
      return audioStopped(body, held, facts, result);
    case 'room_exited':
      // Only the seat: the user may still be on the room's page and come back (PRES-15).
      return applied([micDownOf(held, 'rtc_exited', facts.nowMs)], result);
  }
}

/**
 * Later than every RTC event known of the session, and not before its start. Only a start gets an
 * allowance for the clocks: taken for too old it would cost a user the seat, while a stop taken for
 * new would. An event without a time (0) is never news, as no time known is below 0.
 */
function isNews({ kind, eventTimeMs }: ApplyRtcEvent, held: HeldSeat, facts: DecideFacts): boolean {
  const { lastPublishEventTimeMs, sessionStartedAtMs } = held.occupancy;
  const allowanceMs = kind === 'audio_started' ? facts.times.rtcClockSkewMs : 0;
  return eventTimeMs > lastPublishEventTimeMs && eventTimeMs >= sessionStartedAtMs - allowanceMs;
}

function audioStarted(body: ApplyRtcEvent, held: HeldSeat, result: ResultFields): Decision {
  if (held.occupancy.state === 'publishing') return noted(body, held, result);
  const publishing: RoomMicPublishing = {
    type: 'RoomMicPublishing',
    ...placeOf(held),
    publishEventTimeMs: body.eventTimeMs,
  };
  return applied([publishing], result);
}

/** A pending seat is freed by its deadline and not by this (MIC-27); the time is kept all the same. */
function audioStopped(
  body: ApplyRtcEvent,
  held: HeldSeat,
  facts: DecideFacts,
  result: ResultFields,
): Decision {
  if (held.occupancy.state === 'pending_publish') return noted(body, held, result);
  return applied([micDownOf(held, 'audio_stopped', facts.nowMs)], result);
}

function noted(body: ApplyRtcEvent, held: HeldSeat, result: ResultFields): Decision {
  const event: RoomMicRtcNoted = {
    type: 'RoomMicRtcNoted',
    ...placeOf(held),
    publishEventTimeMs: body.eventTimeMs,
  };
  return applied([event], result);
}

function placeOf({
  seat,
  occupancy,
}: HeldSeat): Pick<RoomMicPublishing, 'userId' | 'seatNo' | 'micSessionId'> {
  const { userId, micSessionId } = occupancy;
  return { userId, seatNo: seat.seatNo, micSessionId };
}
