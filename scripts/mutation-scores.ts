/** What the report of a mutation run says about each folder of the domain. */

/** As much of the tool's report as is read here: each file's mutants and how each ended. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { status: string }[] }>>;
}

/** The mutants of one folder; `scorePercent` is null when it has none that were tried. */
export interface FolderScore {
  readonly folder: string;
  readonly noticed: number;
  /** Of those that were tried. */
  readonly total: number;
  /** By the settings of the run. */
  readonly leftOut: number;
  readonly scorePercent: number | null;
}

interface Counts {
  noticed: number;
  total: number;
  leftOut: number;
}

/** A mutant that never ends is noticed as well as one that a test fails on. */
const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];
const ROOT = 'src/domain/';

/**
 * One row per folder of src/domain, in order, the files beside the folders as `(files)`, and the sum
 * as the last, named `all`. Mutants that could not run, or were
 * left out, are not in the score, as in the tool's own.
 */
export function folderScores(report: MutationReport): readonly FolderScore[] {
  const counts = new Map<string, Counts>();
  for (const [path, { mutants }] of Object.entries(report.files)) {
    const inside = path.slice(path.indexOf(ROOT) + ROOT.length).split('/');
    const folder = inside.length > 1 ? (inside[0] ?? '') : '(files)';
    const count = counts.get(folder) ?? { noticed: 0, total: 0, leftOut: 0 };
    for (const { status } of mutants) {
      if (NOTICED.includes(status)) count.noticed += 1;
      if (NOTICED.includes(status) || UNNOTICED.includes(status)) count.total += 1;
      if (status === 'Ignored') count.leftOut += 1;
    }
    counts.set(folder, count);
  }
  const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  const sum = (pick: keyof Counts) => rows.reduce((all, [, row]) => all + row[pick], 0);
  const all = { noticed: sum('noticed'), total: sum('total'), leftOut: sum('leftOut') };
  return [...rows.map(([folder, row]) => scoreOf(folder, row)), scoreOf('all', all)];
}

/** The table of docs/mutation.md; `day` is when it was measured, as `2026-11-30`. */
export function scoreTableMarkdown(scores: readonly FolderScore[], day: string): string {
  const rows = scores.map(
    ({ folder, noticed, total, leftOut, scorePercent }) =>
      `| ${folder === 'all' ? `all, on ${day}` : folder} | ${total} | ${noticed} | ` +
      `${scorePercent === null ? '' : scorePercent.toFixed(2)} | ${leftOut} |`,
  );
  const head = '| Folder | Mutants | Noticed | Score, % | Left out |\n|---|---|---|---|---|';
  return `${head}\n${rows.join('\n')}`;
}

function scoreOf(folder: string, { noticed, total, leftOut }: Counts): FolderScore {
  const scorePercent = total === 0 ? null : (noticed / total) * 100;
  return { folder, noticed, total, leftOut, scorePercent };
}
