/** ExpireMicPublish, the publish timeout (MIC-7, MIC-13, MIC-28). */
import { describe, expect, it } from 'vitest';
import { given, timeOf } from '../../../support/decider-spec.ts';
import { closeRoom, expire, leaveRoom, micDown } from '../../../support/command-builders.ts';
import {
  alice,
  created,
  joined,
  on,
  owner,
  publishing,
  session,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const deadlineMs = timeOf(3) + 15_000;
const history = [created(), joined(alice), wentUp(on(2, alice, 3), deadlineMs)] as const;
const room = given(...history);
const due = expire(2, session(3), deadlineMs);
const bySystem = { role: 'system', by: owner, atMs: deadlineMs } as const;

describe('When active and the session is pending', () => {
  it('a publish timeout frees the seat at its deadline and leaves the user present (MIC-7, MIC-13, CMD-17)', () => {
    const outcome = room
      .when(due, bySystem)
      .thenApplied([wentDown(on(2, alice, 3), 'publish_timeout', 15_000)], {
        seatNo: 2,
        micSessionId: session(3),
      });
    expect(outcome.state.seats[1]?.occupancy).toBeNull();
    expect(outcome.state.users.has(alice)).toBe(true);
  });

  it('a publish timeout does nothing one millisecond before the deadline', () => {
    room.when(due, { ...bySystem, atMs: deadlineMs - 1 }).thenNoEffect();
  });

  it.each([
    ['seat', expire(1, session(3), deadlineMs)],
    ['seat number', expire(9, session(3), deadlineMs)],
    ['session', expire(2, session(1), deadlineMs)],
    ['deadline (older)', expire(2, session(3), deadlineMs - 1)],
    ['deadline (newer)', expire(2, session(3), deadlineMs + 1)],
  ])('a publish timeout does nothing when its %s differs (MIC-28, MIC-11)', (_name, command) => {
    room.when(command, { ...bySystem, atMs: deadlineMs + 60_000 }).thenNoEffect();
  });

  it.each(['user', 'service', 'operator'] as const)('role %s cannot send it', (role) => {
    room
      .when(due, { ...bySystem, role })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: owner });
  });
});

describe('When what the timeout was set for is over', () => {
  it('a publish timeout does nothing when its state differs: the session publishes', () => {
    const confirmed = given(...history, publishing(on(2, alice, 3)));
    confirmed.when(due, bySystem).thenNoEffect();
    // Even one that names the 0 which stands for "no deadline" while publishing.
    confirmed.when(expire(2, session(3), 0), bySystem).thenNoEffect();
  });

  it('a second run of the same timeout does nothing', () => {
    room
      .after(due, bySystem)
      .when(due, { ...bySystem, atMs: deadlineMs + 1 })
      .thenNoEffect();
  });

  it('a publish timeout does nothing after MicDown, LeaveRoom or CloseRoom', () => {
    room.after(micDown()).when(due, bySystem).thenNoEffect();
    room.after(leaveRoom).when(due, bySystem).thenNoEffect();
    room.after(closeRoom(), { by: owner }).when(due, bySystem).thenNoEffect();
  });
});
