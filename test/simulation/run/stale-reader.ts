/**
 * A former owner that reads on. It stands still while the answer to a heartbeat is on its way, so that
 * it fetches before it hears of anything; behind its successor's look at the log's end a gift comes;
 * the successor stands still until that gift has expired. Leases and owner row, which would tell the
 * former owner what it has lost, answer nothing for a while.
 */
import { roomKeyOf, type AppCode, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import { readCommand } from '../checkers/command-records.ts';
import { roomIdOf } from '../clients/client-call.ts';
import { quietRoomOf } from '../plan/quiet-pair.ts';
import type { World } from '../world/world.ts';
import {
  aimedAtHeartbeat,
  type Ends,
  frozen,
  holdRows,
  later,
  partitionsOf,
  whenTaken,
} from './aiming.ts';
import type { MakeFault } from './fault-effect.ts';

/** Longer than a successor takes to open what it has taken over. */
const lookMs = 150;
/** So much longer than a gift's time the successor stands still: clocks differ. */
const graceMs = 700;
const ttlHeader = 'rc-ttl-ms';

/** See the file header. */
export const staleReader: MakeFault = (world, fault) => {
  const partition = quietPartition(world);
  const pod = world
    .podsOf('cell')
    .find((each) => each.state === 'up' && partitionsOf(world, each).includes(partition));
  if (world.podsOf('cell').length < 2) return false;
  return aimedAtHeartbeat(world, fault, pod, (hit, ends) => {
    const thaw = frozen(world, hit, ends);
    whenTaken(world, hit, [partition], ends, (_, successor) => {
      // Behind the successor's look at the log's end.
      later(world, ends, lookMs, () => world.moments.come());
      whenGiftComes(world, partition, ends, (ttlMs) => {
        if (successor.freeze()) {
          const goOn = ends.add(() => successor.thaw());
          later(world, ends, ttlMs + graceMs, goOn);
        }
        const blindMs = 200 + (fault.target % 300);
        later(world, ends, blindMs, holdRows(world, [partition], ends));
        later(world, ends, blindMs, withoutLeases(world, ends));
        later(world, ends, blindMs, withOwnersLate(world, ends, blindMs));
        later(world, ends, fault.choice % 5, thaw);
      });
    });
  });
};

/** When a gift is appended to the partition, and what time it has: once. */
function whenGiftComes(
  world: World,
  partition: number,
  ends: Ends,
  then: (ttlMs: number) => void,
): void {
  let isOver = false;
  world.watch((seen) => {
    if (isOver || ends.isOver || seen.kind !== 'appended') return;
    if (seen.topic !== world.commandsTopic || seen.partition !== partition) return;
    const { command } = readCommand(seen.value);
    if (command?.type !== 'SendGift' || command.roomId !== quietRoomId(world)) return;
    isOver = true;
    then(Number(seen.headers?.[ttlHeader] ?? 0));
  });
}

function quietRoomId({ options }: World): string {
  return roomIdOf(quietRoomOf(options).room);
}

function quietPartition(world: World): number {
  const { appCode } = quietRoomOf(world.options);
  const key = roomKeyOf(appCode as AppCode, quietRoomId(world) as RoomId);
  return partitionOf(key, world.partitionCount);
}

/** Lets each look at the owner rows take so long; answers how to end that. */
function withOwnersLate({ database: { server } }: World, ends: Ends, ms: number): () => void {
  server.late = { what: 'reading the partition owners', ms };
  return ends.add(() => {
    server.late = null;
  });
}

/** Takes the leases' server away; answers how to give it back. */
function withoutLeases({ servers: { leases } }: World, ends: Ends): () => void {
  leases.setMode({ kind: 'down' });
  return ends.add(() => leases.setMode({ kind: 'up' }));
}
