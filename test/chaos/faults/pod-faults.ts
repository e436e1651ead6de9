/** Faults of processes: what is done, when its effect is seen, and how the pod comes back. */
import type { OwnerRecord } from '../../../src/drivers/memory/memory-rows.ts';
import type { Pod } from '../deployment/pod.ts';
import type { PodFaultKind } from '../plan/fault-kinds.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import { lasting } from '../../support/wait-until.ts';
import { chosen, effect, type FaultGround } from './fault-ground.ts';

/** Leases of a frozen owner have run out by then; see the deployment's settings. */
const beyondLeaseMs = 5_500;

/** Strikes, waits for the effect and has the pod whole again; answers whom it befell. */
export async function strikePod(
  ground: FaultGround,
  kind: PodFaultKind,
  { target }: PlannedFault,
): Promise<string> {
  const { deployment } = ground;
  switch (kind) {
    case 'killCell':
      return killCell(ground, owningCell(ground, target));
    case 'freezeCell':
      return freezeCell(ground, owningCell(ground, target));
    case 'termCell':
      return endCell(ground, owningCell(ground, target));
    case 'churnCells':
      return churnCells(ground, deployment.spare);
    case 'killGateway':
      return killGateway(ground, chosen(deployment.podsOf('gateway'), target));
    case 'termGateway':
      return end(ground, chosen(deployment.podsOf('gateway'), target));
    case 'killRelay':
      return kill(ground, chosen(deployment.podsOf('relay'), target));
    case 'killAdapter':
      return kill(ground, chosen(deployment.podsOf('adapter-im'), target));
  }
}

/** A cell without partitions has nothing to lose: it is passed over. */
function owningCell({ deployment, watch }: FaultGround, target: number): Pod {
  const cells = deployment.podsOf('cell');
  return chosen(
    cells.filter(({ name }) => watch.heldBy(name).length > 0),
    target,
  );
}

async function killCell(ground: FaultGround, pod: Pod): Promise<string> {
  const { watch, history } = ground;
  const held = watch.heldBy(pod.name);
  const incarnation = watch.incarnationOf(pod.name);
  await pod.process.kill();
  history.pod(pod.name, incarnation, 'killed');
  // As a cluster does it: the next life begins while the group still waits for the last one.
  await Promise.all([start(ground, pod), takenOver(ground, held)]);
  return pod.name;
}

async function freezeCell(ground: FaultGround, pod: Pod): Promise<string> {
  const { watch, history } = ground;
  const held = watch.heldBy(pod.name);
  const incarnation = watch.incarnationOf(pod.name);
  pod.process.freeze();
  history.pod(pod.name, incarnation, 'frozen');
  try {
    await Promise.all([lasting(beyondLeaseMs), takenOver(ground, held)]);
  } finally {
    pod.process.thaw();
    history.pod(pod.name, incarnation, 'thawed');
  }
  return pod.name;
}

async function endCell(ground: FaultGround, pod: Pod): Promise<string> {
  const held = ground.watch.heldBy(pod.name);
  const name = await end(ground, pod, () => takenOver(ground, held));
  return name;
}

/** One more cell joins and gets its share, and gives it back: two rebalances in the midst of work. */
async function churnCells(ground: FaultGround, pod: Pod): Promise<string> {
  const { watch } = ground;
  await start(ground, pod);
  await effect(`${pod.name} owns partitions`, () => watch.heldBy(pod.name).length > 0);
  const held = watch.heldBy(pod.name);
  await leave(ground, pod);
  await takenOver(ground, held);
  return pod.name;
}

async function end(
  ground: FaultGround,
  pod: Pod,
  isSeen: () => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  await leave(ground, pod);
  await isSeen();
  await start(ground, pod);
  return pod.name;
}

/** SIGTERM: it has to end by itself, and well. */
async function leave({ history, watch, found }: FaultGround, pod: Pod): Promise<void> {
  history.pod(pod.name, watch.incarnationOf(pod.name), 'draining');
  const { code, signal } = await pod.process.terminate();
  if (code !== 0) found(`${pod.name} ended with ${signal ?? code} on SIGTERM`);
  history.pod(pod.name, watch.incarnationOf(pod.name), 'ended');
}

async function killGateway(ground: FaultGround, pod: Pod): Promise<string> {
  const { history } = ground;
  const before = history.unknown;
  await pod.process.kill();
  history.pod(pod.name, '', 'killed');
  await effect('a caller does not know what became of its call', () => history.unknown > before);
  await start(ground, pod);
  return pod.name;
}

async function kill(ground: FaultGround, pod: Pod): Promise<string> {
  await pod.process.kill();
  ground.history.pod(pod.name, '', 'killed');
  await start(ground, pod);
  return pod.name;
}

async function start({ history }: FaultGround, pod: Pod): Promise<void> {
  await pod.start();
  history.pod(pod.name, '', 'started');
}

/** Every partition that somebody held has another owner: another node, or another life of that one. */
async function takenOver({ watch }: FaultGround, held: readonly OwnerRecord[]): Promise<void> {
  await effect(`${held.length} partitions are taken over`, () =>
    held.every(({ partition, epoch, incarnation }) => {
      const now = watch.owners.get(partition);
      return now !== undefined && now.epoch > epoch && now.incarnation !== incarnation;
    }),
  );
}
