/** Judges of the log and of what was answered from it, before doctored runs. */
import { beforeAll, describe } from 'vitest';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import { agreeingTables } from '../../../simulation/checkers/agreeing-tables.ts';
import { answeredCommands } from '../../../simulation/checkers/answered-commands.ts';
import { uniqueRows } from '../../../simulation/checkers/unique-rows.ts';
import { versionChain } from '../../../simulation/checkers/version-chain.ts';
import {
  after,
  both,
  codec,
  editRow,
  isAnswerTo,
  isAt,
  isRowOf,
  itSees,
  observed,
  resultWith,
  withRow,
} from './doctoring.ts';
import { healthyRun } from './healthy-run.ts';
import type { Entry } from './recorded-run.ts';

let entries: readonly Entry[];
const run = (): readonly Entry[] => entries;

beforeAll(async () => {
  entries = await healthyRun();
});

const key = 'app1\0r1\0g1';

describe('INV-1: what was answered OK', () => {
  itSees(
    'has a row at the end, or the judge cries',
    answeredCommands,
    run,
    { beforeEnd: ({ database }) => void database.log.delete(key) },
    'INV-1',
    /g1 was answered applied at version 9 .* it has no row/,
  );
  itSees(
    'has a row with the same result record',
    answeredCommands,
    run,
    {
      entries: editRow('log', isRowOf('g1'), (row) => ({
        ...row,
        result: resultWith(row, { fields: { roomHeat: 1n } }),
      })),
    },
    'INV-1',
    /g1 .* its row says applied/,
  );
  itSees(
    'has a row whose columns say what its result says',
    answeredCommands,
    run,
    { entries: editRow('log', isRowOf('m3'), (row) => ({ ...row, decidedVersion: 77n as never })) },
    'INV-1',
    /rejected at 77 beside a result of rejected \(SEAT_TAKEN\)/,
  );
  itSees(
    'has a row that nobody takes away or writes over, answered or not',
    answeredCommands,
    run,
    { entries: withRow('log', key, undefined) },
    'INV-1',
    /the row of g1 .* is gone/,
  );
});

describe('INV-2: one command id, one version', () => {
  itSees(
    'is stored once',
    uniqueRows,
    run,
    { entries: (list) => withRow('log', `${key}x`, rowOf(list, 'g1'))(list) },
    'INV-2',
    /g1 was stored a second time/,
  );
  itSees(
    'is not written over',
    uniqueRows,
    run,
    { entries: (list) => withRow('log', key, rowOf(list, 'g1'))(list) },
    'INV-2',
    /g1 was stored a second time/,
  );
  itSees(
    'is made once',
    uniqueRows,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, appliedVersion: 9n as never })) },
    'INV-2',
    /version 9 was made twice: by g1 and by g3/,
  );
});

describe('INV-4: all answers to one id', () => {
  itSees(
    'say the same',
    answeredCommands,
    run,
    {
      entries: both(
        after('answered', isAnswerTo('g1'), (seen) => [
          observed({
            ...seen,
            end: { ...seen.end, result: { ...okOf(seen), roomVersion: 8n } } as typeof seen.end,
          }),
        ]),
      ),
    },
    'INV-4',
    /g1 was answered applied at version 9 to call \d+ .* and applied at version 8/,
  );
});

describe('INV-5: versions', () => {
  itSees(
    'leave no gap',
    versionChain,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, appliedVersion: 11n as never })) },
    'INV-5',
    /version 11 by g3 .* follows version 9/,
  );
  itSees(
    'chain over the stored events',
    versionChain,
    run,
    {
      entries: editRow('log', isRowOf('name-1'), (row) => ({
        ...row,
        events: codec.encodeLoggedEvents([
          { type: 'RoomUserLeft', userId: 'u1' as never, reason: 'left' },
        ]),
      })),
    },
    'INV-5',
    /by name-1 .* holds h\(\w{12}…\), and its events after those before it make/,
  );
  itSees(
    'hold events that can be read',
    versionChain,
    run,
    { entries: editRow('log', isRowOf('name-1'), (row) => ({ ...row, events: Buffer.from('?') })) },
    'INV-5',
    'cannot be read',
  );
  itSees(
    'end in the hash of the rooms row',
    versionChain,
    run,
    {
      beforeEnd: ({ database }) =>
        database.rooms.forEach((row, at) =>
          database.rooms.set(at, { ...row, chainHash: Buffer.alloc(32) }),
        ),
    },
    'INV-5',
    /the rooms row ends in h\(000000000000…\)/,
  );
  itSees(
    'have snapshots with the hash of their bytes and the link of their version',
    versionChain,
    run,
    {
      beforeEnd: ({ database }) => {
        database.snapshots.forEach((rows, at) => {
          const damaged = rows.map((row) => ({
            ...row,
            stateHash: Buffer.alloc(32),
            chainHash: Buffer.alloc(32),
          }));
          database.snapshots.set(at, damaged);
        });
      },
    },
    'INV-5',
    /another hash than its bytes have[^]*holds h\(0{12}…\): the log has/,
  );
});

describe('INV-9: log, events, outbox and rooms row', () => {
  const words = (
    what: string | RegExp,
    edit: (list: readonly Entry[]) => readonly Entry[],
    title: string,
  ): void => itSees(title, agreeingTables, run, { entries: edit }, 'INV-9', what);

  words(
    /event 0 of version 9 \(RoomGiftSent by g1\) has no row/,
    editRow('events', isAt(9n), () => null),
    'miss no event',
  );
  words(
    /has 0 outbox rows for activity and must have 1/,
    editRow(
      'outbox',
      (row) => isAt(9n)(row) && row.destination === 'activity',
      () => null,
    ),
    'miss no outbox row',
  );
  words(
    /has 1 outbox rows for rtc and must have 0/,
    (list) => withRtcRow(list),
    'hold no outbox row that the event must not have',
  );
  words(
    /is stored with eventType RoomClosed/,
    editRow('events', isAt(9n), (row) => ({ ...row, eventType: 'RoomClosed' })),
    'agree about types',
  );
  words(
    /left the service as/,
    editRow('events', isAt(9n), (row) => ({ ...row, envelope: envelopeOf(list(), 8n) })),
    'agree about what left the service',
  );
  words(
    /committed without a log row of its version/,
    editRow('log', isRowOf('g1'), () => null),
    'hold no event without its log row',
  );
  words(
    /the rooms row is at version 3 and the log at 4/,
    (all) => withoutRoomRow(all),
    'stand at one version after each commit',
  );
  words(
    /was lost after its commit/,
    (all) => withRow('outbox', 1n, undefined)(all),
    'lose no outbox row',
  );
});

describe('INV-14: no answer leaves', () => {
  itSees(
    'before its command is committed',
    answeredCommands,
    run,
    { entries: (all) => moveAnswerUp(all) },
    'INV-14',
    /was answered applied at version 9 for g1 .* no row of it is committed/,
  );
  itSees(
    'its cell before its command is committed, though its client hears of it later',
    answeredCommands,
    run,
    { entries: (all) => moveReplyUp(all) },
    'INV-14',
    /the reply at offset \d+ carries a result that no committed row has: applied at version 2/,
  );
});

const list = (): readonly Entry[] => entries;

function rowOf(all: readonly Entry[], commandId: string): LogRow {
  const entry = all.find(
    (each) => each.kind === 'row' && each.table === 'log' && isRowOf(commandId)(each.row as LogRow),
  );
  return (entry as { row: LogRow }).row;
}

function okOf(seen: { readonly end: object }): { readonly roomVersion: bigint } {
  return (seen.end as { readonly result: { readonly roomVersion: bigint } }).result;
}

function envelopeOf(all: readonly Entry[], version: bigint): Uint8Array {
  const entry = all.find(
    (each) => each.kind === 'row' && each.table === 'events' && isAt(version)(each.row as never),
  );
  return (entry as { row: { envelope: Uint8Array } }).row.envelope;
}

/** One more row for the event of an outbox row, in the same commit. */
function withRtcRow(all: readonly Entry[]): readonly Entry[] {
  const at = all.findIndex(
    (each) => each.kind === 'row' && each.table === 'outbox' && isAt(9n)(each.row as never),
  );
  const entry = all[at] as Extract<Entry, { kind: 'row' }>;
  const row = { ...(entry.row as object), rowId: 99_999n, destination: 'rtc' };
  return [...all.slice(0, at), { ...entry, key: 99_999n, row }, ...all.slice(at)];
}

/** The fourth commit of the room leaves its rooms row as it was. */
function withoutRoomRow(all: readonly Entry[]): readonly Entry[] {
  const at = all.findIndex(
    (each) =>
      each.kind === 'row' &&
      each.table === 'rooms' &&
      each.key === 'app1\0r1' &&
      (each.row as { version: bigint }).version === 4n,
  );
  return [...all.slice(0, at), ...all.slice(at + 1)];
}

/** The first answer to g1 stands before its row. */
function moveAnswerUp(all: readonly Entry[]): readonly Entry[] {
  const answer = all.find(
    (each) =>
      each.kind === 'observed' &&
      each.observation.kind === 'answered' &&
      isAnswerTo('g1')(each.observation),
  );
  const at = all.findIndex(
    (each) => each.kind === 'row' && each.table === 'log' && isRowOf('g1')(each.row as LogRow),
  );
  if (answer === undefined) throw new Error('no answer to move');
  return [...all.slice(0, at), answer, ...all.slice(at).filter((each) => each !== answer)];
}

/** The second reply stands before the rows that it tells of. */
function moveReplyUp(all: readonly Entry[]): readonly Entry[] {
  const replies = all.filter(
    (each) =>
      each.kind === 'observed' &&
      each.observation.kind === 'appended' &&
      each.observation.topic === 'rig.replies',
  );
  const [first, second] = replies;
  if (first === undefined || second === undefined) throw new Error('no reply to move');
  return all.flatMap((each) => (each === first ? [first, second] : each === second ? [] : [each]));
}
