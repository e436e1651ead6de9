/**
 * What is wrong with the pages of requirements by themselves and beside the tree: rows that are
 * missing or twice, files that are not there, proofs that no title carries. Each fault is a sentence.
 */
import type { ListedSection, Requirement, RequirementSection } from './requirement-pages.ts';

/** The tree, as far as the pages speak of it. */
export interface ProjectTree {
  /** Whether a file or folder is there, by its path from the root. */
  readonly exists: (path: string) => boolean;
  /** Ids carried by the titles of each test file, by its path from the root. */
  readonly titleIds: ReadonlyMap<string, readonly string[]>;
}

/** Of the invariants, whose list is in docs/reliability.md. */
const OTHER_PREFIXES = ['INV'];

/** One sentence per fault; empty when the pages are true of the tree, as far as can be seen unrun. */
export function pageFaults(
  listed: readonly ListedSection[],
  sections: readonly RequirementSection[],
  tree: ProjectTree,
): string[] {
  const rows = sections.flatMap((section) => section.rows);
  return [
    ...listFaults(listed, sections),
    ...sections.flatMap(sectionFaults),
    ...rows.flatMap((row) => rowFaults(row, tree)),
    ...titleFaults(rows, tree),
  ];
}

function listFaults(
  listed: readonly ListedSection[],
  sections: readonly RequirementSection[],
): string[] {
  const faults = listed.flatMap(({ prefix, count, page }) => {
    const found = sections.filter((section) => section.prefix === prefix);
    const [first] = found;
    if (first === undefined) return [`${prefix}: listed, but ${page} has no section of it`];
    if (found.length > 1) return [`${prefix}: has ${found.length} sections`];
    if (first.page !== page) return [`${prefix}: is on ${first.page} and not on ${page}`];
    if (first.count === count) return [];
    return [`${prefix}: ${count} are listed, its heading says ${first.count}`];
  });
  const names = listed.map(({ prefix }) => prefix);
  const unlisted = sections.filter(({ prefix }) => !names.includes(prefix));
  return [...faults, ...unlisted.map(({ prefix }) => `${prefix}: its section is not listed`)];
}

/** The rows of a section are its numbers from 1 to its count, each once, in order. */
function sectionFaults({ prefix, count, rows }: RequirementSection): string[] {
  const expected = Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
  const found = rows.map(({ id }) => id);
  const missing = expected.filter((id) => !found.includes(id));
  const foreign = found.filter((id) => !expected.includes(id));
  const doubled = found.filter((id, index) => found.indexOf(id) !== index);
  const faults = [
    ...missing.map((id) => `${id}: has no row`),
    ...foreign.map((id) => `${id}: is none of ${prefix}-1 to ${prefix}-${count}`),
    ...doubled.map((id) => `${id}: has more than one row`),
  ];
  if (faults.length > 0) return faults;
  const stray = found.find((id, index) => id !== expected[index]);
  return stray === undefined ? [] : [`${stray}: is not in its place`];
}

function rowFaults({ id, inShort, sources, proof }: Requirement, tree: ProjectTree): string[] {
  const absent = sources.filter((path) => !tree.exists(path)).map((path) => `${id}: no ${path}`);
  const words = inShort === '' ? [`${id}: says nothing`] : [];
  switch (proof.kind) {
    case 'none':
      return [...words, ...absent, `${id}: names neither a test nor what brings it`];
    case 'later':
    case 'stated':
      return [...words, ...absent];
    case 'tests':
      return [
        ...words,
        ...absent,
        ...(sources.length === 0 ? [`${id}: is proven, but names no source`] : []),
        ...proof.files.flatMap((file) => proofFault(id, file, tree)),
      ];
  }
}

function proofFault(id: string, file: string, tree: ProjectTree): string[] {
  const ids = tree.titleIds.get(file);
  if (ids === undefined) return [`${id}: no test file ${file}`];
  return ids.includes(id) ? [] : [`${id}: no title in ${file} carries it`];
}

/** An id in a title that no page knows, or that a page says is not built yet. */
function titleFaults(rows: readonly Requirement[], tree: ProjectTree): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...tree.titleIds].flatMap(([file, ids]) =>
    [...new Set(ids)].flatMap((id) => {
      if (OTHER_PREFIXES.includes(id.split('-')[0] ?? '')) return [];
      const row = byId.get(id);
      if (row === undefined) return [`${id}: in a title of ${file}, and on no page`];
      if (row.proof.kind === 'tests' || row.proof.kind === 'none') return [];
      return [`${id}: in a title of ${file}, but its row names no test`];
    }),
  );
}
