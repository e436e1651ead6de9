/** Waiting on a named condition instead of sleeping. */

/**
 * Asks `probe` again and again until it answers something other than null or false; fails after
 * `limitMs` with what was expected and what was seen last.
 */
export async function waitUntil<T>(
  expected: string,
  probe: () => Promise<T | null | false>,
  options: {
    readonly limitMs?: number;
    readonly everyMs?: number;
    readonly seen?: () => unknown;
  } = {},
): Promise<T> {
  const limitMs = options.limitMs ?? 10_000;
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const answer = await probe();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() > giveUpAt) {
      const seen = options.seen === undefined ? String(answer) : JSON.stringify(options.seen());
      throw new Error(`waited ${limitMs} ms for: ${expected}; last seen: ${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 10));
  }
}

/** Waits as long as the case says that something goes on; what happens meanwhile is its other half. */
export async function lasting(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  await waitUntil(`${ms} ms are over`, () => Promise.resolve(performance.now() >= untilMs), {
    limitMs: ms + 5_000,
    everyMs: 50,
  });
}
