/**
 * The project's own source files, read once for the tidy test.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDERS = ['src', 'scripts', 'test', 'bench'];
const GENERATED = /^src\/drivers\/grpc\/generated\//;

/** A file's path from the project's root, with forward slashes, and what is in it. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every .ts, .mjs and .md file of the source folders, without generated ones. */
export function projectFiles(): SourceFile[] {
  const paths = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  );
  return paths
    .filter((path) => /\.(ts|mjs|md)$/.test(path) && !GENERATED.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** True for files that hold code. */
export function isCode({ path }: SourceFile): boolean {
  return /\.(ts|mjs)$/.test(path);
}
