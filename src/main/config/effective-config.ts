/**
 * The configuration as it will be used, for `roomcell config check`: YAML with every key, secrets
 * shown only as set or not set.
 */
import { stringify } from 'yaml';
import { configTree, type RoomcellConfig } from './config-schema.ts';
import { isField, isTable, propertyNameOf, type FieldTree } from './field-tree.ts';

/** The effective configuration as plain data, with the file's own keys. */
export function effectiveConfig(config: RoomcellConfig): Record<string, unknown> {
  return showTree(configTree, config);
}

/** The same as YAML text. */
export function effectiveConfigYaml(config: RoomcellConfig): string {
  return stringify(effectiveConfig(config), { lineWidth: 100 });
}

function showTree(
  tree: FieldTree,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [key, node] of Object.entries(tree)) {
    const value = config[propertyNameOf(key, node)];
    if (isField(node)) {
      shown[key] = node.show(value);
    } else if (isTable(node)) {
      const entries = [...(value as ReadonlyMap<string, Record<string, unknown>>)];
      shown[key] = Object.fromEntries(
        entries.map(([name, entry]) => [name, showTree(node.entry, entry)]),
      );
    } else {
      shown[key] = showTree(node, value as Readonly<Record<string, unknown>>);
    }
  }
  return shown;
}
