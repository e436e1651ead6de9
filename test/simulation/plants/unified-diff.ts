/**
 * Reads and applies unified diffs, so that a plant needs neither git nor patch. Strict: every line of
 * context must be there to the letter. Only the place may have moved, when there is but one that fits.
 */

/** The changes of one file. Paths without the `a/` and `b/` of the diff. */
export interface FileDiff {
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

/** A run of lines that becomes another. */
interface Hunk {
  /** Where the old lines stood when the diff was made, from 0. */
  readonly at: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** What stands before the first file of a patch: its description. */
export function headerOf(patch: string): string {
  return patch.slice(0, patch.startsWith('--- ') ? 0 : patch.indexOf('\n--- ') + 1);
}

/** The files that a patch changes. Throws an Error that names the line it cannot read. */
export function readDiff(patch: string): readonly FileDiff[] {
  const lines = patch.slice(headerOf(patch).length).split('\n');
  const files: { path: string; hunks: Hunk[] }[] = [];
  let hunk: { at: number; oldLines: string[]; newLines: string[] } | null = null;
  let missing = { old: 0, new: 0 };
  for (const [index, line] of lines.entries()) {
    if (hunk !== null && missing.old + missing.new > 0) {
      const mark = line.slice(0, 1);
      if (mark !== ' ' && mark !== '-' && mark !== '+') throw unreadable(index, line);
      if (mark !== '+') hunk.oldLines.push(line.slice(1));
      if (mark !== '-') hunk.newLines.push(line.slice(1));
      missing = {
        old: missing.old - (mark === '+' ? 0 : 1),
        new: missing.new - (mark === '-' ? 0 : 1),
      };
      continue;
    }
    if (line === '' || line.startsWith('--- ')) continue;
    if (line.startsWith('+++ b/')) {
      files.push({ path: line.slice('+++ b/'.length), hunks: [] });
      continue;
    }
    const [, at, oldCount = '1', newCount = '1'] =
      /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    const file = files.at(-1);
    if (at === undefined || file === undefined) throw unreadable(index, line);
    hunk = { at: Number(at) - 1, oldLines: [], newLines: [] };
    missing = { old: Number(oldCount), new: Number(newCount) };
    file.hunks.push(hunk);
  }
  if (missing.old + missing.new > 0) throw new Error('the patch ends within a hunk');
  return files;
}

/** The text with the changes in it. Throws an Error when a hunk fits nowhere, or in several places. */
export function applyDiff({ path, hunks }: FileDiff, text: string): string {
  const lines = text.split('\n');
  let moved = 0;
  for (const { at, oldLines, newLines } of hunks) {
    const place = placeOf(lines, oldLines, at + moved);
    if (place === null) throw new Error(`${path}: the hunk of line ${at + 1} does not fit`);
    lines.splice(place, oldLines.length, ...newLines);
    moved = place - at + newLines.length - oldLines.length;
  }
  return lines.join('\n');
}

function placeOf(lines: readonly string[], wanted: readonly string[], at: number): number | null {
  if (fits(lines, wanted, at)) return at;
  const places = lines.flatMap((_, place) => (fits(lines, wanted, place) ? [place] : []));
  return places.length === 1 ? (places[0] ?? null) : null;
}

function fits(lines: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((line, offset) => lines[at + offset] === line);
}

function unreadable(index: number, line: string): Error {
  return new Error(`line ${index + 1} of the diff cannot be read: ${line}`);
}
