/** A run of the real cell in which nothing goes wrong, before every judge. */
import { beforeAll, describe, expect, it } from 'vitest';
import { allCheckers } from '../../../simulation/checkers/all-checkers.ts';
import { healthyRun } from './healthy-run.ts';
import { judged } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';

let entries: readonly Entry[];

beforeAll(async () => {
  entries = await healthyRun();
});

describe('a healthy run', () => {
  it('has something to judge in every table', () => {
    const tables = new Set(entries.map((entry) => (entry.kind === 'row' ? entry.table : '')));
    expect([...tables].sort()).toEqual([
      '',
      'events',
      'giftStats',
      'listEntries',
      'log',
      'outbox',
      'owners',
      'rooms',
      'settled',
      'settlements',
      'snapshots',
    ]);
  });

  it('breaks no invariant', () => {
    expect(judged(allCheckers, entries)).toEqual([]);
  });
});
