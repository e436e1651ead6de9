/**
 * Races of mic sessions, as orders of commands in one room: the room's queue makes every race an
 * order, so that each test is one order that must come out right (TST-8, TST-9, MIC-11, MIC-14).
 */
import { describe, expect, it } from 'vitest';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import type { GivenRoom, WhenOptions } from '../../../support/decider-spec.ts';
import { given, publishTimeoutMs } from '../../../support/decider-spec.ts';
import {
  confirm,
  expire,
  joinRoom,
  leaveRoom,
  micDown,
  micUp,
} from '../../../support/command-builders.ts';
import {
  alice,
  asSession,
  created,
  joined,
  owner,
  profileOf,
} from '../../../support/room-builders.ts';

const first = asSession('first');
const second = asSession('second');

/** What a client, a manager and a timer may still say about the first session. */
function lateWords(firstDeadlineMs: number): readonly (readonly [CommandBody, WhenOptions])[] {
  const atMs = firstDeadlineMs + 3_600_000;
  return [
    [confirm(first), { atMs }],
    [micDown({ micSessionId: first }), { atMs }],
    [micDown({ micSessionId: first, userId: alice }), { atMs, by: owner }],
    [expire(1, first, firstDeadlineMs), { atMs, role: 'system' }],
  ];
}

function expectUntouched(room: GivenRoom, firstDeadlineMs: number): void {
  const words = lateWords(firstDeadlineMs);
  for (const [body, options] of words) {
    const outcome = room.when(body, options);
    expect(outcome.decision.kind).not.toBe('applied');
    expect(outcome.state.seats[0]?.occupancy?.micSessionId).toBe(second);
  }
}

describe('late words about session 1 leave session 2 untouched', () => {
  const seated = given(created(), joined(alice)).after(micUp(1), { micSessionId: first });
  const firstDeadlineMs = seated.state.lastEventAtMs + publishTimeoutMs;

  it('after MicDown and MicUp on the same seat, pending or publishing (TST-8, MIC-11)', () => {
    const again = seated.after(micDown()).after(micUp(1), { micSessionId: second });
    expectUntouched(again, firstDeadlineMs);
    expectUntouched(again.after(confirm(second)), firstDeadlineMs);
  });

  it('after the first session published and ended (TST-8)', () => {
    const again = seated
      .after(confirm(first))
      .after(micDown({ micSessionId: first }))
      .after(micUp(1), { micSessionId: second });
    expectUntouched(again, firstDeadlineMs);
  });

  it('after the first session timed out and the user sat down again (MIC-28)', () => {
    const again = seated
      .after(expire(1, first, firstDeadlineMs), { role: 'system', atMs: firstDeadlineMs })
      .after(micUp(1), { micSessionId: second });
    expectUntouched(again, firstDeadlineMs);
  });

  it('after LeaveRoom, JoinRoom and MicUp: the new stay keeps its seat (TST-9)', () => {
    const again = seated
      .after(leaveRoom)
      .after(joinRoom(profileOf('alice')))
      .after(micUp(1), { micSessionId: second });
    expectUntouched(again, firstDeadlineMs);
    const stay = again.state.users.get(alice)?.joinedAtVersion;
    const began = again.state.seats[0]?.occupancy?.sessionRoomVersion;
    // The two marks by which an old RTC exit is told from the new stay (MIC-12, MIC-14).
    expect([stay, began]).toEqual([5n, 6n]);
  });

  it('after another user took the seat that the first session had left', () => {
    const taken = given(created(), joined(alice), joined(owner))
      .after(micUp(1), { micSessionId: first })
      .after(micDown())
      .after(micUp(1), { by: owner, micSessionId: second });
    expectUntouched(taken, taken.state.lastEventAtMs);
  });
});

describe('one order of a confirmation and its timeout', () => {
  const seated = given(created(), joined(alice)).after(micUp(1), { micSessionId: first });
  const deadlineMs = seated.state.lastEventAtMs + publishTimeoutMs;
  const timeout = expire(1, first, deadlineMs);
  const late = { role: 'system', atMs: deadlineMs + 10 } as const;

  it('confirmed first: the timeout finds a publishing session and does nothing', () => {
    seated
      .after(confirm(first), { atMs: deadlineMs + 5 })
      .when(timeout, late)
      .thenNoEffect();
  });

  it('timed out first: the confirmation is told that the user sits on no seat', () => {
    seated
      .after(timeout, late)
      .when(confirm(first), { atMs: deadlineMs + 20 })
      .thenRejected('NOT_ON_SEAT', { user_id: alice });
  });
});
