/** The judge of the copied room list, before doctored runs. */
import { describe, expect, it } from 'vitest';
import { copiedList } from '../../../simulation/checkers/copied-list.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { itSees, observed } from './doctoring.ts';
import { judged, type Doctoring } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

const inv46 = (title: string, doctoring: Doctoring, words: string | RegExp): void =>
  itSees(title, copiedList, run, doctoring, 'INV-46', words);

const found = (doctoring: Doctoring): readonly string[] =>
  judged([copiedList], run(), doctoring).map(({ text }) => text);

/** Behind everything a process takes a stamp, and copies r1 under it. */
function copiedAtEnd(life = 'one'): (list: readonly Entry[]) => readonly Entry[] {
  const stamp = `${life}.7`;
  return (list) => [
    ...list,
    observed({ kind: 'stampAsked', atMs: 0, appCode: 'app1', call: 1 }),
    observed({ kind: 'stamped', atMs: 0, call: 1, stamp }),
    observed({ kind: 'listCopied', atMs: 0, appCode: 'app1', stamp, roomIds: ['r1'] }),
  ];
}

/** The same stamp, taken before anything was stored. */
const copiedUnderOldStamp = (list: readonly Entry[]): readonly Entry[] => [
  observed({ kind: 'stampAsked', atMs: 0, appCode: 'app1', call: 1 }),
  observed({ kind: 'stamped', atMs: 0, call: 1, stamp: 'one.7' }),
  ...list,
  observed({ kind: 'listCopied', atMs: 0, appCode: 'app1', stamp: 'one.7', roomIds: ['r1'] }),
];

/** What the list's row of r1 was, the first time and the last. */
function rowsOfRoom(): { readonly first: object; readonly last: object } {
  const rows = run().flatMap((entry) =>
    entry.kind === 'row' && entry.table === 'listEntries' && entry.key === 'app1\0r1'
      ? [entry.row as object]
      : [],
  );
  return { first: rows[0] ?? {}, last: rows.at(-1) ?? {} };
}

/** A copy of one life in which r1 is shown like that. */
const copyWith = (entry: () => object): Partial<CheckedWorld> => ({
  listCopy: () => ({ life: 'one', rooms: new Map([['r1', { entry: entry() }]]) }),
});

describe('INV-46: the copied list', () => {
  inv46(
    'shows nothing that MySQL never had',
    {
      world: copyWith(() => ({ ...rowsOfRoom().last, title: 'another' })),
      entries: copiedAtEnd(),
    },
    /the copied list shows .*"title":"another".*, which MySQL never had/,
  );
  inv46(
    'shows no room as it was before the stamp of its copy',
    { world: copyWith(() => rowsOfRoom().first), entries: copiedAtEnd() },
    /, which is state 1 of (\d+), and state \1 was copied/,
  );
  inv46(
    'shows a room that was copied',
    { world: { listCopy: () => ({ life: 'one', rooms: new Map() }) }, entries: copiedAtEnd() },
    /the copied list shows null at 0 ms, which is state 0 of/,
  );
  it('may show what its stamp has seen', () => {
    const doctoring = { world: copyWith(() => rowsOfRoom().last), entries: copiedAtEnd() };
    expect(found(doctoring)).toEqual([]);
  });
  it('may show what was there after an old stamp', () => {
    const world = copyWith(() => rowsOfRoom().first);
    expect(found({ world, entries: copiedUnderOldStamp })).toEqual([]);
  });
  it('begins anew with a flush', () => {
    const world = copyWith(() => rowsOfRoom().first);
    expect(found({ world, entries: copiedAtEnd('another') })).toEqual([]);
  });
});
