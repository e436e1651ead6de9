/**
 * Assertions that stay on in production. A failed one is a broken invariant of ours, never a bad
 * input: the cell that meets it drops the room (or the partition) instead of writing on.
 */

/** Thrown by a failed assertion. `facts` are for the log line; keep secrets out of them. */
export class InvariantError extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'InvariantError';
    this.facts = facts;
  }
}

/** Promises that `condition` holds afterwards; throws InvariantError otherwise. */
export function assert(
  condition: boolean,
  message: string,
  facts?: Readonly<Record<string, unknown>>,
): asserts condition {
  if (!condition) throw new InvariantError(message, facts);
}

/** Returns `value` when it is there; throws InvariantError when it is null or undefined. */
export function assertDefined<T>(value: T | null | undefined, message: string): T {
  if (value === null || value === undefined) throw new InvariantError(message);
  return value;
}

/** Marks a branch that the types rule out; reaching it is a broken invariant. */
export function assertNever(value: never, message: string): never {
  throw new InvariantError(message, { value });
}
