/** ExpireMicHeartbeat: a session whose heartbeats ceased (MIC-19, MIC-29, decision 27). */
import { describe, expect, it } from 'vitest';
import type { MicSessionId } from '../../../../src/domain/ids.ts';
import { changeSeat, expireHeartbeat, micDown, micUp } from '../../../support/command-builders.ts';
import { given, stepMs } from '../../../support/decider-spec.ts';
import {
  alice,
  closing,
  created,
  joined,
  on,
  owner,
  publishing,
  session,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const history = [
  created(),
  joined(alice),
  wentUp(on(2, alice, 3), 90_000_000),
  publishing(on(2, alice, 3)),
] as const;
const room = given(...history);
const micStaleBeforeMs = 5_000_000;

/** The system's facts when the session was last heard at `lastMs`; null: never. */
function heard(lastMs: number | null, micSessionId: MicSessionId = session(3)) {
  const entries = lastMs === null ? [] : [[micSessionId, lastMs] as const];
  const heartbeats = { micStaleBeforeMs, lastMicHeartbeatMs: new Map(entries) };
  return { role: 'system', by: owner, heartbeats } as const;
}
const silent = heard(micStaleBeforeMs - 1);

describe('When a session that used to send heartbeats is silent', () => {
  it('its seat is freed, the user stays, and the time on the seat counts from its start (MIC-19, MIC-29)', () => {
    const { state } = room
      .when(expireHeartbeat(2, session(3)), silent)
      .thenApplied([wentDown(on(2, alice, 3), 'mic_stale', 2 * stepMs)], {
        seatNo: 2,
        micSessionId: session(3),
      });
    expect(state.users.has(alice)).toBe(true);
  });

  it('a pending session is freed alike, and so is one in a closing room', () => {
    given(...history.slice(0, 3))
      .when(expireHeartbeat(2, session(3)), silent)
      .room();
    given(...history, closing(9_000_000))
      .when(expireHeartbeat(2, session(3)), silent)
      .room();
  });
});

describe('When it was heard in time', () => {
  it('nothing happens, to the millisecond', () => {
    room.when(expireHeartbeat(2, session(3)), heard(micStaleBeforeMs)).thenNoEffect();
  });

  it('nothing happens to a session that never sent one', () => {
    room.when(expireHeartbeat(2, session(3)), heard(null)).thenNoEffect();
  });
});

describe('When what was looked at is over', () => {
  it.each([
    ['another seat', expireHeartbeat(1, session(3))],
    ['a seat that is not there', expireHeartbeat(9, session(3))],
    ['another session', expireHeartbeat(2, session(1))],
  ])('%s is left alone', (_what, body) => {
    room.when(body, silent).thenNoEffect();
    room.when(body, heard(1, body.micSessionId)).thenNoEffect();
  });

  it('so is a session that has moved, ended, or given way to another', () => {
    const due = expireHeartbeat(2, session(3));
    room.after(changeSeat(1)).when(due, silent).thenNoEffect();
    room.after(micDown()).when(due, silent).thenNoEffect();
    room
      .after(micDown())
      .after(micUp(2), { micSessionId: session(9) })
      .when(due, silent)
      .thenNoEffect();
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    room
      .when(expireHeartbeat(2, session(3)), { ...silent, role })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });
});
