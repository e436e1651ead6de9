/**
 * `npm run mutation`: changes src/domain in one small way after another and lets the domain's own
 * specs look for the change; docs/mutation.md tells how to read what comes out.
 *
 *   npm run mutation                 all of src/domain; writes the table of docs/mutation.md
 *   npm run mutation -- mic gift     these folders of it; the page stays as it is
 *
 * Exit code 1: fewer than 85 % of the changes were noticed, or the specs fail without any.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../src/main/project-root.ts';
import { runNode } from './checks.ts';
import { folderScores, scoreTableMarkdown, type MutationReport } from './mutation-scores.ts';
import { rewriteTable } from './rewrite-table.ts';

const tool = 'tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
const settings = 'tools/mutation/stryker.config.mjs';
const reportFile = join(projectRoot(), '.roomcell', 'mutation', 'report.json');

process.exitCode = await main(process.argv.slice(2));

async function main(folders: readonly string[]): Promise<number> {
  const unknown = folders.filter((name) => !existsSync(join(projectRoot(), 'src/domain', name)));
  if (unknown.length > 0) {
    console.error(`mutation: src/domain has no folder ${unknown.join(', ')}`);
    return 2;
  }
  const installed = await runNode(['scripts/install-mutation-tool.mjs']);
  if (installed !== 0) return installed;
  rmSync(reportFile, { force: true });
  const part = folders.map((name) => `src/domain/${name}/**/*.ts`).join(',');
  const code = await runNode([tool, 'run', settings, ...(part === '' ? [] : ['--mutate', part])]);
  // Without a report no mutant ran: the tool has said why.
  if (!existsSync(reportFile)) return code === 0 ? 1 : code;
  const scores = folderScores(JSON.parse(readFileSync(reportFile, 'utf8')) as MutationReport);
  const table = scoreTableMarkdown(scores, new Date().toISOString().slice(0, 10));
  console.log(table);
  if (folders.length === 0) await rewriteTable('docs/mutation.md', table);
  return code;
}
