/** Judges of what managers, timers and the RTC service do to a room, before doctored runs. */
import { describe } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { CheckerFactory } from '../../../simulation/checkers/checker.ts';
import { sessionIdOf } from '../../../simulation/checkers/derived.ts';
import { presence } from '../../../simulation/checkers/presence.ts';
import { rememberedRefusals } from '../../../simulation/checkers/remembered-refusals.ts';
import { seats } from '../../../simulation/checkers/seats.ts';
import { sweptUsers } from '../../../simulation/checkers/swept-users.ts';
import type { SentCall } from '../../../simulation/observations.ts';
import { both, editRow, isRowOf, itSees, logs, observed, rowWith, withRow } from './doctoring.ts';
import type { Entry } from './recorded-run.ts';
import { as, left, up } from './room-events.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

type Edit = (list: readonly Entry[]) => readonly Entry[];

const sees = (
  checker: CheckerFactory,
  invariant: string,
  title: string,
  entries: Edit,
  words: RegExp,
): void => itSees(title, checker, run, { entries }, invariant, words);

const session = sessionIdOf('app1', 'r3', 'up1');

const moved = (fromSeatNo: number, toSeatNo: number, micSessionId = session): RoomEvent => ({
  type: 'RoomMicSeatChanged',
  userId: as('u2'),
  fromSeatNo,
  toSeatNo,
  micSessionId: as(micSessionId),
  publishDeadlineMs: 1,
});

const staleLeft = (...userIds: readonly string[]): RoomEvent => ({
  type: 'RoomUsersStaleLeft',
  userIds: userIds.map((userId) => as(userId)),
});

describe('INV-26: a seat of a managed room', () => {
  const inv26 = sees.bind(null, seats, 'INV-26');
  inv26(
    'is empty while it is locked',
    logs('move', [moved(1, 3)], 'r3'),
    /u2 moved to seat 3, which was not free[^]*u2 sits on seat 3, which is locked/,
  );
  inv26(
    'is one that the room has, for who moves',
    logs('move', [moved(1, 77)], 'r3'),
    /u2 moved to seat 77, which the room lacks/,
  );
  inv26(
    'does not go away under its holder',
    logs('apply', [{ type: 'RoomSeatCountChanged', byUserId: as('u1'), seatCount: 1 }], 'r3'),
    /seat 2 went away under u2/,
  );
  inv26(
    'is asked for only by who is there and sits nowhere',
    both(logs('ask', [asked('u9')], 'r3'), logs('fewer', [asked('u1'), up('u1', 1)], 'r3')),
    /u9 asks for the mic and is absent/,
  );
});

describe('INV-27: a session that moves', () => {
  sees(
    seats,
    'INV-27',
    'is the one that sits there',
    logs('move', [moved(1, 2, 'another')], 'r3'),
    /session another of u2 moved from seat 1, where .* sat/,
  );
});

describe('INV-27: an RTC event', () => {
  const inv27 = sees.bind(null, seats, 'INV-27');
  inv27(
    'changes a seat only when it is newer than what is known of the session',
    rowWith('p1', { commandType: 'ApplyRtcEvent' }),
    /an RTC event of 0 ms about u1 changed the seat, where session .* sat/,
  );
  inv27(
    'changes nobody else',
    both(rowWith('name-1', { commandType: 'ApplyRtcEvent' }), logs('name-1', [left('u3')])),
    /an RTC event of 0 ms about u1 changed RoomUserLeft/,
  );
});

describe('INV-28: a ban', () => {
  const inv28 = sees.bind(null, presence, 'INV-28');
  inv28(
    'keeps its user out',
    logs('fewer', [kicked('u3')], 'r3'),
    /fewer .*: u3 is in the room and banned from it/,
  );
  inv28(
    'ends by its time and not before',
    (list) => logs(idOf(list, 'ExpireBans'), [endOfBan('u3')], 'r3')(kickedForEver(list)),
    /the ban of u3 ends by its time at \d+ ms, and that is 0/,
  );
});

describe('INV-29: who was silent', () => {
  const inv29 = sees.bind(null, presence, 'INV-29');
  inv29(
    'was in the room',
    logs('fewer', [staleLeft('u9')], 'r3'),
    /u9 left as stale without being in the room/,
  );
  inv29(
    'leaves once',
    logs('fewer', [staleLeft('u3', 'u3')], 'r3'),
    /u3 left as stale without being in the room/,
  );
});

describe('INV-29: the rows by which a user is found', () => {
  const inv29 = sees.bind(null, presence, 'INV-29');
  const row = { appCode: 'app1', roomId: 'r3', userId: 'u9', joinedAtMs: 1 };
  inv29('name nobody else', withRow('userRooms', 'extra', row), /u9 since 1/);
  inv29(
    'name everybody who is there',
    (list) => list.filter((entry) => entry.kind !== 'row' || entry.table !== 'userRooms'),
    /user_rooms holds , and the log leaves u1 since \d+/,
  );
});

describe('INV-40: a wrong password', () => {
  const inv40 = sees.bind(null, rememberedRefusals, 'INV-40');
  inv40(
    'is counted',
    (list) => editRow('log', isRowOf(idOf(list, 'NotePasswordAttempt'), 'r3'), () => null)(list),
    /one transaction refuses 1 wrong passwords of u2 and counts 0/,
  );
  inv40(
    'is the only thing that is counted',
    editRow('log', isRowOf('j2', 'r3'), () => null),
    /one transaction refuses 0 wrong passwords of u2 and counts 1/,
  );
});

describe('INV-41: who is taken out for silence', () => {
  const staleAfterMs = 10_000;
  const sweep = logs('fewer', [staleLeft('u3')], 'r3');
  const seesSweep = (title: string, entries: Edit, words: RegExp): void =>
    itSees(
      title,
      sweptUsers,
      run,
      { entries, world: { presenceStaleAfterMs: staleAfterMs } },
      'INV-41',
      words,
    );
  seesSweep(
    'was not heard within the time of silence',
    (list) => heardBefore(sweep(list)),
    /takes u3 out for its silence, and a heartbeat of \d+ ms was answered at \d+ ms/,
  );
  seesSweep(
    'did not join within it',
    logs('j4', [joined('u3'), staleLeft('u3')], 'r3'),
    /takes u3 out for its silence, who joined at \d+ ms/,
  );
});

function asked(user: string): RoomEvent {
  return {
    type: 'RoomMicRequested',
    kind: 'apply',
    userId: as(user),
    byUserId: as(user),
    seatNo: 0,
    expiresAtMs: 1,
  };
}

function kicked(user: string): RoomEvent {
  const by = { byUserId: as<never>('u1'), reason: 'rude', expiresAtMs: 0 };
  return { type: 'RoomUserKicked', userId: as(user), ...by };
}

function endOfBan(user: string): RoomEvent {
  return {
    type: 'RoomUserUnbanned',
    userId: as(user),
    byUserId: as('system'),
    reason: 'expired',
  };
}

function joined(user: string): RoomEvent {
  return {
    type: 'RoomUserJoined',
    userId: as(user),
    profile: { nickname: 'x', avatarUrl: '', countryCode: '', ext: '' },
    isRobot: false,
  };
}

/** The kick has no end, and is of somebody who stays banned. */
function kickedForEver(list: readonly Entry[]): readonly Entry[] {
  return logs('kick', [left('u3'), kicked('u3')], 'r3')(list);
}

/** Command id of the first row of a type. */
function idOf(list: readonly Entry[], type: string): string {
  for (const entry of list) {
    if (entry.kind !== 'row' || entry.table !== 'log') continue;
    const row = entry.row as { readonly commandType: string; readonly commandId: string };
    if (row.commandType === type) return row.commandId;
  }
  throw new Error(`the run has no ${type}`);
}

/** A heartbeat of u3, answered before the sweep's node committed for the last time before it. */
function heardBefore(list: readonly Entry[]): readonly Entry[] {
  const row = list.findIndex(
    (entry) =>
      entry.kind === 'row' &&
      entry.table === 'log' &&
      (entry.row as { readonly commandId: string }).commandId.startsWith('sys:ban-expiry'),
  );
  const atMsOf = (entry: Entry): number =>
    entry.kind === 'observed' ? entry.observation.atMs : -Infinity;
  const commitMs = Math.max(...list.slice(0, row).map(atMsOf));
  // Other commits may share its time: the heartbeat is answered before all of them.
  const at = list.findIndex((entry) => atMsOf(entry) === commitMs);
  const atMs = Math.max(...list.slice(0, at).map(atMsOf));
  const call: SentCall = {
    callId: 5_000,
    client: 'client-u3',
    gateway: 'gateway-1',
    sentAtMs: atMs,
    ask: {
      kind: 'heartbeat',
      meta: {
        appCode: 'app1',
        roomId: 'r3',
        commandId: '',
        actorUserId: 'u3',
        clientTimeMs: 0n,
        snapshotMode: '',
      },
    },
  };
  const heard = observed({ kind: 'answered', atMs, call, end: { kind: 'heartbeatTaken' } });
  return [...list.slice(0, at), heard, ...list.slice(at)];
}
