/** The activity client against the stand-in over real gRPC, with each fault that can be ordered. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, CommandId, EventId, RoomVersion } from '../../../../src/domain/ids.ts';
import { createActivityGrpcClient } from '../../../../src/drivers/grpc/activity-grpc-client.ts';
import { createActivityServer } from '../../../../src/drivers/grpc/activity-grpc-server.ts';
import { startSandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import type { Sandbox, SandboxOptions } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import type { ActivityClient } from '../../../../src/ports/activity-client.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { MemoryLog } from '../../../support/memory-log.ts';
import { alice, joined, owner, room } from '../../../support/room-builders.ts';

const loopback = { host: '127.0.0.1', port: 0 };
const clock = createSystemClock();
const timers = createSystemTimers();
const codec = createCodec();
const metrics = { count: () => undefined, gauge: () => undefined, observeMs: () => undefined };

/** How the composition serves the stand-in over gRPC. */
const startActivityServer: SandboxOptions['startActivityServer'] = async (listen, receiver) => {
  const server = createActivityServer(
    { ...listen, receiver },
    { clock, timers, log: new MemoryLog(), metrics },
  );
  const port = await server.start();
  return { address: `${listen.host}:${port}`, stop: () => server.stop(500) };
};

describe('the activity client on the sandbox', () => {
  let sandbox: Sandbox;
  let client: ActivityClient;
  let events = 0;

  beforeAll(async () => {
    sandbox = await startSandbox({
      imListen: loopback,
      rtcListen: loopback,
      rtcApps: [],
      activityListen: loopback,
      walletListen: loopback,
      controlListen: loopback,
      apps: [],
      walletOpeningCoins: 0n,
      clock,
      timers,
      random: createSystemRandom(),
      startActivityServer,
      startWalletServer: () => Promise.resolve({ address: 'none', stop: () => Promise.resolve() }),
    });
    client = createActivityGrpcClient(
      { address: sandbox.activityAddr, timeoutMs: 1_000 },
      { clock, codec },
    );
  });
  beforeEach(() => order({ clear: true }));
  afterAll(async () => {
    await client.stop();
    await sandbox.stop();
  });

  const order = async (fault: Record<string, unknown>): Promise<void> => {
    const body = JSON.stringify({ destination: 'activity', ...fault });
    const response = await fetch(`${sandbox.controlUrl}/sandbox/faults`, { method: 'POST', body });
    expect(response.status).toBe(200);
  };
  const newEvent = (): { readonly id: string; readonly bytes: Uint8Array } => {
    const id = `6a0f8c1e-0000-5000-8000-${String((events += 1)).padStart(12, '0')}`;
    const bytes = codec.encodeEnvelope({
      eventId: id as EventId,
      appCode: 'demo' as AppCode,
      roomId: room,
      eventType: 'RoomUserJoined',
      roomVersion: BigInt(events) as RoomVersion,
      eventIndex: 0,
      occurredAtMs: 1,
      commandId: 'c' as CommandId,
      actorUserId: owner,
      event: joined(alice),
    });
    return { id, bytes };
  };
  const shown = async (id: string): Promise<unknown> => {
    const response = await fetch(`${sandbox.controlUrl}/sandbox/received?destination=activity`);
    const { rooms } = (await response.json()) as {
      rooms: { events: { event_id: string }[] }[];
    };
    return rooms[0]?.events.find(({ event_id: other }) => other === id);
  };

  it('an event is taken once and its repeat is known', async () => {
    const { id, bytes } = newEvent();
    expect(await client.ingest(bytes)).toEqual({ kind: 'done' });
    expect(await client.ingest(bytes)).toEqual({ kind: 'done' });
    expect(await shown(id)).toMatchObject({ repeats: 0, deduplicated: 1, different: 0 });
  });

  it('unavailable takes nothing, n times as ordered', async () => {
    const { id, bytes } = newEvent();
    await order({ kind: 'unavailable', times: 2 });
    expect(await client.ingest(bytes)).toMatchObject({ kind: 'unknown' });
    expect(await client.ingest(bytes)).toMatchObject({ kind: 'unknown' });
    expect(await shown(id)).toBeUndefined();
    expect(await client.ingest(bytes)).toEqual({ kind: 'done' });
  });

  it('applied and then cut is unknown, and the repeat is deduplicated', async () => {
    const { id, bytes } = newEvent();
    await order({ kind: 'applied_then_cut' });
    expect(await client.ingest(bytes)).toMatchObject({ kind: 'unknown' });
    expect(await client.ingest(bytes)).toEqual({ kind: 'done' });
    expect(await shown(id)).toMatchObject({ deduplicated: 1 });
  });

  it('too slow an answer is unknown within the deadline', async () => {
    const { bytes } = newEvent();
    await order({ kind: 'slow', delay_ms: 5_000 });
    const startedMs = performance.now();
    expect(await client.ingest(bytes)).toMatchObject({ kind: 'unknown' });
    expect(performance.now() - startedMs).toBeLessThan(3_000);
  });

  it('a refusal is permanent', async () => {
    await order({ kind: 'refuse' });
    expect(await client.ingest(newEvent().bytes)).toMatchObject({ kind: 'permanent' });
  });

  it('an order may wait for an event in the midst of a batch', async () => {
    const events = [newEvent(), newEvent(), newEvent()];
    await order({ kind: 'refuse', command: 'ingest_batch', after: 1 });
    expect(await client.ingest(newEvent().bytes)).toEqual({ kind: 'done' });
    expect(await client.ingestBatch(events.map(({ bytes }) => bytes))).toMatchObject({
      sent: 3,
      taken: 1,
      next: { kind: 'permanent' },
    });
    expect(await Promise.all(events.map(({ id }) => shown(id)))).toEqual([
      expect.objectContaining({ repeats: 0 }),
      undefined,
      undefined,
    ]);
  });

  it('an order that makes no sense is refused with what is wrong', async () => {
    const body = JSON.stringify({ destination: 'activity', kind: 'explode' });
    const response = await fetch(`${sandbox.controlUrl}/sandbox/faults`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: expect.stringContaining('unavailable') as string,
    });
  });
});
