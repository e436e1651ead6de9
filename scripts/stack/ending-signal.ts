/** What ends a command from outside. */

/**
 * Aborts at the first SIGINT or SIGTERM, with that name as its reason; whoever listens cleans up. A
 * second one of the same name ends the process as it always does.
 */
export function endingSignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort(name));
  return ending.signal;
}
