/** Taking parts out of a gathering of work. Pure; order is kept. */
import type { RoomKey } from '../../domain/ids.ts';
import type { Partition } from '../partition/partition.ts';
import type { PartitionWork } from './draft.ts';

/** The work without the given partitions. */
export function withoutPartitions(
  works: readonly PartitionWork[],
  partitions: ReadonlySet<Partition>,
): readonly PartitionWork[] {
  return works.filter(({ partition }) => !partitions.has(partition));
}

/** Only the work of the given partitions. */
export function onlyPartitions(
  works: readonly PartitionWork[],
  partitions: ReadonlySet<Partition>,
): readonly PartitionWork[] {
  return works.filter(({ partition }) => partitions.has(partition));
}

/** The work without the given rooms; their partitions stay for what else they have. */
export function withoutRooms(
  works: readonly PartitionWork[],
  keys: ReadonlySet<RoomKey>,
): readonly PartitionWork[] {
  return works.map((work) => ({
    ...work,
    rooms: work.rooms.filter(({ room }) => !keys.has(room.key)),
  }));
}

/**
 * The next finer split: by partition, then by room (loose items apart), then by single item in
 * order. One group means: cannot be split further.
 */
export function groupsOf(works: readonly PartitionWork[]): readonly (readonly PartitionWork[])[] {
  if (works.length > 1) return works.map((work) => [work]);
  const [work] = works;
  if (work === undefined) return [];
  const { partition, rooms, loose } = work;
  if (rooms.length > 1 || (rooms.length === 1 && loose.length > 0)) {
    const looseGroup = loose.length === 0 ? [] : [[{ partition, rooms: [], loose }]];
    return [...looseGroup, ...rooms.map((room) => [{ partition, rooms: [room], loose: [] }])];
  }
  const [only] = rooms;
  if (only !== undefined && only.items.length > 1) {
    return only.items.map((item) => [
      { partition, rooms: [{ room: only.room, items: [item] }], loose: [] },
    ]);
  }
  if (loose.length > 1) return loose.map((item) => [{ partition, rooms: [], loose: [item] }]);
  return [works];
}
