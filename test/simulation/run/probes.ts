/** After everything has come to rest: each gateway answers for each partition (INV-31). */
import { partitionOf } from '../../../src/protocol/partition.ts';
import { roomKeyOf, type AppCode, type RoomId } from '../../../src/domain/ids.ts';
import type { ClientNetwork } from '../clients/caller.ts';
import { appCodes } from '../plan/config-of.ts';
import type { World } from '../world/world.ts';

/** A room of each partition, whether it exists or not. */
function roomsOf(world: World): readonly string[] {
  const rooms: string[] = [];
  for (let partition = 0; partition < world.partitionCount; partition += 1) {
    for (let nth = 0; rooms.length <= partition; nth += 1) {
      const room = `probe-${nth}`;
      const key = roomKeyOf(appCodes[0] as AppCode, room as RoomId);
      if (partitionOf(key, world.partitionCount) === partition) rooms.push(room);
    }
  }
  return rooms;
}

/** Asks each gateway about a command of each partition; answers what went wrong, or null. */
export async function probeAll(world: World, network: ClientNetwork): Promise<string | null> {
  const [appCode] = appCodes;
  for (const [at, gateway] of world.podsOf('gateway').entries()) {
    for (const [partition, roomId] of roomsOf(world).entries()) {
      const ask = { kind: 'getCommand', appCode, roomId, commandId: 'probe' } as const;
      const end = await network.send({ name: 'probe', userId: 'probe' }, at, ask, 'service');
      if (end.kind === 'lookup' && end.lookup.kind === 'notExecuted') continue;
      return `${gateway.name} says of partition ${partition}: ${JSON.stringify(end)}`;
    }
  }
  return null;
}
