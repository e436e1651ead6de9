/** The applier of patches: what it takes, and what it refuses rather than guess. */
import { describe, expect, it } from 'vitest';
import { applyDiff, headerOf, readDiff } from '../../simulation/plants/unified-diff.ts';

const patch = `What it does.

--- a/src/one.ts
+++ b/src/one.ts
@@ -2,3 +2,3 @@
 b
-c
+C
 d
--- a/src/two.ts
+++ b/src/two.ts
@@ -1 +1,2 @@
 x
+y
`;

function applied(text: string): string {
  const [first] = readDiff(patch);
  if (first === undefined) throw new Error('no file in the patch');
  return applyDiff(first, text);
}

describe('a patch', () => {
  it('is read file by file, behind its header', () => {
    expect(headerOf(patch)).toBe('What it does.\n\n');
    expect(readDiff(patch).map(({ path }) => path)).toEqual(['src/one.ts', 'src/two.ts']);
  });

  it('changes the lines that it names', () => {
    expect(applied('a\nb\nc\nd\n')).toBe('a\nb\nC\nd\n');
  });

  it('follows lines that have moved', () => {
    expect(applied('1\n2\na\nb\nc\nd\n')).toBe('1\n2\na\nb\nC\nd\n');
  });

  it('is refused where its context is not there to the letter', () => {
    expect(() => applied('a\nb \nc\nd\n')).toThrow('src/one.ts: the hunk of line 2 does not fit');
  });

  it('is refused where its lines have moved and stand in two places', () => {
    expect(() => applied('b\nc\nd\nb\nc\nd\n')).toThrow('does not fit');
  });

  it('is refused when a line of it says nothing, or when it ends too soon', () => {
    expect(() => readDiff(patch.replace('-c', '?c'))).toThrow('line 5 of the diff cannot be read');
    expect(() =>
      readDiff(patch.slice(0, patch.indexOf('--- a/src/two')).replace(' d\n', '')),
    ).toThrow();
  });
});
