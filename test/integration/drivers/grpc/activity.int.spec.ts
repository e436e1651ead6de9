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
import type {
  IngestAnswer,
  IngestBatchAnswer,
} from '../../../../src/drivers/grpc/activity-grpc-server.ts';
import { batchesAgainAfterMs } from '../../../../src/drivers/activity-delivery.ts';
import { ActivityIngest } from '../../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import type { IngestRequest } from '../../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import { bridgeService } from '../../../../src/drivers/grpc/grpc-bridge.ts';
import { createGrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import type { GrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import type { ActivityClient } from '../../../../src/ports/activity-client.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { MemoryLog } from '../../../support/memory-log.ts';
import { clock, silentMetrics, timers } from './room-server-rig.ts';

const codec = createCodec();
const envelopeOf = (eventId: string): Uint8Array =>
  codec.encodeEnvelope({
    eventId: eventId as EventId,
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

const envelope = envelopeOf('6f1f8bb6-5b1e-5f2b-9d43-0a2c1d1f0001');
const three = [1, 2, 3].map((at) => envelopeOf(`6f1f8bb6-5b1e-5f2b-9d43-0a2c1d1f000${at}`));
const ports = { clock, timers, log: new MemoryLog(), metrics: silentMetrics };

let received: IngestRequest[];
let batches: (readonly IngestRequest[])[];
let onIngest: () => Promise<IngestAnswer>;
let onIngestBatch: (events: readonly IngestRequest[]) => IngestBatchAnswer;
let server: GrpcHost;
let client: ActivityClient;
let address: string;

beforeEach(async () => {
  received = [];
  batches = [];
  onIngest = () => Promise.resolve({ kind: 'taken', duplicate: false });
  onIngestBatch = (events) => ({ kind: 'front', taken: events.length, notTaken: null });
  server = serverAt(0);
  address = `127.0.0.1:${await server.start()}`;
  client = createActivityGrpcClient({ address, timeoutMs: 10_000 }, { clock, codec });
});

function serverAt(port: number): GrpcHost {
  const receiver = {
    ingest(request: IngestRequest) {
      received.push(request);
      return onIngest();
    },
    ingestBatch(events: readonly IngestRequest[]) {
      batches.push(events);
      return Promise.resolve(onIngestBatch(events));
    },
  };
  return createActivityServer({ host: '127.0.0.1', port, receiver }, ports);
}

/** A receiver that was built when the service had no method for batches. */
function oldServerAt(port: number): GrpcHost {
  const bridged = bridgeService(ActivityIngest, {
    ingest(request) {
      received.push(request);
      return Promise.resolve({ duplicate: false });
    },
    ingestBatch: () => Promise.reject(new Error('there is no such method')),
  });
  const { ingestBatch: _, ...definition } = bridged.definition;
  return createGrpcHost({ host: '127.0.0.1', port, services: [{ ...bridged, definition }] }, ports);
}

const lastDigits = (requests: readonly IngestRequest[]) =>
  requests.map(({ eventId }) => eventId.slice(-1));

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

describe('a batch', () => {
  test('arrives in its order, each event as it would have come alone (PUB-3, EXT-4)', async () => {
    expect(await client.ingestBatch(three)).toEqual({ sent: 3, taken: 3, next: null });
    expect(received).toEqual([]);
    expect(lastDigits(batches[0] ?? [])).toEqual(['1', '2', '3']);
    expect(batches[0]?.[1]).toMatchObject({ roomVersion: 9_007_199_254_740_993n, eventIndex: 2 });
    expect(
      Buffer.compare(batches[0]?.[1]?.envelope ?? new Uint8Array(), three[1] ?? envelope),
    ).toBe(0);
  });

  test.each([
    ['INVALID_ARGUMENT', 'permanent'],
    ['INTERNAL', 'retryable'],
    ['UNAVAILABLE', 'unknown'],
    ['RESOURCE_EXHAUSTED', 'throttled'],
  ] as const)('whose second event is %s has it as %s', async (status, kind) => {
    const notTaken = { kind: 'status', status, message: 'no', retryAfterMs: 2_500 } as const;
    onIngestBatch = () => ({ kind: 'front', taken: 1, notTaken });
    const expected = kind === 'throttled' ? { kind, retryAfterMs: 2_500 } : { kind };
    expect(await client.ingestBatch(three)).toMatchObject({ sent: 3, taken: 1, next: expected });
  });

  test.each([4, 2, -1])('of 3 with %i taken and no reason is unknown', async (taken) => {
    onIngestBatch = () => ({ kind: 'front', taken, notTaken: null });
    expect(await client.ingestBatch(three)).toMatchObject({ taken: 0, next: { kind: 'unknown' } });
  });

  test('that is refused as a whole gives up no event', async () => {
    onIngestBatch = () => ({ kind: 'status', status: 'INVALID_ARGUMENT', message: 'too many' });
    expect(await client.ingestBatch(three)).toEqual({ sent: 1, taken: 1, next: null });
    expect(lastDigits(received)).toEqual(['1']);
  });

  test('goes event by event to a receiver of old, and is tried again when it may be a new one', async () => {
    const port = Number(address.split(':')[1]);
    await server.stop(0);
    server = oldServerAt(port);
    await server.start();
    let aheadMs = 0;
    const ahead: Clock = {
      wallMs: () => clock.wallMs(),
      monoMs: () => clock.monoMs() + aheadMs,
    };
    const lasting = createActivityGrpcClient(
      { address, timeoutMs: 10_000 },
      { clock: ahead, codec },
    );
    expect(await lasting.ingestBatch(three)).toEqual({ sent: 1, taken: 1, next: null });
    await server.stop(0);
    server = serverAt(port);
    await server.start();
    expect(await lasting.ingestBatch(three.slice(1))).toEqual({ sent: 1, taken: 1, next: null });
    expect([lastDigits(received), batches]).toEqual([['1', '2'], []]);
    aheadMs = batchesAgainAfterMs;
    expect(await lasting.ingestBatch(three)).toEqual({ sent: 3, taken: 3, next: null });
    expect(batches).toHaveLength(1);
    await lasting.stop();
  });
});
