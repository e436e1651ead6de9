/**
 * Writes the tables of `docs/configuration.md`, `docs/events.md` and `docs/metrics.md` anew from the
 * source:
 * `node scripts/bootstrap.mjs write-doc-tables`. Tests say when it is time.
 */
import { metricTableMarkdown } from '../src/drivers/prometheus/metric-docs.ts';
import { keyTableMarkdown } from '../src/main/config/key-table.ts';
import { eventTableMarkdown } from './event-table.ts';
import { rewriteTable } from './rewrite-table.ts';

const tables: Readonly<Record<string, string>> = {
  'docs/configuration.md': keyTableMarkdown(),
  'docs/events.md': eventTableMarkdown(),
  'docs/metrics.md': metricTableMarkdown(),
};
for (const [page, table] of Object.entries(tables)) {
  await rewriteTable(page, table);
  console.log(`${page} written`);
}
