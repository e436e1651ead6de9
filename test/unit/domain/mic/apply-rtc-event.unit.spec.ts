/** ApplyRtcEvent (MIC-6, MIC-8, MIC-12, MIC-14, MIC-26, MIC-27, PRES-15, RTC-5, decision 20). */
import { describe, expect, it } from 'vitest';
import type { RtcEventKind } from '../../../../src/domain/mic/mic-commands.ts';
import {
  changeSeat,
  confirm,
  joinRoom,
  leaveRoom,
  micDown,
  micUp,
  rtcEvent,
} from '../../../support/command-builders.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  closing,
  created,
  joined,
  on,
  profileOf,
  publishing,
  rtcNoted,
  session,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const farMs = 90_000_000;
const skewMs = 2_000;
const startedMs = timeOf(3);
const history = [created(), joined(alice), wentUp(on(2, alice, 3), farMs)] as const;
const pending = given(...history);
const seenMs = startedMs + 500;
const live = given(...history, publishing(on(2, alice, 3), seenMs));
const byRtc = { role: 'rtc' } as const;
const result = { seatNo: 2, micSessionId: session(3) };
const kinds: readonly RtcEventKind[] = ['audio_started', 'audio_stopped', 'room_exited'];

describe('When the session is pending', () => {
  it('audio_started makes it publishing and keeps its time (MIC-6, MIC-12, CMD-15)', () => {
    const { state } = pending
      .when(rtcEvent('audio_started', startedMs + 9), byRtc)
      .thenApplied([publishing(on(2, alice, 3), startedMs + 9)], result);
    expect(state.seats[1]?.occupancy).toMatchObject({
      state: 'publishing',
      publishDeadlineMs: 0,
      lastPublishEventTimeMs: startedMs + 9,
    });
  });

  it('audio_stopped does not free the seat; only its time is kept (MIC-27)', () => {
    const { state } = pending
      .when(rtcEvent('audio_stopped', startedMs + 9), byRtc)
      .thenApplied([rtcNoted(on(2, alice, 3), startedMs + 9)], result);
    expect(state.seats[1]?.occupancy).toMatchObject({
      state: 'pending_publish',
      publishDeadlineMs: farMs,
      lastPublishEventTimeMs: startedMs + 9,
    });
  });

  it('a start that is older than a stop already seen is old', () => {
    pending
      .after(rtcEvent('audio_stopped', startedMs + 9), byRtc)
      .when(rtcEvent('audio_started', startedMs + 8), byRtc)
      .thenNoEffect();
  });

  it('room_exited frees the seat and leaves the user present (PRES-15, MIC-21, PRES-1, CMD-15)', () => {
    const { state } = pending
      .when(rtcEvent('room_exited', startedMs + 9), byRtc)
      .thenApplied([wentDown(on(2, alice, 3), 'rtc_exited', 1_000)], result);
    expect(state.users.has(alice)).toBe(true);
    expect(state.seats[1]?.occupancy).toBeNull();
  });
});

describe('When the session is publishing', () => {
  it('audio_started again is noted and nothing more', () => {
    const { state } = live
      .when(rtcEvent('audio_started', seenMs + 1), byRtc)
      .thenApplied([rtcNoted(on(2, alice, 3), seenMs + 1)], result);
    expect(state.seats[1]?.occupancy).toMatchObject({
      state: 'publishing',
      publishDeadlineMs: 0,
      lastPublishEventTimeMs: seenMs + 1,
    });
  });

  it('audio_stopped frees the seat and leaves the user present (MIC-8)', () => {
    const { state } = live
      .when(rtcEvent('audio_stopped', seenMs + 1), byRtc)
      .thenApplied([wentDown(on(2, alice, 3), 'audio_stopped', 2_000)], result);
    expect(state.users.has(alice)).toBe(true);
  });

  it('room_exited frees the seat', () => {
    live
      .when(rtcEvent('room_exited', seenMs + 1), byRtc)
      .thenApplied([wentDown(on(2, alice, 3), 'rtc_exited', 2_000)], result);
  });

  it.each(kinds)(
    '%s of the time last seen, or of an older one, is dropped (TST-10, MIC-12, MIC-26)',
    (kind) => {
      for (const eventTimeMs of [seenMs, seenMs - 1, startedMs]) {
        live.when(rtcEvent(kind, eventTimeMs), byRtc).thenNoEffect();
      }
    },
  );

  it('audio_stopped with an older time than the last audio_started is ignored (TST-10)', () => {
    live
      .after(rtcEvent('audio_started', seenMs + 10), byRtc)
      .when(rtcEvent('audio_stopped', seenMs + 9), byRtc)
      .thenNoEffect();
  });

  it('a session that a client confirmed knows no RTC time yet and takes the first', () => {
    pending
      .after(confirm(session(3)))
      .when(rtcEvent('audio_stopped', startedMs), byRtc)
      .thenApplied([wentDown(on(2, alice, 3), 'audio_stopped', 2_000)]);
  });
});

describe('When the clocks of the RTC service and of the room differ (decision 20)', () => {
  it('audio_started may be as much before the session’s start as the allowance says (MIC-26)', () => {
    pending
      .when(rtcEvent('audio_started', startedMs - skewMs), byRtc)
      .thenApplied([publishing(on(2, alice, 3), startedMs - skewMs)]);
    pending.when(rtcEvent('audio_started', startedMs - skewMs - 1), byRtc).thenNoEffect();
  });

  it('the allowance is the configured one', () => {
    const times = { rtcClockSkewMs: 10 };
    pending.when(rtcEvent('audio_started', startedMs - 10), { ...byRtc, times }).room();
    pending.when(rtcEvent('audio_started', startedMs - 11), { ...byRtc, times }).thenNoEffect();
  });

  it.each(['audio_stopped', 'room_exited'] as const)('%s gets no allowance', (kind) => {
    pending.when(rtcEvent(kind, startedMs), byRtc).room();
    pending.when(rtcEvent(kind, startedMs - 1), byRtc).thenNoEffect();
  });

  it.each(kinds)(
    '%s without a time is dropped, even where every time would do (MIC-26)',
    (kind) => {
      const times = { rtcClockSkewMs: Number.MAX_SAFE_INTEGER };
      for (const eventTimeMs of [0, -1]) {
        pending.when(rtcEvent(kind, eventTimeMs), { ...byRtc, times }).thenNoEffect();
      }
    },
  );
});

describe('When a late RTC event meets another session', () => {
  it.each([
    ['a leave and a new join (TST-9)', [leaveRoom, joinRoom(profileOf('alice'))]],
    ['a MicDown alone (TST-8)', [micDown()]],
  ] as const)(
    'an RTC exit of an earlier stay leaves the new session untouched: after %s (MIC-14, MIC-12, RTC-5)',
    (_what, between) => {
      let room = live;
      for (const body of between) room = room.after(body);
      const second = room.after(micUp(2), { micSessionId: session(9) });
      const leftMs = live.nextMs + 10;
      for (const kind of ['room_exited', 'audio_stopped'] as const) {
        for (const state of [second, second.after(confirm(session(9)))]) {
          const outcome = state.when(rtcEvent(kind, leftMs), byRtc).thenNoEffect();
          expect(outcome.state.seats[1]?.occupancy?.micSessionId).toBe(session(9));
        }
      }
      second.when(rtcEvent('audio_started', seenMs), byRtc).thenNoEffect();
    },
  );

  it('a session that moved to another seat is still the same one (MIC-9)', () => {
    const moved = live.after(changeSeat(3));
    moved.when(rtcEvent('audio_started', seenMs), byRtc).thenNoEffect();
    moved
      .when(rtcEvent('audio_started', seenMs + 1), byRtc)
      .thenApplied([publishing(on(3, alice, 3), seenMs + 1)]);
    const { state } = moved
      .when(rtcEvent('audio_stopped', seenMs + 1), byRtc)
      .thenApplied([rtcNoted(on(3, alice, 3), seenMs + 1)]);
    expect(state.seats[2]?.occupancy?.userId).toBe(alice);
  });
});

describe('When the user sits nowhere, or the room has ended', () => {
  it.each(kinds)('%s finds nothing to do', (kind) => {
    live.when(rtcEvent(kind, farMs), { ...byRtc, by: bob }).thenNoEffect();
    given(created(), joined(alice)).when(rtcEvent(kind, farMs), byRtc).thenNoEffect();
  });

  it('a closing room still frees a seat', () => {
    given(...history, closing(farMs))
      .when(rtcEvent('room_exited', startedMs + 9), byRtc)
      .thenApplied([wentDown(on(2, alice, 3), 'rtc_exited', 2_000)]);
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'system'] as const)('role %s cannot send it', (role) => {
    for (const kind of kinds) {
      live
        .when(rtcEvent(kind, farMs), { role })
        .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
