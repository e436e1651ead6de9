/**
 * Reads the configuration once: one YAML file per environment, each key overridable by a variable.
 * All faults come back together, each beginning with its key (OCFG-10, style rule 11).
 */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { RoleName } from '../role.ts';
import { configTree, type RoomcellConfig } from './config-schema.ts';
import { readTree, type Environment, type Reading } from './read-tree.ts';
import { brokenRelations } from './relations.ts';

/** What to read, and for whom. */
export interface LoadRequest {
  /** Path of the YAML file. */
  readonly file: string;
  readonly env: Environment;
  /** Roles that will run: some keys are needed by some roles only. */
  readonly roles?: readonly RoleName[];
  /** Addresses of this machine; absent: `advertise_addr` is not compared with them. */
  readonly localAddresses?: readonly string[];
}

/** Where each key's value came from, by dotted key. */
export type Origins = ReadonlyMap<string, 'file' | 'environment' | 'default'>;

/** The configuration, or every reason why it is none. */
export type LoadedConfig =
  | { readonly ok: true; readonly config: RoomcellConfig; readonly origins: Origins }
  | { readonly ok: false; readonly faults: string[] };

/**
 * Variables that begin with ROOMCELL_ and are not keys: they choose the file, and they are read by
 * the scripts that build the program and start a stack around it.
 */
export const otherVariables: readonly string[] = [
  'ROOMCELL_CONFIG',
  'ROOMCELL_STACK',
  'ROOMCELL_ALLOW_TYPE_ERRORS',
];

/** See the file header. Never throws. */
export function loadConfig(request: LoadRequest): LoadedConfig {
  const document = readYaml(request.file);
  if ('faults' in document) return { ok: false, faults: document.faults };
  const reading: Reading = {
    environment: request.env,
    faults: [],
    faultyKeys: new Set(),
    variables: new Map(),
    origins: new Map(),
  };
  const config = readTree(configTree, document.values, [], reading) as unknown as RoomcellConfig;
  const faults = [
    ...reading.faults,
    ...unknownVariables(request.env, reading.variables),
    ...brokenRelations(config, reading.faultyKeys, {
      roles: request.roles ?? [],
      localAddresses: request.localAddresses ?? null,
    }),
  ];
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, config, origins: reading.origins };
}

function readYaml(file: string): { values: unknown } | { faults: string[] } {
  let yamlText: string;
  try {
    yamlText = readFileSync(file, 'utf8');
  } catch (error) {
    return { faults: [`${file}: could not be read (${causeOf(error)})`] };
  }
  const document = parseDocument(yamlText, { uniqueKeys: true, prettyErrors: true });
  if (document.errors.length > 0) {
    return { faults: document.errors.map((fault) => `${file}: ${fault.message.trim()}`) };
  }
  try {
    return { values: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    // Aliases that grow without end are refused by the library at this point.
    return { faults: [`${file}: ${causeOf(error)}`] };
  }
}

/** A misspelt variable would silently change nothing, so it stops the start like a misspelt key. */
function unknownVariables(env: Environment, known: ReadonlyMap<string, string>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('ROOMCELL_'))
    .filter((name) => !known.has(name) && !otherVariables.includes(name))
    .sort()
    .map((name) => `${name}: is not the variable of any key`);
}

function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
