/** The healthy run for the tests of one file. */
import { beforeAll } from 'vitest';
import { healthyRun } from './healthy-run.ts';
import type { Entry } from './recorded-run.ts';

/** Records it before the first test; the answer gives it from then on. */
export function useHealthyRun(): () => readonly Entry[] {
  let entries: readonly Entry[] = [];
  beforeAll(async () => {
    entries = await healthyRun();
  });
  return () => entries;
}
