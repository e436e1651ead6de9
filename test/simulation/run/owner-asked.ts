/**
 * Moments at which only what MySQL says keeps an owner read from telling old things: a former owner
 * that has noticed nothing, and an owner whose memory is a transaction behind what is stored.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import {
  aimed,
  type Ends,
  frozen,
  holdRows,
  later,
  owningCell,
  partitionsOf,
  whenTaken,
} from './aiming.ts';
import type { MakeFault } from './fault-effect.ts';

/** As long the way leads to the former owner, and as long a COMMIT cannot be read back. */
const ledForMs = 1_500;
const heldForMs = 300;
/** The former owner goes on so soon after it was asked, drawn up to this. */
const thawWithinMs = 5;

/** See `aimed-kinds.ts`. */
export const formerOwnerAsked: MakeFault = (world, fault) => {
  const pod = world.podsOf('cell').length < 2 ? undefined : owningCell(world, fault);
  // The room of that reply is in its memory.
  const aim = { pod, point: 'cell.after_reply_before_kafka_commit' } as const;
  return aimed(world, fault, aim, (hit, ends) => {
    const rooms = hit.committedRooms().map(({ appCode, roomId }) => `${appCode}\0${roomId}`);
    const known = new Set(rooms);
    const thaw = frozen(world, hit, ends);
    whenTaken(world, hit, partitionsOf(world, hit), ends, (_, successor) => {
      whenApplied(world, successor, ends, (roomKey) => {
        if (!known.has(roomKey)) return false;
        leadTo(hit, successor, world, ends);
        whenAsked(hit, world, ends, () => later(world, ends, fault.choice % thawWithinMs, thaw));
        later(world, ends, ledForMs, thaw);
        world.onLook(roomKey);
        return true;
      });
    });
  });
};

/** For a while calls for the successor arrive at the former owner. */
function leadTo(former: Pod, successor: Pod, world: World, ends: Ends): void {
  const { reads } = world.servers;
  reads.lead(successor.name, former.name);
  const goOn = ends.add(() => reads.lead(successor.name, successor.name));
  later(world, ends, ledForMs, goOn);
}

/** When the next call arrives at the process. */
function whenAsked(pod: Pod, { servers: { reads } }: World, ends: Ends, then: () => void): void {
  const arrived = ends.add(
    reads.watchArrivals((address) => {
      if (address !== pod.name) return;
      arrived();
      then();
    }),
  );
}

/** See `aimed-kinds.ts`. */
export const askedBehindCommit: MakeFault = (world, fault) => {
  const aim = { pod: owningCell(world, fault), point: 'cell.before_commit_packet' } as const;
  return aimed(world, fault, aim, (hit, ends) => {
    world.servers.lanes.get(hit.incarnation)?.faults.unshift({ kind: 'lostAfterCommit' });
    whenApplied(world, hit, ends, (roomKey) => {
      later(world, ends, heldForMs, holdRows(world, partitionsOf(world, hit), ends));
      world.onLook(roomKey);
      return true;
    });
  });
};

/** When the process has changed a room, until `then` takes one. */
function whenApplied(
  world: World,
  { incarnation, name }: Pod,
  ends: Ends,
  then: (roomKey: string) => boolean,
): void {
  let isOver = false;
  const changed: string[] = [];
  world.database.log.watch((_, before, after: LogRow | undefined) => {
    if (isOver || before !== undefined || after === undefined) return;
    if (after.ownerNodeId !== name || after.appliedVersion === null) return;
    changed.push(`${after.appCode}\0${after.roomId}`);
  });
  // Only then all of the transaction is in the tables.
  world.watch(({ kind }) => {
    if (kind !== 'committed' || changed.length === 0) return;
    const rooms = changed.splice(0);
    const isThere = world.pods.some((pod) => pod.incarnation === incarnation);
    if (!isOver && !ends.isOver && isThere) isOver = rooms.some(then);
  });
}
