/**
 * Tells from the arguments of `npm test` whether a selected test needs the stack. When in doubt it
 * says yes: a stack too much costs seconds, one too few fails every test.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of test (the suffix of the file) that need the stack. */
export const STACK_KINDS = ['contract', 'int', 'e2e'] as const;

/** The selection that vitest understood from its arguments. */
export interface TestSelection {
  /** Values of `--project`; empty means all. */
  readonly projects: readonly string[];
  /** Parts of file names; empty means all. */
  readonly fileFilters: readonly string[];
}

/** Arguments that leave these kinds out of any selection, for a machine without servers. */
export const withoutStackKinds: readonly string[] = STACK_KINDS.map(
  (kind) => `--exclude=**/*.${kind}.spec.ts`,
);

/** True when `selection` may run a test that needs the stack; `files` are those that exist. */
export function needsStack(selection: TestSelection, files: readonly string[]): boolean {
  return STACK_KINDS.some((kind) => {
    if (!isProjectSelected(kind, selection.projects)) return false;
    const ofKind = files.filter((file) => file.endsWith(`.${kind}.spec.ts`));
    return ofKind.some((file) => isFileSelected(file, selection.fileFilters));
  });
}

/** As vitest reads them: any pattern may select, and `!name` selects all others. */
function isProjectSelected(name: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matches(name, pattern));
}

function matches(name: string, pattern: string): boolean {
  if (pattern.startsWith('!')) return !matches(name, pattern.slice(1));
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, 'i').test(name);
}

function isFileSelected(file: string, filters: readonly string[]): boolean {
  if (filters.length === 0) return true;
  // A filter may be absolute, start with ./ or end with a line number.
  return filters.some((filter) => {
    const plain = filter.replace(/^\.\//, '').replace(/:\d+$/, '');
    return file.includes(plain) || plain.includes(file);
  });
}

/** Spec files under test/, relative to `root`, with forward slashes. */
export function specFiles(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.spec.ts'));
}
