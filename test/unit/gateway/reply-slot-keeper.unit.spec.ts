/** A gateway's reply slot: held, renewed, lost, replaced. */
import { describe, expect, test } from 'vitest';
import { createReplySlotKeeper } from '../../../src/gateway/reply-slot-keeper.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import {
  countingRandom,
  CountingMetrics,
  FakeReplySource,
  FakeSlots,
  outcomeOf,
} from './gateway-fakes.ts';

const ttlMs = 9_000;

function rig() {
  const time = new ManualTime();
  const slots = new FakeSlots();
  const sources: FakeReplySource[] = [];
  let nextStart: () => Promise<void> = () => Promise.resolve();
  const log = new MemoryLog();
  const keeper = createReplySlotKeeper(
    { nodeId: 'gw-1', slotCount: 2, slotTtlMs: ttlMs, callsMax: 10 },
    {
      clock: time,
      timers: time,
      random: countingRandom(),
      log,
      metrics: new CountingMetrics(),
      replySlots: slots,
      newReplySource: () => {
        const source = new FakeReplySource();
        source.startOutcome = nextStart;
        sources.push(source);
        return source;
      },
    },
  );
  const startWith = (start: () => Promise<void>): void => void (nextStart = start);
  return { time, slots, sources, keeper, startWith, log };
}

describe('start', () => {
  test('leases a slot, reads it, and only then offers it', async () => {
    const { keeper, sources, startWith } = rig();
    let isReading = (): void => undefined;
    startWith(() => new Promise((resolve) => (isReading = resolve)));
    const started = outcomeOf(keeper.start());
    await settled();
    expect(keeper.current()).toBeNull();
    isReading();
    await settled();
    expect(started.now()).toMatchObject({ kind: 'value' });
    expect(keeper.current()?.slot).toBe(0);
    expect(sources[0]?.partition).toBe(0);
  });

  test('says clearly that no slot is free', async () => {
    const { keeper, slots } = rig();
    slots.holders.set(0, 'x').set(1, 'y');
    await expect(keeper.start()).rejects.toThrow('all 2 reply slots are held');
  });

  test('gives the slot back when it cannot be read', async () => {
    const { keeper, slots, startWith } = rig();
    startWith(() => Promise.reject(new Error('no broker')));
    await expect(keeper.start()).rejects.toThrow('no broker');
    expect(slots.holders.size).toBe(0);
    expect(keeper.current()).toBeNull();
  });

  test('renews while the reader is slow to begin', async () => {
    const { keeper, slots, time, startWith } = rig();
    startWith(() => new Promise(() => undefined));
    void keeper.start();
    await time.advance(ttlMs * 2);
    expect(slots.renewals).toBeGreaterThanOrEqual(5);
    expect(slots.holders.size).toBe(1);
  });
});

describe('a held slot', () => {
  test('is renewed three times per TTL', async () => {
    const { keeper, slots, time } = rig();
    await keeper.start();
    await time.advance(ttlMs);
    expect(slots.renewals).toBe(3);
    await keeper.stop();
  });

  test('that another gateway holds is let go of, and a new one is read', async () => {
    const { keeper, slots, sources, time } = rig();
    await keeper.start();
    const first = keeper.current();
    const call = outcomeOf(first?.calls.open(60_000)?.ended ?? Promise.reject(new Error('full')));
    slots.holders.set(0, 'another');
    await time.advance(ttlMs / 3);
    expect(call.now()).toEqual({ kind: 'value', value: { kind: 'lost' } });
    expect(sources[0]?.isStopped).toBe(true);
    expect(keeper.current()?.slot).toBe(1);
    expect(slots.holders.get(0)).toBe('another');
    await keeper.stop();
  });

  test('has a new incarnation after every lease', async () => {
    const { keeper, slots, time } = rig();
    await keeper.start();
    const firstId = keeper.current()?.calls.open(1)?.correlationId;
    slots.holders.set(0, 'another');
    await time.advance(ttlMs / 3);
    const secondId = keeper.current()?.calls.open(1)?.correlationId;
    expect(firstId?.split(':')[0]).not.toBe(secondId?.split(':')[0]);
    await keeper.stop();
  });

  test('survives renewals that fail, as long as one works within the TTL', async () => {
    const { keeper, slots, time } = rig();
    await keeper.start();
    slots.isAway = true;
    await time.advance((ttlMs / 3) * 2);
    slots.isAway = false;
    await time.advance(ttlMs * 2);
    expect(keeper.current()?.slot).toBe(0);
    await keeper.stop();
  });

  test('is renewed as soon as MySQL is back, and the outage is said once', async () => {
    const { keeper, slots, time, log } = rig();
    await keeper.start();
    const heldAs = (): string | undefined =>
      keeper.current()?.calls.open(1)?.correlationId.split(':')[0];
    const first = heldAs();
    slots.isAway = true;
    await time.advance(ttlMs - ttlMs / 10);
    slots.isAway = false;
    // Waiting for the next third of the TTL would be too late.
    await time.advance(ttlMs);
    expect(heldAs()).toBe(first);
    const told = log.lines.filter(({ message }) => message === 'the reply slot was not renewed');
    expect(told).toHaveLength(1);
    await keeper.stop();
  });

  test('that cannot be renewed is let go of after one TTL', async () => {
    const { keeper, slots, sources, time } = rig();
    await keeper.start();
    slots.isAway = true;
    await time.advance(ttlMs - 1);
    expect(keeper.current()).not.toBeNull();
    await time.advance(1);
    expect(keeper.current()).toBeNull();
    expect(sources[0]?.isStopped).toBe(true);
    await keeper.stop();
  });

  test('is replaced when the outage is over', async () => {
    const { keeper, slots, time } = rig();
    await keeper.start();
    slots.isAway = true;
    await time.advance(ttlMs * 3);
    expect(keeper.current()).toBeNull();
    slots.isAway = false;
    await time.advance(10_000);
    expect(keeper.current()).not.toBeNull();
    await keeper.stop();
  });

  test('is replaced when its reader dies', async () => {
    const { keeper, slots, sources, time } = rig();
    await keeper.start();
    sources[0]?.onLost(new Error('crashed'));
    await time.advance(1_000);
    expect(keeper.current()).not.toBeNull();
    expect(sources).toHaveLength(2);
    expect(slots.holders.size).toBe(1);
    await keeper.stop();
  });
});

describe('stop', () => {
  test('ends waiting calls as lost, frees the slot and leaves no timer', async () => {
    const { keeper, slots, sources, time } = rig();
    await keeper.start();
    const call = keeper.current()?.calls.open(60_000);
    await keeper.stop();
    expect(await call?.ended).toEqual({ kind: 'lost' });
    expect(slots.holders.size).toBe(0);
    expect(sources[0]?.isStopped).toBe(true);
    const renewals = slots.renewals;
    await time.advance(ttlMs * 3);
    expect(slots.renewals).toBe(renewals);
    await keeper.stop();
  });

  test('ends the search for a new slot', async () => {
    const { keeper, slots, sources, time } = rig();
    await keeper.start();
    slots.isAway = true;
    await time.advance(ttlMs * 2);
    const stopped = outcomeOf(keeper.stop());
    await settled();
    expect(stopped.now()).toMatchObject({ kind: 'value' });
    slots.isAway = false;
    await time.advance(60_000);
    expect(sources).toHaveLength(1);
  });
});
