/** Cases that once broke a promise: each stays what it was, whatever the generators do by now. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge } from './batch/seed-summary.ts';
import type { StoredCase } from './plan/sim-case.ts';

const folder = new URL('./cases/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('stored cases', () => {
  it('are there', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  for (const name of files) {
    it(`${name} breaks no promise any more`, async () => {
      const stored = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as StoredCase;
      const { violations } = await judge(stored);
      expect(violations.map(({ invariant, text }) => `${invariant}: ${text}`)).toEqual([]);
    });
  }
});
