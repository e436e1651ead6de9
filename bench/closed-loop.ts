/**
 * Callers in a closed loop: each asks, waits for the answer, asks again. A warm-up is thrown away,
 * then everything that ends within the measured time counts.
 */
import { figuresOf, type Figures } from './figures.ts';

/** One caller's next call; answers whether it ended as expected. */
export type Ask = () => Promise<boolean>;

/** How long. */
export interface LoopTimes {
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Runs all callers at once and measures them. */
export async function closedLoop(asks: readonly Ask[], times: LoopTimes): Promise<Figures> {
  const beginMs = performance.now() + times.warmUpMs;
  const endMs = beginMs + times.measureMs;
  const durations: number[] = [];
  let failures = 0;
  const run = async (ask: Ask): Promise<void> => {
    for (;;) {
      const startedMs = performance.now();
      if (startedMs >= endMs) return;
      const isGood = await ask();
      const nowMs = performance.now();
      if (nowMs < beginMs || nowMs > endMs) continue;
      if (isGood) durations.push(nowMs - startedMs);
      else failures += 1;
    }
  };
  await Promise.all(asks.map(run));
  return figuresOf(asks.length, durations, times.measureMs, failures);
}
