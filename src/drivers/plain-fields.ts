/**
 * Turns the facts of a log line into what JSON can hold: bigint as decimal text (a JSON number would
 * lose digits in its reader), errors with their causes, bytes as hex, secrets blotted out. Bounded in
 * depth, entries and length, so that no value can make a line endless.
 */

const depthMax = 6;
const entriesMax = 100;
const textMax = 8_192;
const bytesShown = 64;

/** Keys whose values never appear, whoever logs them; compared without case, `_` and `-`. */
const secretKeys = new Set([
  'password',
  'passwordhash',
  'secret',
  'secretkey',
  'hs256secret',
  'deploymentsecret',
  'authorization',
  'bearer',
  'bearertoken',
  'jwt',
  'usersig',
  'privatemapkey',
]);

/** The fields as plain values. Never throws: what cannot be read says so in its place. */
export function plainFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return plainEntries(Object.entries(fields), 0);
}

function plainEntries(
  entries: readonly (readonly [string, unknown])[],
  depth: number,
): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of entries.slice(0, entriesMax)) {
    plain[key] = isSecretKey(key) ? '[secret]' : plainValue(value, depth + 1);
  }
  if (entries.length > entriesMax) plain['…'] = `${entries.length - entriesMax} more`;
  return plain;
}

function plainValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'string':
      return value.length > textMax ? `${value.slice(0, textMax)}…` : value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
    case 'undefined':
      return value;
    case 'object':
      return value === null ? null : plainObject(value, depth);
    default:
      return `[${typeof value}]`;
  }
}

function plainObject(value: object, depth: number): unknown {
  if (depth > depthMax) return '[too deep]';
  try {
    if (value instanceof Error) return plainError(value, depth);
    if (value instanceof Uint8Array) return hexOf(value);
    if (value instanceof Date) return value.toISOString();
    if (value instanceof Map) return plainEntries([...value].map(textKeyed), depth);
    if (Array.isArray(value)) return plainItems(value, depth);
    if (value instanceof Set) return plainItems([...value], depth);
    return plainEntries(Object.entries(value), depth);
  } catch (error) {
    // A getter or a conversion threw; the line is worth more than this one value.
    return `[unreadable: ${error instanceof Error ? error.message : String(error)}]`;
  }
}

function plainItems(items: readonly unknown[], depth: number): unknown[] {
  const plain = items.slice(0, entriesMax).map((item) => plainValue(item, depth + 1));
  if (items.length > entriesMax) plain.push(`… ${items.length - entriesMax} more`);
  return plain;
}

/** Own fields first (a Failure's kind, reason and facts; a driver's code), then the usual ones. */
function plainError(error: Error, depth: number): Record<string, unknown> {
  const own = Object.entries(error).filter(([key]) => key !== 'cause');
  const plain: Record<string, unknown> = {
    ...plainEntries(own, depth),
    name: error.name,
    message: plainValue(error.message, depth),
    stack: plainValue(error.stack, depth),
  };
  if (error.cause !== undefined) plain['cause'] = plainValue(error.cause, depth + 1);
  return plain;
}

function textKeyed([key, value]: [unknown, unknown]): readonly [string, unknown] {
  return [String(key), value];
}

function hexOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, bytesShown));
  return bytes.length > bytesShown
    ? `${hex.toString('hex')}… (${bytes.length} bytes)`
    : hex.toString('hex');
}

function isSecretKey(key: string): boolean {
  return secretKeys.has(key.toLowerCase().replace(/[_-]/g, ''));
}
