/**
 * Writes the tables of `docs/configuration.md`, `docs/events.md` and `docs/metrics.md` anew from the
 * source:
 * `node scripts/bootstrap.mjs write-doc-tables`. Tests say when it is time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { metricTableMarkdown } from '../src/drivers/prometheus/metric-docs.ts';
import { keyTableMarkdown } from '../src/main/config/key-table.ts';
import { projectRoot } from '../src/main/project-root.ts';
import { eventTableMarkdown } from './event-table.ts';

await rewriteTable('docs/configuration.md', keyTableMarkdown());
await rewriteTable('docs/events.md', eventTableMarkdown());
await rewriteTable('docs/metrics.md', metricTableMarkdown());

/** Replaces the page's only table, which ends the page. */
async function rewriteTable(page: string, table: string): Promise<void> {
  const file = join(projectRoot(), page);
  const text = readFileSync(file, 'utf8');
  const at = text.search(/^\| /m);
  if (at < 0) throw new Error(`${page} has no table`);
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(`${text.slice(0, at)}${table}\n`, options));
  console.log(`${page} written`);
}
