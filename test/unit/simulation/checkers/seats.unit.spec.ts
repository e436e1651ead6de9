/** The judge of seats, before doctored runs. */
import { describe } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { CheckerFactory } from '../../../simulation/checkers/checker.ts';
import { sessionIdOf } from '../../../simulation/checkers/derived.ts';
import { seats } from '../../../simulation/checkers/seats.ts';
import { both, itSees, logs } from './doctoring.ts';
import { as, left, up } from './room-events.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

const down = (user: string, seatNo: number, session: string): RoomEvent => ({
  type: 'RoomMicDown',
  userId: as(user),
  seatNo,
  micSessionId: as(session),
  reason: 'mic_down',
  onMicMs: 0,
});

const sees = (
  checker: CheckerFactory,
  invariant: string,
  title: string,
  edit: (list: readonly Entry[]) => readonly Entry[],
  words: string | RegExp,
): void => itSees(title, checker, run, { entries: edit }, invariant, words);

describe('INV-26: a seat', () => {
  const inv26 = sees.bind(null, seats, 'INV-26');
  inv26(
    'holds one user',
    logs('name-1', [up('u2', 1)]),
    /name-1 .* u2 took seat 1, on which u1 sat/,
  );
  inv26(
    'is one that the room has',
    logs('name-1', [up('u2', 99)]),
    /u2 took seat 99, which the room lacks/,
  );
  inv26(
    'is the only one of its user',
    logs('name-1', [up('u1', 3)]),
    /u1 sits on the seats 1 and 3/,
  );
  inv26(
    'is held by somebody present',
    logs('name-1', [left('u1')]),
    /u1 sits on seat 1 and is not in the room/,
  );
});

describe('INV-27: a mic session', () => {
  const inv27 = sees.bind(null, seats, 'INV-27');
  inv27(
    'that is older changes nothing',
    logs('name-1', [down('u1', 1, 'older')]),
    /RoomMicDown speaks of u1 on seat 1 in session older, and u1 sits there in session/,
  );
  inv27(
    'that has ended changes nothing',
    logs('name-1', [down('u2', 2, 'older')]),
    /RoomMicDown speaks of u2 on seat 2 in session older, and nobody sits there/,
  );
  inv27(
    'begins with the command that makes it',
    logs('m2', [up('u2', 2, 'again')]),
    /u2 began the session again on seat 2, and m2 makes .*: a session is used again/,
  );
  inv27(
    'that a command names is the one that it changes',
    (list) => confirmedAnother(list),
    /ConfirmMicPublishing named session .* and changed another by RoomMicPublishing/,
  );
});

describe('INV-27: an event of a mic session', () => {
  const publishing = (publishEventTimeMs: number): RoomEvent => ({
    type: 'RoomMicPublishing',
    userId: as('u1'),
    seatNo: 1,
    micSessionId: as(sessionIdOf('app1', 'r1', 'm1')),
    publishEventTimeMs,
  });
  sees(
    seats,
    'INV-27',
    'is not older than what was heard before',
    both(logs('name-1', [publishing(5)]), logs('name-2', [publishing(5)])),
    /is of 5 ms, and 5 ms had been heard/,
  );
});

function confirmedAnother(list: readonly Entry[]): readonly Entry[] {
  const publishing: RoomEvent = {
    type: 'RoomMicPublishing',
    userId: as('u1'),
    seatNo: 1,
    micSessionId: as('another'),
    publishEventTimeMs: 0,
  };
  return logs('p1', [publishing])(list);
}
