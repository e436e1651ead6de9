/**
 * A tree of fields and what follows from it: the typed configuration (snake_case keys become
 * camelCase, durations end in `Ms`) and the name of each key's environment variable.
 */
import type { Field } from './fields.ts';

/** Keys of one level: fields, deeper levels, or a table whose keys the file chooses. */
export interface FieldTree {
  readonly [key: string]: Field<unknown> | FieldTree | FieldTable<FieldTree>;
}

/** A table with one entry per key that the file names (`tencent_im.apps.<app_code>`). */
export interface FieldTable<Entry extends FieldTree> {
  readonly kind: 'table';
  readonly about: string;
  readonly keyPattern: { readonly expression: RegExp; readonly words: string };
  readonly entry: Entry;
}

type Camel<Key extends string> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Key;

type PropertyName<Key, Node> = Key extends string
  ? Node extends Field<number, 'duration'>
    ? `${Camel<Key>}Ms`
    : Camel<Key>
  : never;

type ValueOf<Node> =
  Node extends Field<infer Value>
    ? Value
    : Node extends FieldTable<infer Entry>
      ? ReadonlyMap<string, ConfigOf<Entry>>
      : ConfigOf<Node>;

/** The typed configuration of a tree. */
export type ConfigOf<Tree> = {
  readonly [Key in keyof Tree as PropertyName<Key, Tree[Key]>]: ValueOf<Tree[Key]>;
};

/** Whether a node is a field (and not a level or a table). */
export function isField(node: FieldTree[string]): node is Field<unknown> {
  return 'parse' in node && typeof node.parse === 'function';
}

/** Whether a node is a table. */
export function isTable(node: FieldTree[string]): node is FieldTable<FieldTree> {
  return 'kind' in node && (node.kind as unknown) === 'table';
}

/** The property of the typed configuration that a key becomes. */
export function propertyNameOf(key: string, node: FieldTree[string]): string {
  const camel = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return isField(node) && node.kind === 'duration' ? `${camel}Ms` : camel;
}

/** The variable that overrides a key: `outbox_worker.batch_size` → ROOMCELL_OUTBOX_WORKER_BATCH_SIZE. */
export function variableOf(path: readonly string[]): string {
  const words = path.map((key) => key.toUpperCase().replace(/[^A-Z0-9]/g, '_'));
  return `ROOMCELL_${words.join('_')}`;
}
