/** Writes the table of a page anew; the words around it stay as people wrote them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../src/main/project-root.ts';

/**
 * Replaces the page's first table; `page` is its path in the project. Throws when there is none to
 * replace.
 */
export async function rewriteTable(page: string, table: string): Promise<void> {
  const file = join(projectRoot(), page);
  const text = readFileSync(file, 'utf8');
  const old = /^\| .*\n(?:\|.*\n)*/m.exec(text);
  if (old === null) throw new Error(`${page} has no table`);
  const behind = text.slice(old.index + old[0].length);
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(`${text.slice(0, old.index)}${table}\n${behind}`, options));
}
