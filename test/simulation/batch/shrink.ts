/**
 * Makes a failing case small while the same invariant breaks: without each fault, then with half of
 * the calls, then with fewer processes. What is left is what a person has to understand.
 */
import type { SimCase } from '../plan/sim-case.ts';
import type { SimOptions } from '../plan/sim-options.ts';

/** Whether a case still breaks the invariant that is looked for. */
export type StillBreaks = (simCase: SimCase) => Promise<boolean>;

const countsToShrink = ['cells', 'relays', 'gateways', 'adapters', 'partitions'] as const;

/** The smallest case that was found. `say` hears of each step that went well. */
export async function shrink(
  simCase: SimCase,
  stillBreaks: StillBreaks,
  say: (line: string) => void,
): Promise<SimCase> {
  let small = simCase;
  const tryOn = async (smaller: SimCase, what: string): Promise<boolean> => {
    if (!(await stillBreaks(smaller))) return false;
    small = smaller;
    say(what);
    return true;
  };
  await dropFaults(() => small, tryOn);
  await dropFirings(() => small, tryOn);
  await halveCalls(() => small, tryOn);
  for (const name of countsToShrink) {
    while (small.options[name] > 1) {
      const options: SimOptions = { ...small.options, [name]: small.options[name] - 1 };
      if (!(await tryOn({ ...small, options }, `${name}: ${options[name]}`))) break;
    }
  }
  return small;
}

type TryOn = (smaller: SimCase, what: string) => Promise<boolean>;

/** Halves first, because most faults of a run have nothing to do with it; then one by one. */
async function dropFaults(now: () => SimCase, tryOn: TryOn): Promise<void> {
  for (let size = Math.ceil(now().faults.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < now().faults.length;) {
      const faults = now().faults.filter((_, nth) => nth < at || nth >= at + size);
      if (!(await tryOn({ ...now(), faults }, `${faults.length} faults`))) at += size;
    }
  }
}

async function dropFirings(now: () => SimCase, tryOn: TryOn): Promise<void> {
  for (let at = 0; at < now().firings.length;) {
    const firings = now().firings.filter((_, nth) => nth !== at);
    if (!(await tryOn({ ...now(), firings }, `${firings.length} firings`))) at += 1;
  }
}

async function halveCalls(now: () => SimCase, tryOn: TryOn): Promise<void> {
  for (let size = Math.ceil(now().workload.calls.length / 2); size >= 1;) {
    let isSmaller = false;
    for (let at = 0; at < now().workload.calls.length;) {
      const { workload } = now();
      const calls = workload.calls.filter((_, nth) => nth < at || nth >= at + size);
      const smaller = { ...now(), workload: { ...workload, calls } };
      if (await tryOn(smaller, `${calls.length} calls`)) isSmaller = true;
      else at += size;
    }
    if (!isSmaller || size === 1) size = Math.floor(size / 2);
  }
}
