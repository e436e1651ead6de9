/**
 * All keys as a table: `roomcell config keys` prints it, `docs/configuration.md` holds it, and a
 * test keeps the two alike.
 */
import { configTree } from './config-schema.ts';
import { isField, isTable, variableOf, type FieldTree } from './field-tree.ts';

/** One key as a person reads about it. */
export interface KeyRow {
  readonly key: string;
  readonly kind: string;
  /** As YAML would have it; `(required)` when something must name the key. */
  readonly fallback: string;
  readonly variable: string;
  readonly about: string;
}

/** Every key, in the order of the schema. A table's entries show `<name>` for the file's own key. */
export function keyTable(): KeyRow[] {
  return rowsOf(configTree, []);
}

/** The table in Markdown. */
export function keyTableMarkdown(): string {
  const lines = keyTable().map(
    ({ key, kind, fallback, about }) => `| \`${key}\` | ${kind} | ${fallback} | ${about} |`,
  );
  return ['| Key | Kind | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

function rowsOf(tree: FieldTree, path: readonly string[]): KeyRow[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const here = [...path, key];
    if (isTable(node)) return rowsOf(node.entry, [...here, '<app_code>']);
    if (!isField(node)) return rowsOf(node, here);
    return [
      {
        key: here.join('.'),
        kind: node.kind,
        fallback: fallbackOf(node),
        variable: variableOf(here).replace('_APP_CODE_', '<APP_CODE>'),
        about: node.about,
      },
    ];
  });
}

function fallbackOf(node: FieldTree[string] & { readonly kind: string }): string {
  if (!isField(node)) return '';
  if (node.kind === 'secret') return '(environment only)';
  if (node.fallback === undefined) return '(required)';
  const shown = String(node.show(node.fallback));
  return shown === '' ? '(empty)' : `\`${shown}\``;
}
