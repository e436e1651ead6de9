/** Streams of the gRPC server: clients that listen, leave, take nothing, and a server that stops. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RoomQueries } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createGrpcClient } from '../../../../src/drivers/grpc/grpc-client.ts';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { clock, failureOf, startRoomServer } from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
let client: ReturnType<typeof createGrpcClient<typeof RoomQueries>>;
beforeEach(async () => {
  rig = await startRoomServer({ takeWithinMs: 300 });
  client = createGrpcClient(RoomQueries, rig.address, clock);
});
afterEach(async () => {
  client.close();
  await rig.close();
});

const request = { appCode: 'app1', roomId: 'r1', afterVersion: 7n };
const watch = (signal?: AbortSignal) =>
  client.streams.watchRoom(request, {
    token: rig.token,
    ...(signal === undefined ? {} : { signal }),
  });
const resumed = (version: number) =>
  ({ kind: 'resumed', version: BigInt(version) as RoomVersion }) as const;

/** Tells one message and then waits until the caller is gone. */
function tellOnce() {
  const left = createDeferred<void>();
  rig.api.watchRoom = async function* ({ signal }) {
    yield resumed(7);
    signal.addEventListener('abort', () => left.resolve(), { once: true });
    await left.promise;
  };
  return left.promise;
}

test('a stream has a caller like every call, and no deadline unless the client sets one', async () => {
  const frames: unknown[] = [];
  rig.api.watchRoom = async function* (frame, asked) {
    await Promise.resolve();
    const { caller, remainingMs } = frame;
    frames.push([caller?.role, remainingMs, asked.afterVersion]);
    yield resumed(7);
  };
  const heard = [];
  for await (const { message } of watch()) heard.push(message.case);
  expect(heard).toEqual(['resumed']);
  expect(frames).toEqual([['user', null, 7n]]);
});

test('a client that leaves, or is past its deadline, ends the work for it', async () => {
  let left = tellOnce();
  for await (const _ of watch()) break;
  await left;
  left = tellOnce();
  const late = (async () => {
    const options = { token: rig.token, timeoutMs: 200 };
    for await (const _ of client.streams.watchRoom(request, options));
  })();
  expect((await failureOf(late)).status).toBe('DEADLINE_EXCEEDED');
  await left;
});

test('a client that takes nothing is cut, and costs nothing more', async () => {
  const over = createDeferred<void>();
  let told = 0;
  const ext = 'x'.repeat(60_000);
  rig.api.watchRoom = async function* () {
    try {
      for (; ; told += 1) {
        await Promise.resolve();
        const event = { eventId: 'e' as never, eventType: 't', eventIndex: 0, text: ext };
        const version = BigInt(told) as RoomVersion;
        yield { kind: 'step', step: { version, occurredAtMs: 1, events: [event] } };
      }
    } finally {
      over.resolve();
    }
  };
  const slow = watch()[Symbol.asyncIterator]();
  await slow.next();
  await over.promise;
  expect(told).toBeLessThan(200);
  const rest = (async () => {
    while ((await slow.next()).done !== true);
  })();
  expect((await failureOf(rest)).status).not.toBe('OK');
});

test('a stop does not wait for a stream whose client just listens', async () => {
  void tellOnce();
  const listening = watch()[Symbol.asyncIterator]();
  await listening.next();
  const next = failureOf(listening.next());
  const startedMs = performance.now();
  await rig.server.stop(300);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect((await next).status).not.toBe('OK');
  await waitUntil('the cut is told', () =>
    Promise.resolve(rig.log.messages('warn').includes('calls cut at the stop deadline')),
  );
});
