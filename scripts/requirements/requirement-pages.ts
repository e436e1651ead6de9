/**
 * Reads `docs/requirements.md` and the pages it names: which requirements there are, where each is
 * built and what proves it. The list of requirements lives nowhere else, so both the entry page and
 * the heading of a section say how many there are: a row that was deleted is missed.
 */

/** What a row says about the proof of its requirement. */
export type Proof =
  /** Files whose titles carry the id. */
  | { readonly kind: 'tests'; readonly files: readonly string[] }
  /** Not built yet: the words name the piece of work that brings it. */
  | { readonly kind: 'later'; readonly words: string }
  /** Nothing that could be tested, or built otherwise on purpose: the words say why. */
  | { readonly kind: 'stated'; readonly words: string }
  /** Neither: the row is at fault. */
  | { readonly kind: 'none' };

/** One row. */
export interface Requirement {
  readonly id: string;
  readonly inShort: string;
  /** Files or folders, from the project's root. */
  readonly sources: readonly string[];
  readonly proof: Proof;
}

/** One heading `## PIPE: write commands (17)` with the rows under it. */
export interface RequirementSection {
  readonly page: string;
  readonly prefix: string;
  readonly count: number;
  readonly rows: readonly Requirement[];
}

/** One row of the entry page's table: a prefix, its count and the page that has its section. */
export interface ListedSection {
  readonly prefix: string;
  readonly count: number;
  readonly page: string;
}

const HEADING = /^## ([A-Z]+): .* \((\d+)\)$/;
const LISTED = /^\| ([A-Z]+) \| (\d+) \| .*\]\((requirements\/[a-z-]+\.md)\) \|$/;
const ROW = /^\| ([A-Z]+-\d+) \|/;

/** The sections that the entry page lists; `page` is relative to `docs`. */
export function listedSections(entryPage: string): ListedSection[] {
  return entryPage.split('\n').flatMap((line) => {
    const [, prefix, count, page] = LISTED.exec(line) ?? [];
    if (prefix === undefined || count === undefined || page === undefined) return [];
    return [{ prefix, count: Number(count), page }];
  });
}

/** The sections of one page, in their order. A row above the first heading is in none. */
export function readSections(page: string, text: string): RequirementSection[] {
  const sections: (RequirementSection & { readonly rows: Requirement[] })[] = [];
  for (const line of text.split('\n')) {
    const [, prefix, count] = HEADING.exec(line) ?? [];
    if (prefix !== undefined) sections.push({ page, prefix, count: Number(count), rows: [] });
    else if (ROW.test(line)) sections.at(-1)?.rows.push(readRow(line));
  }
  return sections;
}

function readRow(line: string): Requirement {
  const [, id = '', inShort = '', sources = '', proof = ''] = line
    .split('|')
    .map((cell) => cell.trim());
  return { id, inShort, sources: pathsIn(sources), proof: readProof(proof) };
}

function readProof(cell: string): Proof {
  if (cell.startsWith('comes with ')) return { kind: 'later', words: cell };
  if (cell.startsWith('no test: ')) return { kind: 'stated', words: cell };
  const files = pathsIn(cell);
  return files.length === 0 ? { kind: 'none' } : { kind: 'tests', files };
}

function pathsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}
