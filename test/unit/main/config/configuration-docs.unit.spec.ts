/** `docs/configuration.md` says what the schema says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keyTable, keyTableMarkdown } from '../../../../src/main/config/key-table.ts';

const page = readFileSync('docs/configuration.md', 'utf8');

/** The cells of each table row, without the padding that a formatter adds. */
function rowsIn(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replace(/\s+/g, ' '));
}

it('docs/configuration.md lists every key with its kind, default and meaning', () => {
  expect(rowsIn(page)).toEqual(rowsIn(keyTableMarkdown()));
});

it('every key says what it means in a full sentence', () => {
  for (const row of keyTable())
    expect(row.about, row.key).toMatch(/^[A-Z].*[.:]?.*\.$|^[a-z].*\.$/s);
});
