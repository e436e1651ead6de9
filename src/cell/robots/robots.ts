/**
 * The robots of a node, as its other parts know them. They act in rooms of partitions that this node
 * owns, and nowhere else (ROBOT-7): what ends an ownership ends them, before anything else is done
 * about it. A cell without a pool has none (NEW-11).
 */
import { Failure } from '../../kernel/failure.ts';
import { robotLevel, schemaLevel } from '../../protocol/schema-levels.ts';
import type { CellContext } from '../cell-context.ts';
import type { PartitionSet } from '../partition/partition-set.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { RobotCommands } from './robot-commands.ts';
import { RobotRuntimes } from './robot-runtimes.ts';
import { RobotScan } from './robot-scan.ts';

/** See the file header. One per membership of a cell. */
export class Robots {
  private readonly context: CellContext;
  /** Null: this cell has no robots. */
  private readonly scan: RobotScan | null;
  private readonly guests: RobotRuntimes;
  private readonly hosts: RobotRuntimes;

  constructor(
    context: CellContext,
    partitionCount: number,
    parts: {
      readonly partitions: Pick<PartitionSet, 'all'>;
      readonly registry: Pick<RoomRegistry, 'all' | 'find' | 'ensure'>;
    },
  ) {
    this.context = context;
    this.guests = new RobotRuntimes(context, 'guest');
    this.hosts = new RobotRuntimes(context, 'host');
    const { guests, hosts } = this;
    const { robots } = context;
    this.scan =
      robots === undefined
        ? null
        : new RobotScan(context, {
            ...parts,
            partitionCount,
            pool: robots.pool,
            commands: new RobotCommands(context, robots.sink),
            guests,
            hosts,
          });
  }

  /** Looks once. Never throws for a pool that is out of reach: the next look comes by itself. */
  async look(): Promise<void> {
    const { enabledLevel, log, metrics } = this.context;
    // A node of the former release would execute a robot's command under whatever epoch.
    if (this.scan === null || (enabledLevel?.() ?? schemaLevel) < robotLevel) return;
    try {
      await this.scan.look();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      metrics.count('cell_robot_scan_failures_total');
      log.debug({ error: error.message }, 'the pool of robots is out of reach');
    }
  }

  /** The partition is no longer this node's: none of its robots acts again. */
  lost(partition: Partition): void {
    this.guests.stopPartition(partition);
    this.hosts.stopPartition(partition);
    this.scan?.lost(partition);
  }

  /** These rooms have committed: robots of one that has ended stop. */
  settled(rooms: readonly RoomCell[]): void {
    for (const { key, state } of rooms) {
      if (state.status === 'active' || state.status === 'absent') continue;
      this.guests.stop(key);
      this.hosts.stop(key);
    }
  }

  /** Ends all: the node gives everything up. Robots stay where they are, for the next owner. Idempotent. */
  stop(): void {
    this.scan?.stop();
    this.guests.close();
    this.hosts.close();
  }
}
