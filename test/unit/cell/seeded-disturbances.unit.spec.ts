/**
 * Two cells under everything at once, by seed: lost COMMITs, deadlocks, busy owner rows, split batches,
 * rebalances, takeovers by strangers, redeliveries, evictions. Afterwards the stores must show that
 * nothing was lost, doubled or overtaken. `ROOMCELL_SEED` and `ROOMCELL_SEEDS` choose other seeds.
 */
import { describe, expect, it } from 'vitest';
import type { LaneFault } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import { CellRig, createRoomBody, joinRoomBody, type RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const firstSeed = Number(process.env['ROOMCELL_SEED'] ?? 1);
const seeds = Number(process.env['ROOMCELL_SEEDS'] ?? 40);
const stepsPerRun = 120;
const rooms = ['r0', 'r1', 'r2', 'r3', 'r4'];
const partitions = [0, 1];
/** Small enough that every limit is met. */
const options = {
  residentRoomsMax: 2,
  batchCommandsMax: 3,
  snapshotEveryN: 3,
  partitionHighWater: 8,
  partitionLowWater: 3,
};

/** Mulberry32: whole numbers below `below`, the same for the same seed. */
function drawing(seed: number): (below: number) => number {
  let at = seed;
  return (below) => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
  };
}

class Run {
  readonly rig = new CellRig(partitions.length);
  readonly sent: { readonly room: string; readonly commandId: string }[] = [];
  nodes: readonly RigNode[] = [];
  private readonly draw: (below: number) => number;

  constructor(seed: number) {
    this.draw = drawing(seed);
  }

  async play(): Promise<void> {
    const a = await this.rig.startNode('a', { options });
    const b = await this.rig.startNode('b', { options, assign: [] });
    this.nodes = [a, b];
    for (const room of rooms) this.send(room, 'c', createRoomBody());
    for (let step = 0; step < stepsPerRun; step += 1) {
      await this.disturbOrSend(step);
      for (let turns = this.draw(4); turns > 0; turns -= 1) await this.rig.time.sleep(0);
    }
    b.source.assign([]);
    a.source.assign(partitions);
    await eventually('every record is settled', () => {
      this.rig.time.advance(500);
      return partitions.every((id) => {
        const end = BigInt(this.rig.topic.records.get(id)?.length ?? 0);
        return this.rig.database.owners.get(id)?.appliedOffset === end - 1n;
      });
    });
  }

  private send(room: string, commandId: string, body: CommandBody): void {
    this.sent.push({ room, commandId });
    this.rig.send(room, commandId, `u${this.draw(4)}`, body);
  }

  private async disturbOrSend(step: number): Promise<void> {
    const node = this.pick(this.nodes);
    const faults = node.memoryLane?.faults ?? [];
    switch (this.draw(14)) {
      case 0:
        faults.push(
          this.pick<LaneFault>([
            { kind: 'lostAfterCommit' },
            { kind: 'lostBeforeCommit' },
            { kind: 'conflict' },
            { kind: 'unavailable' },
          ]),
        );
        return;
      case 1:
        faults.push({ kind: 'fenceBusy', partitions: [this.pick(partitions)] });
        return;
      case 2:
        return this.rebalance();
      case 3:
        return this.redeliver(node);
      case 4:
        return this.splitNextBatch(node);
      case 5:
        this.rig.time.advance(this.draw(3_000));
        return;
      case 6: {
        const beats = rooms.map((room) => [room, 'u1'] as const);
        this.rig.sendHeartbeats(this.pick(partitions), beats);
        return;
      }
      case 7:
        return this.strangerTakes(this.pick(partitions), `stranger-${step}`);
      default:
        this.send(
          this.pick(rooms),
          `x${step}`,
          this.pick<CommandBody>([
            joinRoomBody(),
            { type: 'LeaveRoom' },
            { type: 'MicUp', seatNo: 1 + this.draw(8) },
          ]),
        );
    }
  }

  /** The two hear of it in whatever order, so that both may believe to own a partition. */
  private async rebalance(): Promise<void> {
    const ownerOf = partitions.map(() => this.draw(2));
    const first = this.draw(2);
    for (const at of [first, 1 - first]) {
      this.nodes[at]?.source.assign(partitions.filter((id) => ownerOf[id] === at));
      if (this.draw(2) === 0) await this.rig.time.sleep(0);
    }
  }

  /** Behind whatever transaction is open on the partition, and only for a moment. */
  private async strangerTakes(partition: number, incarnation: string): Promise<void> {
    const store = new MemoryPartitionStore(this.rig.database);
    const stranger = { partition, nodeId: 'x', incarnation, lane: 0, advertiseAddr: '10.0.0.9:1' };
    const { epoch } = await store.takeover(stranger);
    await store.release(partition, epoch, incarnation);
  }

  private redeliver(node: RigNode): void {
    const owned = node.cell.ownedPartitions();
    if (owned.length === 0) return;
    const { id } = this.pick(owned);
    const applied = Number(this.rig.database.owners.get(id)?.appliedOffset ?? -1n);
    node.source.redeliver(id, BigInt(this.draw(applied + 1)));
  }

  private splitNextBatch(node: RigNode): void {
    const lane = node.memoryLane;
    if (lane === null) return;
    lane.dataFault = ({ logRows }) => {
      if (logRows.length <= 1) return false;
      lane.dataFault = () => false;
      if (this.draw(2) === 0) lane.faults.push({ kind: 'fenceBusy', partitions: [0] });
      return true;
    };
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.draw(from.length)] as T;
  }
}

function versionOf({ appliedVersion }: LogRow): number {
  return Number(appliedVersion);
}

describe('whatever disturbs two cells', () => {
  const all = Array.from({ length: seeds }, (_, n) => firstSeed + n);
  it.each(all)('every command ends once and in order (seed %i)', async (seed) => {
    const run = new Run(seed);
    await run.play();
    expect(run.nodes.flatMap(({ fatal }) => fatal)).toEqual([]);
    for (const room of rooms) {
      const rows = [...run.rig.database.log.values()].filter(({ roomId }) => roomId === room);
      const sent = run.sent.filter((command) => command.room === room);
      const fromTopic = rows
        .filter(({ kafkaOffset }) => kafkaOffset !== null)
        .sort((left, right) => Number(left.kafkaOffset) - Number(right.kafkaOffset));
      expect(fromTopic.map(({ commandId }) => commandId)).toEqual(
        sent.map(({ commandId }) => commandId),
      );
      const decidedAt = fromTopic.map(({ decidedVersion }) => Number(decidedVersion));
      expect(decidedAt).toEqual([...decidedAt].sort((left, right) => left - right));
      const applied = rows.filter(({ appliedVersion }) => appliedVersion !== null).map(versionOf);
      applied.sort((left, right) => left - right);
      expect(applied).toEqual(applied.map((_, at) => at + 1));
    }
  });
});
