/**
 * What aimed faults have in common: whom they mean, the moment that they wait for, and that they are
 * told when it has come and not when they begin to wait.
 */
import { ownerLock } from '../../../src/drivers/memory/lane-packet.ts';
import { MemoryTransaction } from '../../../src/drivers/memory/memory-session.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { PlannedFault } from '../plan/fault-kinds.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import { chosen, type FaultEffect } from './fault-effect.ts';

/** Beyond session and rebalance: then nobody takes it over any more. */
const patienceMs = 20_000;
/** Longer than any wait for a row. */
const heldMaxMs = 60_000;

/** What ends with the storm at the latest. */
export class Ends {
  private readonly ends = new Set<() => void>();
  private areOver = false;

  /** Answers `end`, to be called earlier; it happens once. */
  add(end: () => void): () => void {
    const once = (): void => {
      if (this.ends.delete(once)) end();
    };
    this.ends.add(once);
    if (this.areOver) once();
    return once;
  }

  /** Nothing of the fault goes on from here. */
  get isOver(): boolean {
    return this.areOver;
  }

  /** Ends everything. */
  all(): void {
    this.areOver = true;
    for (const end of [...this.ends]) end();
  }
}

/** Partitions that are the process's by the tables. */
export function partitionsOf(world: World, { incarnation }: Pod): readonly number[] {
  return [...world.database.owners.values()]
    .filter((row) => row.incarnation === incarnation && !row.released)
    .map(({ partition }) => partition);
}

/** A cell that runs and has partitions. */
export function owningCell(world: World, fault: PlannedFault): Pod | undefined {
  const owners = world
    .podsOf('cell')
    .filter((pod) => pod.state === 'up' && partitionsOf(world, pod).length > 0);
  return chosen(owners, fault.target);
}

/** Has `hit` happen when the process next passes the point, once; with nobody to hit: false. */
export function aimed(
  world: World,
  fault: PlannedFault,
  aim: { readonly pod: Pod | undefined; readonly point: TracePoint },
  hit: (pod: Pod, ends: Ends) => void,
): FaultEffect {
  const { pod, point } = aim;
  return aimedBy(world, fault, { pod, what: point }, hit, (now) =>
    world.watchPoints((passing, passed) => {
      if (passing === pod && passed === point) now();
    }),
  );
}

/** The same at the next heartbeat of the process: the group has taken it, the answer is on its way. */
export function aimedAtHeartbeat(
  world: World,
  fault: PlannedFault,
  pod: Pod | undefined,
  hit: (pod: Pod, ends: Ends) => void,
): FaultEffect {
  const group = world.servers.broker.group(world.cellGroupId, world.commandsTopic);
  return aimedBy(world, fault, { pod, what: 'a heartbeat' }, hit, (now) => {
    const before = group.onHeartbeat;
    let isOver = false;
    group.onHeartbeat = (memberId) => {
      before(memberId);
      if (!isOver && pod !== undefined && memberId.startsWith(`${pod.name}-`)) now();
    };
    return () => {
      isOver = true;
    };
  });
}

function aimedBy(
  world: World,
  fault: PlannedFault,
  aim: { readonly pod: Pod | undefined; readonly what: string },
  hit: (pod: Pod, ends: Ends) => void,
  arm: (now: () => void) => () => void,
): FaultEffect {
  const { pod, what } = aim;
  if (pod === undefined) return false;
  const ends = new Ends();
  const disarm = ends.add(
    arm(() => {
      if (pod.state !== 'up') return;
      disarm();
      tellHit(world, `${fault.kind} hits ${pod.incarnation} at ${what}`, fault.kind);
      hit(pod, ends);
    }),
  );
  return { whenOver: () => ends.all() };
}

/** Holds the owner rows, each as soon as it is free; answers how to let go of them. */
export function holdRows(world: World, partitions: readonly number[], ends: Ends): () => void {
  const holders = partitions.map((partition) => {
    const holder = new MemoryTransaction(world.database);
    void holder.lock(ownerLock(partition), heldMaxMs);
    return holder;
  });
  return ends.add(() => {
    for (const holder of holders) holder.rollBack();
  });
}

/** Runs later, unless the storm is over by then. */
export function later(world: World, ends: Ends, delayMs: number, run: () => void): void {
  world.kernel.timersOf('faults').after(delayMs, () => {
    if (!ends.isOver) run();
  });
}

/** Freezes; answers how to end that, which comes by itself after a while. */
export function frozen(world: World, pod: Pod, ends: Ends): () => void {
  pod.freeze();
  const thaw = ends.add(() => pod.thaw());
  later(world, ends, patienceMs, thaw);
  return thaw;
}

/** When another process takes one of the partitions over from this one: which, and who. Once. */
export function whenTaken(
  world: World,
  { incarnation: former }: Pod,
  partitions: readonly number[],
  ends: Ends,
  then: (partition: number, successor: Pod) => void,
): void {
  let isOver = false;
  world.watch(({ kind }) => {
    if (isOver || ends.isOver || kind !== 'committed') return;
    for (const partition of partitions) {
      const owner = world.database.owners.get(partition)?.incarnation;
      const successor = world.pods.find(({ incarnation }) => incarnation === owner);
      if (owner === former || successor === undefined) continue;
      isOver = true;
      then(partition, successor);
      return;
    }
  });
}

function tellHit(world: World, text: string, kind: string): void {
  const { kernel, metrics } = world;
  kernel.note(text);
  metrics.count('world_aimed_hits', { kind });
  world.observe({ kind: 'fault', atMs: kernel.trueMs, text });
}
