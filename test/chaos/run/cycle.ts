/** One cycle: work in flight, a fault, its effect, everything whole again, and progress (INV-31). */
import { waitUntil } from '../../support/wait-until.ts';
import type { Probes } from '../clients/probes.ts';
import type { FaultGround } from '../faults/fault-ground.ts';
import { strike } from '../faults/strike.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import { partitionCount } from './run-options.ts';

/** What a cycle was. */
export interface CycleEnd {
  /** Calls of commands under way when the fault struck. */
  readonly inFlight: number;
  readonly befell: string;
  /** From the fault until its effect was seen and healed. */
  readonly effectMs: number;
  /** From there until every partition answered through every gateway. */
  readonly progressMs: number;
}

/** Longest wait for the next answer, and for progress after a fault (INV-31). */
const limitMs = 60_000;

/** See the file header. Rejects when there is no work, no effect or no progress. */
export async function playCycle(
  ground: FaultGround,
  probes: Probes,
  fault: PlannedFault,
  ackedWanted: number,
): Promise<CycleEnd> {
  const { history } = ground;
  await enoughWork(history, ackedWanted);
  const inFlight = history.inFlight;
  const struckAtMs = performance.now();
  const befell = await strike(ground, fault);
  const healedAtMs = performance.now();
  await progress(ground, probes);
  return {
    inFlight,
    befell,
    effectMs: healedAtMs - struckAtMs,
    progressMs: performance.now() - healedAtMs,
  };
}

/** A machine may be slow: what must not happen is that for so long nobody gets an answer (INV-31). */
async function enoughWork(history: FaultGround['history'], ackedWanted: number): Promise<void> {
  while (history.acked < ackedWanted || history.inFlight === 0) {
    const before = history.acked;
    await waitUntil(
      'one more command is answered, and some are under way',
      async () => history.acked > before && history.inFlight > 0,
      { limitMs, seen: () => `${history.acked} answered, ${history.inFlight} under way` },
    );
  }
}

/** Every process is ready, every partition is held, and answers through every gateway. */
export async function progress(ground: FaultGround, probes: Probes): Promise<void> {
  const { deployment, history, watch, found } = ground;
  for (const pod of deployment.pods) {
    if (!(await pod.ensureRunning())) continue;
    found(`${pod.name} had ended by itself`);
    history.pod(pod.name, '', 'started');
  }
  await Promise.all(deployment.pods.map((pod) => pod.process.ready(limitMs)));
  await waitUntil(
    'every partition has an owner',
    async () => {
      const held = [...watch.owners.values()].filter(({ released }) => !released);
      return held.length === partitionCount;
    },
    { limitMs, everyMs: 50, seen: () => watch.owners.size },
  );
  await Promise.all(
    deployment.podsOf('gateway').map((_, gateway) => probes.throughGateway(gateway, limitMs)),
  );
}
