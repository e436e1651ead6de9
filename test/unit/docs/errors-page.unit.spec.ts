/** docs/errors.md and the catalogue say the same, in both directions. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { rejectReasons, requestReasons, retryReasons } from '../../../src/domain/reasons.ts';
import type { ReasonRow } from '../../../src/domain/reasons.ts';

const pagePath = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url));

/** What the catalogue implies for the id of the next try. */
function idForNextTry(reason: string, memory: ReasonRow['memory']): string {
  if (memory === 'sticky') return 'new';
  if (memory === 'free') return 'same';
  return reason === 'COMMAND_ID_REUSED' ? 'new' : 'either';
}

function rowsOfPage(): Record<string, string[]> {
  const rows: Record<string, string[]> = {};
  for (const line of readFileSync(pagePath, 'utf8').split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    const reason = /^`([A-Z_]+)`$/.exec(cells[1] ?? '')?.[1];
    if (reason !== undefined) rows[reason] = cells.slice(2, 7);
  }
  return rows;
}

test('the errors page has exactly the rows of the catalogue', () => {
  const catalogue: Readonly<Record<string, ReasonRow>> = {
    ...rejectReasons,
    ...retryReasons,
    ...requestReasons,
  };
  const expected = Object.fromEntries(
    Object.entries(catalogue).map(([reason, { status, memory, sentence, advice }]) => [
      reason,
      [status, memory, idForNextTry(reason, memory), sentence, advice],
    ]),
  );
  expect(rowsOfPage()).toEqual(expected);
});
