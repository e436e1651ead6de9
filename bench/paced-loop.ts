/**
 * An open loop: calls fall due at an even pace, whether or not earlier ones are answered, as those of
 * many people do. A call's time counts from when it was due, so a server that stands still, or a
 * caller that is late with its calls, shows in the times and not in fewer calls.
 */
import type { Timers } from '../src/ports/timers.ts';
import type { Ask } from './closed-loop.ts';
import { figuresOf, type Figures } from './figures.ts';

/** How many a second, and for how long. */
export interface Pace {
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Between two looks at what is due. */
const tickMs = 4;

/**
 * Runs the loop; `ask` is told the number of its call. Counts the calls that fell due in the measured
 * time, and resolves when all are answered. `callers` of the figures is the pace.
 */
export async function pacedLoop(
  ask: (call: number) => ReturnType<Ask>,
  pace: Pace,
  timers: Timers,
): Promise<Figures> {
  const { perSecond, warmUpMs, measureMs } = pace;
  const startMs = performance.now();
  const totalMs = warmUpMs + measureMs;
  const durations: number[] = [];
  let failures = 0;
  let open = 0;
  const call = async (at: number): Promise<void> => {
    const dueMs = (at / perSecond) * 1_000;
    open += 1;
    const isGood = await ask(at);
    open -= 1;
    if (dueMs < warmUpMs) return;
    if (isGood) durations.push(performance.now() - startMs - dueMs);
    else failures += 1;
  };
  let next = 0;
  for (;;) {
    const passedMs = performance.now() - startMs;
    for (const due = (Math.min(passedMs, totalMs) * perSecond) / 1_000; next < due; next += 1) {
      void call(next);
    }
    if (passedMs >= totalMs && open === 0) break;
    await timers.sleep(tickMs);
  }
  return figuresOf(Math.round(perSecond), durations, measureMs, failures);
}
