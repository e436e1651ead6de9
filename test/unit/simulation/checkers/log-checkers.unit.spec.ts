/** Judges of the log, before doctored runs. */
import { describe } from 'vitest';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import { answeredCommands } from '../../../simulation/checkers/answered-commands.ts';
import { uniqueRows } from '../../../simulation/checkers/unique-rows.ts';
import { versionChain } from '../../../simulation/checkers/version-chain.ts';
import {
  after,
  both,
  codec,
  editRow,
  isAnswerTo,
  isRowOf,
  itSees,
  observed,
  resultWith,
  withRow,
} from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

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

function rowOf(all: readonly Entry[], commandId: string): LogRow {
  const entry = all.find(
    (each) => each.kind === 'row' && each.table === 'log' && isRowOf(commandId)(each.row as LogRow),
  );
  return (entry as { row: LogRow }).row;
}

function okOf(seen: { readonly end: object }): { readonly roomVersion: bigint } {
  return (seen.end as { readonly result: { readonly roomVersion: bigint } }).result;
}
