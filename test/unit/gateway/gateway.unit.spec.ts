/** The life of the stage: start, readiness, drain, stop (bug case A8). */
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.ts';
import type { GatewayPorts } from '../../../src/gateway/gateway.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { MemoryReadsNetwork } from '../../../src/drivers/memory/memory-reads-network.ts';
import { MemoryRtcTickets } from '../../../src/drivers/memory/memory-rtc-tickets.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import {
  away,
  codec,
  CountingMetrics,
  countingRandom,
  emptyRegistry,
  FakeReplySource,
  FakeSink,
  FakeSlots,
  frame,
  meta,
  outcomeOf,
  PlainPasswords,
  resultReply,
  silentTrace,
} from './gateway-fakes.ts';

function rig(change: Partial<GatewayPorts> = {}) {
  const time = new ManualTime();
  const sink = new FakeSink();
  const slots = new FakeSlots();
  const sources: FakeReplySource[] = [];
  const ports: GatewayPorts = {
    clock: time,
    timers: time,
    random: countingRandom(),
    log: new MemoryLog(),
    metrics: new CountingMetrics(),
    trace: silentTrace,
    codec,
    schemaRegistry: emptyRegistry,
    commandSink: sink,
    replySlots: slots,
    newReplySource: () => {
      const source = new FakeReplySource();
      sources.push(source);
      return source;
    },
    passwords: new PlainPasswords(),
    roomReader: { findResults: () => Promise.resolve([]) } as unknown as GatewayPorts['roomReader'],
    roomQueries: {
      listRooms: () => Promise.resolve({ entries: [], next: null }),
      passwordOf: () => Promise.resolve(null),
      isPlatformBanned: () => Promise.resolve(false),
      roomsById: () => Promise.resolve([]),
      roomsByOwner: () => Promise.resolve([]),
      roomsOfUser: () => Promise.resolve([]),
      listedApps: () => Promise.resolve([]),
    },
    roomListCache: null,
    roomGiftLeaderboard: null,
    operatorStore: {
      carryOut: () => Promise.resolve('done'),
      appliedCommands: () => Promise.resolve([]),
      unappliedCommands: () => Promise.resolve([]),
    },
    replayStore: {
      outboxRows: () => Promise.resolve([]),
      replayedRows: () => Promise.resolve(0),
      deadLetters: () => Promise.resolve([]),
      deadLetter: () => Promise.resolve(null),
    },
    giftCatalogue: { list: () => Promise.resolve([]), setBy: () => Promise.resolve(null) },
    rocketRules: { current: () => Promise.resolve(null), setBy: () => Promise.resolve(null) },
    partitionStops: { read: () => Promise.resolve([]) },
    nodeRegistry: { living: () => Promise.resolve([]) },
    partitionStore: {
      readOwner: () => Promise.resolve(null),
      readOwners: () => Promise.resolve([]),
    },
    peers: new MemoryReadsNetwork({ clock: time, timers: time }).peers(),
    rtcTickets: new MemoryRtcTickets(new Map()),
    ...change,
  };
  const settings = {
    nodeId: 'gw-1',
    partitionCount: 8,
    replySlotCount: 2,
    replySlotTtlMs: 9_000,
    deploymentApp: '',
    limits: defaultGatewayLimits,
  };
  const gateway = createGateway(settings, ports);
  const leave = () => outcomeOf(gateway.execute(frame(), meta(), { type: 'LeaveRoom' }));
  const reply = async (): Promise<void> => {
    sources.at(-1)?.onReply(sink.replyTo(resultReply()));
    await settled();
  };
  return { time, sink, slots, sources, gateway, leave, reply };
}

describe('start', () => {
  test('makes the gateway ready, and not before', async () => {
    const { gateway, leave, reply } = rig();
    expect(gateway.readiness()).toMatchObject({ ready: false });
    const early = leave();
    await settled();
    expect(early.now()).toMatchObject({ failure: { reason: 'UNAVAILABLE' } });
    await gateway.start();
    expect(gateway.readiness()).toEqual({ ready: true, reasons: [] });
    const outcome = leave();
    await settled();
    await reply();
    expect(outcome.now()).toMatchObject({ kind: 'value' });
    await gateway.stop();
  });

  test('that fails stops what it had started and tells the first fault', async () => {
    const { gateway, sink, slots } = rig();
    slots.holders.set(0, 'x').set(1, 'y');
    await expect(gateway.start()).rejects.toThrow('reply slots are held');
    expect(sink.isStopped).toBe(true);
    expect(gateway.readiness().ready).toBe(false);
  });

  test('registers its schemas before it writes anything', async () => {
    const registry = { ...emptyRegistry, register: () => Promise.reject(away()) };
    const { gateway, sink } = rig({ schemaRegistry: registry });
    await expect(gateway.start()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(sink.isStarted).toBe(false);
  });
});

describe('readiness', () => {
  test('names the broker when it is out of reach', async () => {
    const { gateway, sink } = rig();
    await gateway.start();
    sink.healthy = false;
    expect(gateway.readiness().reasons).toEqual(['the commands topic is out of reach']);
    await gateway.stop();
  });

  test('names a lost slot, until another is held', async () => {
    const { gateway, slots, time } = rig();
    await gateway.start();
    slots.holders.set(0, 'x').set(1, 'y');
    await time.advance(3_000);
    expect(gateway.readiness().reasons).toEqual(['no reply slot held']);
    slots.holders.delete(1);
    await time.advance(10_000);
    expect(gateway.readiness().ready).toBe(true);
    await gateway.stop();
  });
});

describe('drain', () => {
  test('refuses new calls, produces nothing for them, and lets those in flight finish', async () => {
    const { gateway, sink, leave, reply } = rig();
    await gateway.start();
    const inFlight = leave();
    await settled();
    const drained = outcomeOf(gateway.drain());
    const refused = [leave(), outcomeOf(gateway.heartbeat(frame(), meta()))];
    await settled();
    for (const outcome of refused) {
      expect(outcome.now()).toMatchObject({
        failure: { reason: 'DRAINING', facts: { produced: 'no' } },
      });
    }
    expect(sink.produced).toHaveLength(1);
    expect(drained.now()).toEqual({ kind: 'pending' });
    expect(gateway.readiness()).toEqual({ ready: false, reasons: ['draining'] });
    await reply();
    expect(inFlight.now()).toMatchObject({ kind: 'value' });
    expect(drained.now()).toMatchObject({ kind: 'value' });
    await gateway.stop();
  });

  test('sends heartbeats that still gather', async () => {
    const { gateway, sink } = rig();
    await gateway.start();
    outcomeOf(gateway.heartbeat(frame(), meta()));
    await settled();
    expect(sink.produced).toHaveLength(0);
    outcomeOf(gateway.drain());
    await settled();
    expect(sink.produced).toHaveLength(1);
    await gateway.stop();
  });
});

describe('stop', () => {
  test('ends calls in flight as unknown and frees everything, once', async () => {
    const { gateway, sink, slots, sources, leave } = rig();
    await gateway.start();
    const inFlight = leave();
    const beat = outcomeOf(gateway.heartbeat(frame(), meta()));
    await settled();
    await Promise.all([gateway.stop(), gateway.stop()]);
    await settled();
    for (const outcome of [inFlight, beat]) {
      expect(outcome.now()).toMatchObject({ failure: { reason: 'OUTCOME_UNKNOWN' } });
    }
    expect([slots.holders.size, sources[0]?.isStopped, sink.isStopped]).toEqual([0, true, true]);
  });

  test('before the start is harmless', async () => {
    const { gateway } = rig();
    await gateway.stop();
    expect(gateway.readiness().ready).toBe(false);
  });
});

describe('a heartbeat', () => {
  test('of a mic session says when the room heard it; of presence nothing (MIC-19, RES-8, CMD-16)', async () => {
    const { gateway, sink, sources, time } = rig();
    await gateway.start();
    const mic = outcomeOf(
      gateway.micHeartbeat(frame(), meta({ commandId: '' }), {
        micSessionId: 's1',
        publishing: false,
      }),
    );
    const room = outcomeOf(gateway.heartbeat(frame(), meta({ commandId: '' })));
    await time.advance(defaultGatewayLimits.heartbeatFoldMs);
    expect(sink.read()).toMatchObject({ items: [{ micSessionId: 's1' }, { micSessionId: '' }] });
    const lists = { notPresent: [], notActive: [], micStale: [] };
    sources[0]?.onReply(sink.replyTo({ kind: 'heartbeats', heardAtMs: 5_000, ...lists }));
    await settled();
    expect(mic.now()).toEqual({ kind: 'value', value: { micHeartbeatAtMs: 5_000 } });
    expect(room.now()).toEqual({ kind: 'value', value: undefined });
    await gateway.stop();
  });

  test('without a mic session is refused before anything gathers', async () => {
    const { gateway, sink, time } = rig();
    await gateway.start();
    const outcome = outcomeOf(
      gateway.micHeartbeat(frame(), meta(), { micSessionId: '', publishing: false }),
    );
    await time.advance(defaultGatewayLimits.heartbeatFoldMs);
    expect(outcome.now()).toMatchObject({ failure: { reason: 'INVALID_FIELD' } });
    expect(sink.produced).toEqual([]);
    await gateway.stop();
  });
});
