/** A run of the real cell in which nothing goes wrong, before every judge. */
import { describe, expect, it } from 'vitest';
import { allCheckers } from '../../../simulation/checkers/all-checkers.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import { judged } from './judged-run.ts';

const run = useHealthyRun();

describe('a healthy run', () => {
  it('has something to judge in every table', () => {
    const tables = new Set(run().map((entry) => (entry.kind === 'row' ? entry.table : '')));
    expect([...tables].sort()).toEqual([
      '',
      'events',
      'giftStats',
      'listEntries',
      'log',
      'outbox',
      'owners',
      'roomDays',
      'roomWeeks',
      'rooms',
      'settled',
      'settlements',
      'snapshots',
      'userRooms',
      'userWeeks',
    ]);
  });

  it('breaks no invariant', () => {
    expect(judged(allCheckers, run())).toEqual([]);
  });
});
