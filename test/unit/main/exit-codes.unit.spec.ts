/** `docs/operations.md` explains every exit code. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exitCodes } from '../../../src/main/exit-codes.ts';

it('docs/operations.md has a row for every exit code, and only for those', () => {
  const rows = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (\d+) +\|/gm)];
  expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});
