/** Owner reads between nodes over real gRPC on loopback. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../scripts/stack/machine.ts';
import {
  roomKeyOf,
  type AppCode,
  type RoomId,
  type RoomVersion,
} from '../../../../src/domain/ids.ts';
import {
  AskerRole,
  OwnerReads as OwnerReadsService,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/owner_reads_pb.ts';
import { createGrpcClient, GrpcCallError } from '../../../../src/drivers/grpc/grpc-client.ts';
import { createOwnerReadsPeers } from '../../../../src/drivers/grpc/owner-reads-client.ts';
import { createOwnerReadsServer } from '../../../../src/drivers/grpc/owner-reads-server.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import type { OwnerReads, OwnerReadsServer } from '../../../../src/ports/owner-reads.ts';
import type { OwnerWatches } from '../../../../src/ports/room-watch.ts';
import { noWatches } from '../../../support/no-watches.ts';
import { ownerReadsContract } from '../../../contract/suites/owner-reads-contract.ts';
import { roomWatchContract } from '../../../contract/suites/room-watch-contract.ts';
import { MemoryLog } from '../../../support/memory-log.ts';

const clock = createSystemClock();
const metrics = { count: () => {}, gauge: () => {}, observeMs: () => {} };
const ports = { clock, timers: createSystemTimers(), log: new MemoryLog(), metrics };
const host = '127.0.0.1';
const serverOf = (node: OwnerReads & OwnerWatches, token: string): OwnerReadsServer =>
  createOwnerReadsServer({ host, port: 0, token }, node, ports);

const overGrpc = () =>
  Promise.resolve({
    serverOf: (node: OwnerReads & OwnerWatches) => serverOf(node, 'a token'),
    peers: () => createOwnerReadsPeers({ token: 'a token' }, { clock }),
    emptyAddress: async () => `${host}:${await freePort()}`,
    close: () => Promise.resolve(),
  });

ownerReadsContract('gRPC', overGrpc);
roomWatchContract('gRPC', overGrpc);

describe('the server of owner reads', () => {
  const asked: string[] = [];
  const guard: OwnerReads & OwnerWatches = {
    ...noWatches,
    read: ({ roomKey }) => {
      asked.push(roomKey);
      return Promise.resolve({
        roomVersion: 1n as RoomVersion,
        ownerEpoch: 1n,
        answer: { kind: 'guard', refusal: null, onSeat: false },
      });
    },
  };
  const server = serverOf(guard, 'a token');
  let address = '';
  beforeAll(async () => {
    address = await server.start();
  });
  afterAll(() => server.stop(0));

  it.each([
    ['no token', ''],
    ['another one', 'a tokem'],
    ['a longer one', 'a token!'],
  ])('refuses a stranger with %s, and asks the node nothing', async (_, token) => {
    const peers = createOwnerReadsPeers({ token }, { clock });
    const read = {
      roomKey: roomKeyOf('app1' as AppCode, 'r1' as RoomId),
      asker: { role: 'service', userId: null },
      question: { kind: 'view' },
      forwardedBy: '',
    } as const;
    const call = { withinMs: 5_000, signal: new AbortController().signal };
    const refused = peers.at(address).read(read, call);
    await expect(refused).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    await peers.stop();
    expect(asked).toEqual([]);
  });

  it.each([
    ['app_code', { appCode: 'a b' }],
    ['room_id', { roomId: '' }],
    ['asker_role', { askerRole: 7 as AskerRole }],
    ['asker_user_id', { askerUserId: 'a b' }],
    ['question', { question: { case: undefined } }],
    ['after_user_id', { question: { case: 'bans', value: { afterUserId: '!' } } }],
  ] as const)('refuses a request whose %s no node of ours sends', async (field, change) => {
    const client = createGrpcClient(OwnerReadsService, address, clock);
    const request = {
      appCode: 'app1',
      roomId: 'r1',
      askerRole: AskerRole.SERVICE,
      question: { case: 'view', value: {} },
      ...change,
    } as const;
    const options = { timeoutMs: 5_000, token: 'a token' };
    const error: unknown = await client.calls.read(request, options).catch((e: unknown) => e);
    client.close();
    expect(error).toBeInstanceOf(GrpcCallError);
    expect((error as GrpcCallError).failure).toMatchObject({
      reason: 'INVALID_FIELD',
      facts: { field },
    });
    expect(asked).toEqual([]);
  });
});
