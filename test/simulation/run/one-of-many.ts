/** Data of one command in a batch that has several of its room: the batch is split, down to that one. */
import type { LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import type { Ends } from './aiming.ts';

/**
 * Of the next batch with several commands of a room the last of these is refused from now on, alone
 * as well; when only that room is left of the batch, so that it is split into its commands: `split`.
 */
export function refuseOneOfMany(
  world: World,
  pod: Pod,
  ends: Ends,
  split: (partition: number) => void,
): void {
  const lane = world.servers.lanes.get(pod.incarnation);
  if (lane === undefined) return;
  let victim: string | null = null;
  let isSplit = false;
  lane.dataFault = (batch) => {
    victim ??= lastOfSeveral(batch);
    const isIn = batch.logRows.some((row) => row.events !== null && nameOf(row) === victim);
    if (!isIn) return false;
    const [row, ...others] = batch.logRows;
    const isOneRoom = others.every((other) => roomOf(other) === (row && roomOf(row)));
    if (row !== undefined && others.length > 0 && isOneRoom && !isSplit) {
      isSplit = true;
      split(row.partition);
    }
    return true;
  };
  ends.add(() => {
    lane.dataFault = () => false;
  });
}

type LogRow = LaneBatch['logRows'][number];

function lastOfSeveral({ logRows }: LaneBatch): string | null {
  const last = logRows.findLast(({ events }) => events !== null);
  if (last === undefined) return null;
  return logRows.filter((row) => roomOf(row) === roomOf(last)).length > 1 ? nameOf(last) : null;
}

function roomOf({ appCode, roomId }: LogRow): string {
  return `${appCode}\0${roomId}`;
}

function nameOf(row: LogRow): string {
  return `${roomOf(row)}\0${row.commandId}`;
}
