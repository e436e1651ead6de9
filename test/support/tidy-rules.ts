/**
 * Style rules that lint cannot hold: sizes, banned words, one README per stage. Each returns one
 * sentence per violation, so that the tidy test's failure is its own explanation.
 */
import { STAGES } from './layer-walls.ts';
import { isCode, type SourceFile } from './source-files.ts';

const FILE_LINES_MAX = 400;
const README_LINES_MAX = 20;
const README_PARTS = ['In', 'Out', 'Owns', 'Never does'];
const BANNED_IN_FILE_NAMES = /(^|[-./])(utils?|helpers?|common|manager|service)(?=[-./]|$)/i;
const BANNED_IN_CLASS_NAMES = /\bclass\s+(\w*(?:Utils?|Helpers?|Common|Manager|Service))\b/g;
/** An issue number right behind it makes it a promise that somebody can look up. */
const UNTRACKED_MARKER = /\b(TODO|FIXME|XXX|HACK)\b(?!\s*\(?#\d+)/;

/** Files of code with more lines than anybody reads at once. */
export function sizeViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(isCode)
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path} has ${lines} lines, the maximum is ${FILE_LINES_MAX}`);
}

/** File and class names that say nothing, and notes to self that nobody tracks. */
export function wordViolations(files: readonly SourceFile[]): string[] {
  return files.filter(isCode).flatMap(({ path, text }) => {
    const violations: string[] = [];
    const word = BANNED_IN_FILE_NAMES.exec(path)?.[2];
    if (word !== undefined) violations.push(`${path}: '${word}' in a file name says nothing`);
    for (const match of text.matchAll(BANNED_IN_CLASS_NAMES)) {
      violations.push(`${path}: class ${match[1] ?? ''} needs a name that says what it is`);
    }
    text.split('\n').forEach((line, index) => {
      const marker = UNTRACKED_MARKER.exec(line)?.[1];
      if (marker === undefined) return;
      violations.push(`${path}:${index + 1}: ${marker} without an issue number`);
    });
    return violations;
  });
}

/** File names that are not kebab-case. */
export function nameViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(isCode)
    .filter(({ path }) => !/^[a-z0-9/.-]+$/.test(path))
    .map(({ path }) => `${path}: file names are kebab-case`);
}

/** Stages that hold code but no README, or one that is too long or lacks a part. */
export function readmeViolations(files: readonly SourceFile[]): string[] {
  return STAGES.filter((stage) =>
    files.some((file) => isCode(file) && file.path.startsWith(`src/${stage}/`)),
  ).flatMap((stage) => {
    const path = `src/${stage}/README.md`;
    const readme = files.find((file) => file.path === path);
    if (readme === undefined) return [`${path} is missing: ${README_PARTS.join(', ')}`];
    const lines = readme.text.trimEnd().split('\n').length;
    const tooLong =
      lines > README_LINES_MAX ? [`${path} has ${lines} lines, not ${README_LINES_MAX}`] : [];
    const absent = README_PARTS.filter((part) => !saysPart(readme.text, part));
    return [...tooLong, ...absent.map((part) => `${path} has no line that begins with ${part}`)];
  });
}

/** A part opens a line, after list or emphasis marks: `- **In:** topic room.commands`. */
function saysPart(text: string, part: string): boolean {
  return new RegExp(`^[\\s*_#|-]*${part}\\b`, 'im').test(text);
}
