/** Questions that no client has planned: of everybody at rest (INV-31), and behind aimed faults. */
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

/** Somebody asks for the room as its owner knows it, by any gateway; resolves when that has ended. */
export async function onlooker(network: ClientNetwork, roomKey: string): Promise<void> {
  const [appCode = '', roomId = ''] = roomKey.split('\0');
  const question = { kind: 'view' } as const;
  const ask = {
    kind: 'readOwner',
    appCode,
    roomId,
    role: 'service',
    userId: '',
    question,
  } as const;
  await network.send({ name: 'onlooker', userId: 'onlooker' }, 0, ask, 'service');
}
