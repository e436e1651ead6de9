/** Judges of presence and of the walls between apps, before doctored runs. */
import { describe } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { EventRow } from '../../../../src/ports/commit-lane.ts';
import { appsApart } from '../../../simulation/checkers/apps-apart.ts';
import type { CheckerFactory } from '../../../simulation/checkers/checker.ts';
import { presence } from '../../../simulation/checkers/presence.ts';
import {
  both,
  codec,
  editObserved,
  editRow,
  isAnswerTo,
  isAt,
  isRowOf,
  itSees,
  logs,
  observed,
  withRow,
} from './doctoring.ts';
import { as, left, up } from './room-events.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

const joined = (user: string): RoomEvent => ({
  type: 'RoomUserJoined',
  userId: as(user),
  profile: { nickname: 'x', avatarUrl: '', countryCode: '', ext: '' },
  isRobot: false,
});

const sees = (
  checker: CheckerFactory,
  invariant: string,
  title: string,
  edit: (list: readonly Entry[]) => readonly Entry[],
  words: string | RegExp,
): void => itSees(title, checker, run, { entries: edit }, invariant, words);

describe('INV-28: a closed room', () => {
  const inv28 = sees.bind(null, presence, 'INV-28');
  inv28(
    'holds nobody',
    logs('x1', [closed(1)], 'r2'),
    /x1 \(CloseRoom\): the closed room holds u1/,
  );
  inv28(
    'takes no event',
    editRow('log', isRowOf('j2', 'r2'), (row) => ({
      ...row,
      outcome: 'applied',
      appliedVersion: 5n as never,
      events: codec.encodeLoggedEvents([joined('u2')]),
    })),
    /j2 \(JoinRoom\): RoomUserJoined happened in a closed room/,
  );
  inv28(
    'refuses who comes',
    editRow('log', isRowOf('j2', 'r2'), (row) => ({ ...row, outcome: 'no_effect' })),
    'j2 (JoinRoom) of u2 ended no_effect in a closed room',
  );
  inv28(
    'is shown as closed',
    viewOf('x1', 'r2', { status: 'active' }),
    /is active at version 4, and the log makes closed/,
  );
});

describe('INV-29: a count', () => {
  const inv29 = sees.bind(null, presence, 'INV-29');
  inv29(
    'does not grow by who was there',
    logs('name-1', [joined('u1')]),
    'u1 joined and was in the room',
  );
  inv29(
    'does not shrink by who was not there',
    logs('name-1', [left('u9')]),
    'RoomUserLeft of u9, who was not in the room',
  );
  inv29(
    'in the rooms row and the list is the size of the set',
    logs('name-1', [joined('u9')]),
    /2 are online by the rooms row, 2 by the list, and 3 are in the room/,
  );
  inv29(
    'in the last words is the size of the set',
    logs('x1', [closed(7)], 'r2'),
    'it closed with 7 online, and 1 were in the room',
  );
  inv29(
    'in a view is the size of the set',
    viewOf('g3', 'r1', { counts: { online: 9, onSeat: 1, robots: 0 } }),
    /counts 9 online and 1 on seats at version 10, and the log makes 3 and 1/,
  );
});

describe('INV-29: a count at the end', () => {
  itSees(
    'is in the rooms row what the log leaves',
    presence,
    run,
    {
      beforeEnd: ({ database }) =>
        database.rooms.forEach((row, key) => database.rooms.set(key, { ...row, onlineCount: 9 })),
    },
    'INV-29',
    '9 are online by the rooms row, and the log leaves 2 in the room',
  );
});

describe('INV-30: two apps with the same room id', () => {
  const inv30 = sees.bind(null, appsApart, 'INV-30');
  inv30(
    'share no mic session',
    both(logs('join-u2', [up('u1', 1, 'shared')]), (list) => inApp2(list, [up('u1', 1, 'shared')])),
    'the mic session shared is of app1 and of app2',
  );
  inv30('share no event', (list) => eventOfBoth(list), /the event .* is of app2 and of app1/);
  inv30(
    'share no row of sums, room or log',
    (list) => withRow('giftStats', 'app2\0r1\0u9', statsOf(list))(list),
    'a row of sums of app1/r1/u1 lies under app2/r1/u9',
  );
  itSees(
    'share no debit key',
    appsApart,
    run,
    {
      beforeEnd: ({ database, wallet }) => {
        const [row] = database.settlements.values();
        const key = wallet.ledger.keys().find(({ appCode }) => appCode === 'app2')?.key;
        if (row === undefined || key === undefined) throw new Error('no key to doctor');
        database.settlements.set(key, { ...row, debitKey: key });
      },
    },
    'INV-30',
    /the debit key \w{64} is of app1 and of app2/,
  );
});

function closed(finalOnlineCount: number): RoomEvent {
  const by = { closedByUserId: as<never>('u1'), closedByKind: 'owner' as const };
  return { type: 'RoomClosed', ...by, reason: '', note: '', finalOnlineCount, finalHeat: 0n };
}

function viewOf(
  commandId: string,
  room: string,
  fields: object,
): (list: readonly Entry[]) => readonly Entry[] {
  return editObserved('answered', isAnswerTo(commandId, room), (seen) => {
    if (seen.end.kind !== 'ok' || seen.end.view === null) throw new Error('no view');
    return [observed({ ...seen, end: { ...seen.end, view: { ...seen.end.view, ...fields } } })];
  });
}

/** The join of u2 in app2 takes a seat; the event row of the same commit goes first. */
function inApp2(list: readonly Entry[], events: readonly RoomEvent[]): readonly Entry[] {
  return editRow('log', isRowOf('join-u2', 'r1', 'app2'), (row) => ({
    ...row,
    events: codec.encodeLoggedEvents(events),
  }))(list);
}

/** An event of app2 that app1 has too. */
function eventOfBoth(list: readonly Entry[]): readonly Entry[] {
  const entry = list.find(
    (each) =>
      each.kind === 'row' &&
      each.table === 'events' &&
      isAt(2n, 'r1', 'app2')(each.row as EventRow),
  ) as Extract<Entry, { kind: 'row' }>;
  return withRow('events', entry.key, { ...(entry.row as EventRow), appCode: 'app1' })(list);
}

function statsOf(list: readonly Entry[]): unknown {
  const entry = list.find(
    (each) => each.kind === 'row' && each.table === 'giftStats' && each.key === 'app1\0r1\0u1',
  );
  return (entry as { row: unknown }).row;
}
