/** A stop that stops (bug case A8): answers what is in flight, waits for nothing that never ends. */
import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../support/wait-until.ts';
import { failureOf, startRoomServer, success } from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
beforeEach(async () => void (rig = await startRoomServer()));
afterEach(() => rig.close());

const meta = { appCode: 'app1', roomId: 'r1', commandId: 'c1' };
const call = () => ({ timeoutMs: 10_000, token: rig.token });
const arrived = (count: number) =>
  waitUntil(`${count} calls to arrive`, () => Promise.resolve(rig.api.calls.length >= count));

/** Commands wait until the function returned is called. */
function holdCommands(): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  rig.api.onExecute = () => held.then(() => success);
  return release;
}

test('a drain refuses new calls with a reason and lets those in flight finish', async () => {
  const release = holdCommands();
  const inFlight = Array.from({ length: 20 }, () => rig.commands.leaveRoom({ meta }, call()));
  await arrived(20);
  rig.server.drain();
  const refused = await Promise.all(
    Array.from({ length: 10 }, () => failureOf(rig.commands.leaveRoom({ meta }, call()))),
  );
  for (const failure of refused) {
    expect(failure).toMatchObject({
      status: 'UNAVAILABLE',
      reason: 'DRAINING',
      facts: { produced: 'no' },
    });
  }
  expect(rig.api.calls).toHaveLength(20);
  release();
  expect(await Promise.all(inFlight)).toHaveLength(20);
});

test('a stop ends as soon as the calls in flight are answered, with the answers sent', async () => {
  const release = holdCommands();
  const inFlight = Array.from({ length: 20 }, () => rig.commands.leaveRoom({ meta }, call()));
  await arrived(20);
  const startedMs = performance.now();
  const stopped = rig.server.stop(20_000);
  expect(await failureOf(rig.commands.leaveRoom({ meta }, call()))).toMatchObject({
    status: 'UNAVAILABLE',
  });
  release();
  expect(await Promise.all(inFlight)).toHaveLength(20);
  await stopped;
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(rig.api.calls).toHaveLength(20);
});

test('a stop ends at its deadline with a call still open', async () => {
  holdCommands();
  const stuck = failureOf(rig.commands.leaveRoom({ meta }, call()));
  await arrived(1);
  const startedMs = performance.now();
  await rig.server.stop(300);
  const tookMs = performance.now() - startedMs;
  expect(tookMs).toBeGreaterThanOrEqual(290);
  expect(tookMs).toBeLessThan(5_000);
  expect(await stuck).toMatchObject({ reason: '' });
  expect(rig.log.messages('warn')).toEqual(['calls cut at the stop deadline']);
});

test('a stop does not wait for somebody who only watches the health', async () => {
  const Health = makeGenericClientConstructor(healthDefinition, 'Health');
  const health = new Health(rig.address, credentials.createInsecure());
  const seen: string[] = [];
  const watch = health['watch']?.({ service: '' }) as ClientReadableStream<{ status: string }>;
  watch.on('data', (answer: { status: string }) => seen.push(answer.status));
  // The stream ends with the server; how is not what is asked here.
  watch.on('error', () => undefined);
  await waitUntil('the watch to begin', () => Promise.resolve(seen.length > 0));
  const startedMs = performance.now();
  await rig.server.stop(20_000);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(seen).toEqual(['SERVING', 'NOT_SERVING']);
  health.close();
});

test('a second stop is the first one', async () => {
  const first = rig.server.stop(5_000);
  expect(rig.server.stop(1)).toBe(first);
  await first;
});
