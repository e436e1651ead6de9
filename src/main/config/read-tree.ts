/**
 * Reads a whole tree of fields at once: the file's value of each key, the environment's above it.
 * Every fault is collected with its key's name, so that one start shows all of them.
 */
import { readFileSync } from 'node:fs';
import type { FieldTable, FieldTree } from './field-tree.ts';
import { isField, isTable, propertyNameOf, variableOf } from './field-tree.ts';
import type { Field, RawValue } from './fields.ts';

/** Variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the reading of a tree gathered beside the values. */
export interface Reading {
  readonly environment: Environment;
  /** Sentences that begin with the key. */
  readonly faults: string[];
  /** Dotted keys with a fault, so that relations do not judge values that are not there. */
  readonly faultyKeys: Set<string>;
  /** Variables that belong to a key, and the key. */
  readonly variables: Map<string, string>;
  /** Where each key's value came from. */
  readonly origins: Map<string, 'file' | 'environment' | 'default'>;
}

/** Reads one level. `values` is what the file holds there; undefined when it names nothing. */
export function readTree(
  tree: FieldTree,
  values: unknown,
  path: readonly string[],
  reading: Reading,
): Record<string, unknown> {
  const named = levelOf(values, path, reading);
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(named)) {
    if (Object.hasOwn(tree, key)) continue;
    addFault(reading, [...path, key], 'is not a key of the configuration');
  }
  for (const [key, node] of Object.entries(tree)) {
    const here = [...path, key];
    const value = Object.hasOwn(named, key) ? named[key] : undefined;
    config[propertyNameOf(key, node)] = isField(node)
      ? readField(node, value, here, reading)
      : isTable(node)
        ? readTable(node, value, here, reading)
        : readTree(node, value, here, reading);
  }
  return config;
}

function readTable(
  table: FieldTable<FieldTree>,
  values: unknown,
  path: readonly string[],
  reading: Reading,
): ReadonlyMap<string, unknown> {
  const entries = new Map<string, unknown>();
  const variablePrefixes = new Map<string, string>();
  for (const [key, value] of Object.entries(levelOf(values, path, reading))) {
    const here = [...path, key];
    if (!table.keyPattern.expression.test(key)) {
      addFault(reading, here, `must be named by ${table.keyPattern.words}`);
      continue;
    }
    // Two keys that differ in signs only would share their variables: one would get the other's key.
    const prefix = variableOf(here);
    const other = variablePrefixes.get(prefix);
    if (other !== undefined) {
      addFault(reading, here, `shares the variables ${prefix}_… with ${other}; rename one`);
      continue;
    }
    variablePrefixes.set(prefix, key);
    entries.set(key, readTree(table.entry, value, here, reading));
  }
  return entries;
}

function readField(
  field: Field<unknown>,
  fileValue: unknown,
  path: readonly string[],
  reading: Reading,
): unknown {
  const raw = rawValue(field, fileValue, path, reading);
  const key = path.join('.');
  if (raw === 'faulty') return field.fallback;
  if (raw === null) {
    reading.origins.set(key, 'default');
    if (field.fallback === undefined) {
      addFault(reading, path, `is missing; name it in the file or in ${variableOf(path)}`);
    }
    return field.fallback;
  }
  reading.origins.set(key, raw.from === 'env' ? 'environment' : 'file');
  const parsed = field.parse(raw);
  if (parsed.ok) return parsed.value;
  const origin = raw.from === 'env' ? ` (from ${variableOf(path)})` : '';
  addFault(reading, path, `${parsed.fault}${origin}`);
  return field.fallback;
}

/** The value that counts; null when nothing names one. Registers the key's variables. */
function rawValue(
  field: Field<unknown>,
  fileValue: unknown,
  path: readonly string[],
  reading: Reading,
): RawValue | null | 'faulty' {
  const variable = variableOf(path);
  reading.variables.set(variable, path.join('.'));
  const text = reading.environment[variable];
  if (field.kind === 'secret') {
    const fileVariable = `${variable}_FILE`;
    reading.variables.set(fileVariable, path.join('.'));
    // A secret in the YAML is refused even when the environment would win: it lies there to be read.
    if (fileValue !== undefined) return { from: 'file', value: undefined };
    const secretFile = reading.environment[fileVariable];
    if (secretFile !== undefined && text !== undefined) {
      addFault(reading, path, `is named by both ${variable} and ${fileVariable}; unset one`);
      return 'faulty';
    }
    if (secretFile !== undefined) return secretIn(secretFile, fileVariable, path, reading);
  }
  if (text !== undefined) return { from: 'env', text };
  return fileValue === undefined ? null : { from: 'file', value: fileValue };
}

function secretIn(
  file: string,
  variable: string,
  path: readonly string[],
  reading: Reading,
): RawValue | 'faulty' {
  try {
    // One newline at the end is the editor's, not the secret's.
    return { from: 'env', text: readFileSync(file, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    addFault(reading, path, `could not be read from ${variable}: ${cause}`);
    return 'faulty';
  }
}

function levelOf(
  values: unknown,
  path: readonly string[],
  reading: Reading,
): Readonly<Record<string, unknown>> {
  if (values === undefined || values === null) return {};
  if (typeof values === 'object' && !Array.isArray(values)) {
    return values as Readonly<Record<string, unknown>>;
  }
  addFault(reading, path, 'must hold keys, not a single value');
  return {};
}

function addFault(reading: Reading, path: readonly string[], sentence: string): void {
  const key = path.join('.');
  reading.faultyKeys.add(key);
  reading.faults.push(`${key === '' ? 'the file' : key}: ${sentence}`);
}
