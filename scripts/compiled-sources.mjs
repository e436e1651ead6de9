/**
 * `dist`, kept equal to the sources that tsconfig.build.json includes: the compiler runs only when
 * one of them was changed, added or removed since, or when what decides about its output was.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Beside the sources these decide what the compiler writes; the lock file names its version. */
const SETTINGS = ['tsconfig.build.json', 'tsconfig.json', 'package.json', 'package-lock.json'];

/**
 * Runs `compile` when `dist` is not what the present sources give. It answers whether it wrote all
 * without a fault; what it does otherwise is compiled again next time, and so is what was cut short.
 *
 * The record lies where tsconfig.build.json has the compiler's own, so whoever wrote `dist` last
 * replaced it: after `npm run build` nobody here believes that `dist` is still the older sources'.
 *
 * @param {string} root Folder of the project.
 * @param {() => Promise<boolean>} compile
 */
export async function compileIfChanged(root, compile) {
  const record = join(root, 'dist', '.tsbuildinfo');
  const sources = listSources(root);
  // Taken before the compiler reads them: a source that is changed meanwhile is compiled next time.
  const wanted = `${JSON.stringify({ sourcesSha256: fingerprintOf(root, sources) })}\n`;
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return;
  rmSync(record, { force: true });
  if (!(await compile())) return;
  removeOrphans(root, sources);
  writeFileSync(record, wanted);
}

/** Paths from the root, in one order. */
function listSources(root) {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  return include.flatMap((folder) => listFiles(root, folder, /\.ts$/)).sort();
}

function listFiles(root, folder, ending) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function fingerprintOf(root, sources) {
  const hash = createHash('sha256');
  for (const path of [...SETTINGS, ...sources]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** A removed source must not live on as a program; whoever still imports it is to fail. */
function removeOrphans(root, sources) {
  const expected = new Set(sources.map((path) => join('dist', path.replace(/\.ts$/, '.js'))));
  for (const path of listFiles(root, 'dist', /\.js(\.map)?$/)) {
    if (!expected.has(path.replace(/\.map$/, ''))) rmSync(join(root, path));
  }
}
