/** What a fault stands on: whom it may befall, who keeps the history, and who sees its effect. */
import { waitUntil } from '../../support/wait-until.ts';
import type { History } from '../clients/history.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { OwnerWatch } from '../record/owner-watch.ts';

/** See the file header. */
export interface FaultGround {
  readonly deployment: Deployment;
  readonly history: History;
  readonly watch: OwnerWatch;
  /** Notes what must not be and is nobody's violation yet: an exit code, a process that ended itself. */
  readonly found: (text: string) => void;
}

/** Longest wait for the effect of any fault. */
export const effectLimitMs = 45_000;
const lookEveryMs = 25;

/** Waits for the effect of a fault; rejects with what was expected. */
export async function effect(
  expected: string,
  isSeen: () => boolean | Promise<boolean>,
  limitMs = effectLimitMs,
): Promise<void> {
  await waitUntil(expected, async () => isSeen(), { limitMs, everyMs: lookEveryMs });
}

/** One of those that it may befall; the share was drawn with the schedule. */
export function chosen<T>(candidates: readonly T[], share: number): T {
  const found = candidates[Math.floor(share * candidates.length)];
  if (found === undefined) throw new Error('there is nobody whom the fault could befall');
  return found;
}

/** Resolves when no command was answered for so long. */
export async function standstill(history: History, quietMs: number): Promise<void> {
  let last = { acked: history.acked, atMs: performance.now() };
  await effect('commands are answered no more', () => {
    if (history.acked !== last.acked) last = { acked: history.acked, atMs: performance.now() };
    return performance.now() - last.atMs >= quietMs;
  });
}

/** Resolves when so many more commands are answered. */
export async function goesOn(history: History, answers: number): Promise<void> {
  const wanted = history.acked + answers;
  await effect(`${answers} more commands are answered`, () => history.acked >= wanted);
}
