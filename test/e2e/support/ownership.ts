/** Who owns which partition, as committed, and rooms that lie where a test needs them. */
import { roomKeyOf, type AppCode, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet } from './fleet.ts';

/** Partitions of a fleet's commands topic. */
const partitions = 16;

/** Node by partition. */
export async function owners(fleet: Fleet): Promise<Map<number, string>> {
  const rows = await fleet.sql('SELECT partition_id, owner_node_id FROM partition_owner');
  return new Map(rows.map((row) => [Number(row['partition_id']), String(row['owner_node_id'])]));
}

/** Waits until two nodes share all partitions. */
export function bothOwn(fleet: Fleet, first: string, second: string): Promise<Map<number, string>> {
  return allOwn(fleet, [first, second]);
}

/** Waits until exactly these nodes share all partitions, each with some. */
export async function allOwn(fleet: Fleet, nodes: readonly string[]): Promise<Map<number, string>> {
  return waitUntil(
    `${nodes.join(' and ')} own all ${partitions} partitions between them`,
    async () => {
      const map = await owners(fleet);
      const owning = new Set(map.values());
      const unreleased = await fleet.sql(
        'SELECT COUNT(*) AS n FROM partition_owner WHERE released = 0',
      );
      const all = Number(unreleased[0]?.['n']) === partitions;
      const areThese = nodes.every((node) => owning.has(node)) && owning.size === nodes.length;
      return all && areThese ? map : null;
    },
    { limitMs: 60_000, everyMs: 100 },
  );
}

/** The partition of a room. */
export function partitionOfRoom(room: string): number {
  return partitionOf(roomKeyOf(fleetApp as AppCode, room as RoomId), partitions);
}

/** A room id that lies on a partition owned by `node`. */
export function roomOf(owned: ReadonlyMap<number, string>, node: string, stem: string): string {
  return roomWhere(stem, (partition) => owned.get(partition) === node);
}

/** A room id whose partition is a wanted one. */
export function roomWhere(stem: string, isWanted: (partition: number) => boolean): string {
  for (let n = 0; ; n += 1) {
    const room = `${stem}-${n}`;
    if (isWanted(partitionOfRoom(room))) return room;
  }
}
