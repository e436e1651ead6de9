/**
 * Wake-ups from outside for rockets whose countdown is over (ROCKET-5, WRK-5). All that one does is
 * bring its room into memory: there the room's own deadline launches it, as it would have without.
 */
import { partitionOf } from '../protocol/partition.ts';
import type { CellContext } from './cell-context.ts';
import type { PartitionSet } from './partition/partition-set.ts';
import type { RoomRegistry } from './registry/room-registry.ts';

/** Wakes taken per look; more wait for the next one. */
const wakesPerLook = 200;

/** See the file header. */
export class RocketWakes {
  private readonly context: CellContext;
  private readonly partitionCount: number;
  private readonly partitions: Pick<PartitionSet, 'find'>;
  private readonly registry: Pick<RoomRegistry, 'ensure'>;

  constructor(
    context: CellContext,
    partitionCount: number,
    parts: {
      readonly partitions: Pick<PartitionSet, 'find'>;
      readonly registry: Pick<RoomRegistry, 'ensure'>;
    },
  ) {
    this.context = context;
    this.partitionCount = partitionCount;
    this.partitions = parts.partitions;
    this.registry = parts.registry;
  }

  /** Looks once. Wakes of rooms of other nodes are left to those. */
  async look(): Promise<void> {
    const { rocketScheduler, clock, metrics } = this.context;
    if (rocketScheduler === undefined) return;
    const wakes = await rocketScheduler.due(clock.wallMs(), wakesPerLook);
    for (const wake of wakes) {
      // Asked anew for each: a partition may be lost while the look goes on.
      const partition = this.partitions.find(partitionOf(wake.roomKey, this.partitionCount));
      if (partition === undefined || !partition.active) continue;
      this.registry.ensure(wake.roomKey, partition);
      metrics.count('cell_rocket_wakes_total');
      await rocketScheduler.done(wake);
    }
  }
}
