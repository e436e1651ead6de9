/** A rocket's wake-up is asked for behind the delivery of its ignition (ROCKET-5, SVC-18). */
import { describe, expect, it } from 'vitest';
import { createLaunchScheduling } from '../../../src/adapters/schedule-launches.ts';
import { createEnvelopeReader } from '../../../src/adapters/read-envelope.ts';
import { MemoryRocketWakes } from '../../../src/drivers/memory/memory-rocket-scheduler.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { envelopes } from '../../golden/0.4.0/samples.ts';
import { done, incoming, makeAdapterRig, startedRow } from '../../support/adapter-rig.ts';
import { MemoryLog } from '../../support/memory-log.ts';

const never = new AbortController().signal;
const codec = createCodec();

function rigOfHook() {
  const server = new MemoryRocketWakes();
  const counted: string[] = [];
  const log = new MemoryLog();
  const hook = createLaunchScheduling({
    scheduler: server.open(),
    readEnvelope: createEnvelopeReader(codec, { find: () => Promise.resolve(null) }),
    log,
    metrics: {
      count: (_name, labels) => void counted.push(String(labels?.['outcome'])),
      gauge: () => undefined,
      observeMs: () => undefined,
    },
  });
  return { server, counted, log, hook };
}

describe('an adapter', () => {
  it('tells of a delivery behind its finish, and of nothing else (SVC-18)', async () => {
    const told: string[] = [];
    const { adapter, seen } = makeAdapterRig({
      send: (name) => (name === 'a/2' ? { kind: 'permanent', error: 'no' } : done),
      delivered: (name) => void told.push(`${name} behind ${seen.finishes.length}`),
    });
    await adapter.onEvents(
      [1, 2, 3].map((version) => incoming('a', version)),
      never,
    );
    expect(told).toEqual(['a/1 behind 1']);
  });

  it('tells of no row whose claim was another’s by then', async () => {
    const told: string[] = [];
    const { adapter } = makeAdapterRig({
      started: () => [startedRow(2n)],
      delivered: (name) => void told.push(name),
    });
    await adapter.onEvents([incoming('a', 1), incoming('a', 2)], never);
    expect(told).toEqual(['a/2']);
  });
});

describe('a delivered ignition', () => {
  const ignition = envelopes.find(({ eventType }) => eventType === 'RoomRocketIgnited');
  if (ignition?.event?.type !== 'RoomRocketIgnited') throw new Error('no sample of an ignition');
  const { appCode, roomId, event } = ignition;
  const wake = {
    roomKey: roomKeyOf(appCode, roomId),
    roundNo: event.roundNo,
    launchAtMs: event.launchAtMs,
  };

  it('is what a wake-up is asked for, once however often it is delivered (ROCKET-5)', async () => {
    const { server, counted, hook } = rigOfHook();
    await hook(codec.encodeEnvelope(ignition));
    await hook(codec.encodeEnvelope(ignition));
    expect([...server.wakes.values()]).toEqual([wake]);
    expect(counted).toEqual(['asked', 'asked']);
  });

  it('of another kind asks for nothing', async () => {
    const { server, hook } = rigOfHook();
    for (const envelope of envelopes) {
      if (envelope !== ignition) await hook(codec.encodeEnvelope(envelope));
    }
    expect(server.wakes.size).toBe(0);
  });

  it('that cannot be asked for is counted and not tried again: the deadline is the net', async () => {
    const { server, counted, log, hook } = rigOfHook();
    server.isAway = true;
    await hook(codec.encodeEnvelope(ignition));
    server.isAway = false;
    expect([counted, server.wakes.size]).toEqual([['lost'], 0]);
    expect(log.messages('info')).toHaveLength(1);
  });
});
