/**
 * The ids of requirements that titles of tests carry: in parentheses, one or more, as in
 * "a late mark changes nothing (OUT-22, TST-6)".
 */
import ts from 'typescript';

const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);

/** Ids such as PIPE-3 in the parentheses of a title, in their order. */
export function idsInTitle(title: string): string[] {
  return [...title.matchAll(/\(([^()]*)\)/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/\b[A-Z]{2,}-\d+\b/g)].map(([id]) => id),
  );
}

/**
 * Titles of `describe`, `it` and `test`, also behind `.each(…)` and the like, as they stand in the
 * source. Of a title that is put together the written parts are given, of one from a table nothing.
 */
export function titlesIn(source: string): string[] {
  const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, false);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TEST_FUNCTIONS.has(calledName(node.expression))) {
      const [title] = node.arguments;
      if (title !== undefined) titles.push(...writtenParts(title));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return titles;
}

/** `it` of it(…), it.each(rows)(…), it.each`…`(…); empty for what has no name in front. */
function calledName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee)) return calledName(callee.expression);
  if (ts.isCallExpression(callee)) return calledName(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? calledName(callee.tag) : '';
}

function writtenParts(title: ts.Expression): string[] {
  if (ts.isStringLiteralLike(title)) return [title.text];
  if (ts.isBinaryExpression(title)) {
    return [...writtenParts(title.left), ...writtenParts(title.right)];
  }
  if (!ts.isTemplateExpression(title)) return [];
  return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)];
}
