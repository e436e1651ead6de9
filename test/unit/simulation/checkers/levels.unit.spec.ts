/** The judge of what may be written in the midst of an upgrade, before doctored runs. */
import { describe, expect, it } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import { levels } from '../../../simulation/checkers/levels.ts';
import { rememberedRefusals } from '../../../simulation/checkers/remembered-refusals.ts';
import { both, editRow, isRowOf, itSees, logs } from './doctoring.ts';
import { judged } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { as } from './room-events.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

type Edit = (list: readonly Entry[]) => readonly Entry[];

/** The deployment is at that level from the start. */
const at =
  (level: number): Edit =>
  (list) => [{ kind: 'row', table: 'schemaLevel', key: 'level', row: level }, ...list];

const inv43 = (title: string, entries: Edit, words: RegExp): void =>
  itSees(title, levels, run, { entries }, 'INV-43', words);

const closing: RoomEvent = {
  type: 'RoomClosing',
  closedByUserId: as('u1'),
  closedByKind: 'owner',
  reason: '',
  note: '',
  closesAtMs: 1,
};

describe('INV-43: below the newest level', () => {
  inv43(
    'no command of a later release is written',
    at(1),
    /g1 is a SendGift, and the deployment is at level 1/,
  );
  inv43(
    'no event of a later release is written',
    both(logs('x1', [closing], 'r2'), at(2)),
    /x1 wrote RoomClosing, and the deployment is at level 2/,
  );
  inv43(
    'no event is written for a reason that came later',
    both(logs('leave-u4', [{ type: 'RoomUserLeft', userId: as('u4'), reason: 'evicted' }]), at(2)),
    /leave-u4 wrote RoomUserLeft, and the deployment is at level 2/,
  );
  it('a wrong password need not be counted', () => {
    const isNote = (entry: Entry): boolean =>
      entry.kind === 'row' &&
      entry.table === 'log' &&
      (entry.row as { commandType: string }).commandType === 'NotePasswordAttempt';
    const without: Edit = (list) => list.filter((entry) => !isNote(entry));
    const entries = both(without, at(2));
    expect(judged([rememberedRefusals], run(), { entries: without })).not.toEqual([]);
    expect(judged([rememberedRefusals], run(), { entries })).toEqual([]);
    // And nothing else is: a count without a refusal stays one too many.
    const lost = both(
      editRow('log', isRowOf('j2', 'r3'), () => null),
      at(2),
    );
    expect(judged([rememberedRefusals], run(), { entries: lost })).not.toEqual([]);
  });
});
