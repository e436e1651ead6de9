/** The table of metrics, its page and the source say the same. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricTableMarkdown } from '../../../../src/drivers/prometheus/metric-docs.ts';
import { metricTable } from '../../../../src/drivers/prometheus/metric-table.ts';
import { projectFiles } from '../../../support/source-files.ts';

/** A use on the port: the method and the literal name. */
const use = /\.(count|gauge|observeMs)\(\s*'([a-z0-9_]+)'/g;
const kindsOf: Record<string, readonly string[]> = {
  count: ['counter'],
  gauge: ['gauge'],
  observeMs: ['duration', 'size'],
};

const uses = projectFiles()
  .filter(({ path }) => path.startsWith('src/'))
  .flatMap(({ path, text }) =>
    [...text.matchAll(use)].map(([, method = '', name = '']) => ({
      path,
      method,
      name: name.replace(/^roomcell_/, ''),
    })),
  );

describe('metrics', () => {
  it('are all in the table, with the kind that the source uses', () => {
    const wrong = uses.filter(
      ({ method, name }) => !kindsOf[method]?.includes(metricTable[name]?.kind ?? ''),
    );
    expect(wrong).toEqual([]);
  });

  it('in the table are all in use', () => {
    const used = new Set(uses.map(({ name }) => name));
    expect(Object.keys(metricTable).filter((name) => !used.has(name))).toEqual([]);
  });

  it('are listed in docs/metrics.md as in the table', () => {
    expect(rowsIn(readFileSync('docs/metrics.md', 'utf8'))).toEqual(rowsIn(metricTableMarkdown()));
  });
});

/** The rows without the padding that a formatter adds. */
function rowsIn(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replace(/\s+/g, ' '));
}
