/** The activity contract between the adapter's client and a receiver, on the wire. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../../src/domain/ids.ts';
import { createActivityGrpcClient } from '../../../../src/drivers/grpc/activity-grpc-client.ts';
import { createActivityServer } from '../../../../src/drivers/grpc/activity-grpc-server.ts';
import type { IngestAnswer } from '../../../../src/drivers/grpc/activity-grpc-server.ts';
import type { IngestRequest } from '../../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import type { GrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import type { ActivityClient } from '../../../../src/ports/activity-client.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { MemoryLog } from '../../../support/memory-log.ts';
import { clock, silentMetrics, timers } from './room-server-rig.ts';

const codec = createCodec();
const envelope = codec.encodeEnvelope({
  eventId: '6f1f8bb6-5b1e-5f2b-9d43-0a2c1d1f0001' as EventId,
  appCode: 'app1' as AppCode,
  roomId: 'r1' as RoomId,
  eventType: 'RoomUserLeft',
  roomVersion: 9_007_199_254_740_993n as RoomVersion,
  eventIndex: 2,
  occurredAtMs: 1_700_000_000_123,
  commandId: 'c1' as CommandId,
  actorUserId: 'u1' as UserId,
  event: { type: 'RoomUserLeft', userId: 'u1' as UserId, reason: 'left' },
});

let received: IngestRequest[];
let onIngest: () => Promise<IngestAnswer>;
let server: GrpcHost;
let client: ActivityClient;
let address: string;

beforeEach(async () => {
  received = [];
  onIngest = () => Promise.resolve({ kind: 'taken', duplicate: false });
  server = createActivityServer(
    {
      host: '127.0.0.1',
      port: 0,
      onIngest: (request) => {
        received.push(request);
        return onIngest();
      },
    },
    { clock, timers, log: new MemoryLog(), metrics: silentMetrics },
  );
  address = `127.0.0.1:${await server.start()}`;
  client = createActivityGrpcClient({ address, timeoutMs: 10_000 }, { clock, codec });
});

afterEach(async () => {
  await client.stop();
  await server.stop(0);
});

test('an event arrives with its envelope untouched and its key fields beside it (PUB-3, EXT-4)', async () => {
  expect(await client.ingest(envelope)).toEqual({ kind: 'done' });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    eventId: '6f1f8bb6-5b1e-5f2b-9d43-0a2c1d1f0001',
    appCode: 'app1',
    roomId: 'r1',
    eventType: 'RoomUserLeft',
    roomVersion: 9_007_199_254_740_993n,
    eventIndex: 2,
    occurredAtMs: 1_700_000_000_123n,
  });
  expect(Buffer.compare(received[0]?.envelope ?? new Uint8Array(), envelope)).toBe(0);
});

test('an event that the receiver had already is done', async () => {
  onIngest = () => Promise.resolve({ kind: 'taken', duplicate: true });
  expect(await client.ingest(envelope)).toEqual({ kind: 'done' });
});

describe('a refusal', () => {
  test.each([
    ['INVALID_ARGUMENT', 'permanent'],
    ['FAILED_PRECONDITION', 'permanent'],
    ['UNAUTHENTICATED', 'retryable'],
    ['INTERNAL', 'retryable'],
    ['UNAVAILABLE', 'unknown'],
    ['ALREADY_EXISTS', 'done'],
  ] as const)('with %s is %s', async (status, kind) => {
    onIngest = () => Promise.resolve({ kind: 'status', status, message: 'no' });
    expect(await client.ingest(envelope)).toMatchObject({ kind });
  });

  test('for too many calls is a throttle with the pause that the receiver asks for', async () => {
    const busy = { kind: 'status', status: 'RESOURCE_EXHAUSTED', message: 'slow down' } as const;
    onIngest = () => Promise.resolve({ ...busy, retryAfterMs: 2_500 });
    expect(await client.ingest(envelope)).toMatchObject({ kind: 'throttled', retryAfterMs: 2_500 });
    onIngest = () => Promise.resolve(busy);
    expect(await client.ingest(envelope)).toMatchObject({ kind: 'throttled', retryAfterMs: 1_000 });
  });
});

test('a receiver that never answers ends as unknown within the time limit', async () => {
  onIngest = () => new Promise(() => undefined);
  const hasty = createActivityGrpcClient({ address, timeoutMs: 500 }, { clock, codec });
  expect(await hasty.ingest(envelope)).toMatchObject({ kind: 'unknown' });
  await hasty.stop();
});

test('a receiver that is not there ends as unknown', async () => {
  await server.stop(0);
  expect(await client.ingest(envelope)).toMatchObject({ kind: 'unknown' });
});

test('bytes that are no envelope are permanent and never sent', async () => {
  expect(await client.ingest(new Uint8Array([1, 2, 3]))).toMatchObject({ kind: 'permanent' });
  expect(received).toEqual([]);
});
