/** Where the program's own files lie (migrations, configuration), from the sources and from dist/. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!isProjectRoot(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json of roomcell above ${import.meta.url}`);
    folder = parent;
  }
  return folder;
}

function isProjectRoot(folder: string): boolean {
  const file = join(folder, 'package.json');
  return existsSync(file) && /"name":\s*"roomcell"/.test(readFileSync(file, 'utf8'));
}
