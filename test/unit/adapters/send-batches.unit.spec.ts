/** A run at a destination that takes batches: every row ends as it would have ended alone. */
import { describe, expect, it } from 'vitest';
import type { BatchOutcome } from '../../../src/ports/activity-client.ts';
import type { StartedRow } from '../../../src/ports/outbox-store.ts';
import { done, driven, incoming, makeAdapterRig, startedRow } from '../../support/adapter-rig.ts';

const never = new AbortController().signal;

/** All that were given. */
const takesAll = (names: readonly string[]): BatchOutcome => ({
  sent: names.length,
  taken: names.length,
  next: null,
});
/** So many, and then the outcome of the next. */
const takes =
  (taken: number, next: NonNullable<BatchOutcome['next']>) =>
  (names: readonly string[]): BatchOutcome => ({ sent: names.length, taken, next });
const run = (count: number, token?: string) =>
  Array.from({ length: count }, (_, at) => incoming('a', at + 1, token));
const rowsWith =
  (fields: Readonly<Record<string, Partial<StartedRow>>>) =>
  (_: string, ids: readonly bigint[]): readonly StartedRow[] =>
    ids.map((id) => startedRow(id, fields[String(id)] ?? {}));

describe('a run at a destination that takes batches', () => {
  it('goes in one call, in order, and ends delivered (PIPE-10)', async () => {
    const { adapter, seen } = makeAdapterRig({ sendBatch: takesAll });
    await adapter.onEvents([...run(4), incoming('b', 9)], never);
    expect(seen.batches).toEqual(['a/1,a/2,a/3,a/4']);
    expect(seen.sends).toEqual(['b/9']);
    expect(seen.finishes).toContainEqual({
      token: 'claim-a',
      finish: { kind: 'delivered', rowIds: [1n, 2n, 3n, 4n], supersededRowIds: [] },
    });
    expect(Object.fromEntries(seen.counts)).toMatchObject({
      'adapter_sends_total|im|done': 5,
      'adapter_batches_total|im|all': 1,
    });
  });

  it('is delivered up to the first that was not taken, which fails as it would alone (OUT-23)', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: takes(2, { kind: 'retryable', error: '13 internal' }),
    });
    await adapter.onEvents(run(4), never);
    expect(seen.batches).toHaveLength(1);
    expect(seen.sends).toEqual([]);
    expect(seen.finishes[0]?.finish).toEqual({
      kind: 'failed',
      deliveredRowIds: [1n, 2n],
      supersededRowIds: [],
      failedRowId: 3n,
      error: '13 internal',
      permanent: false,
      countsAsTry: true,
      nextRetryAtMs: 5_000,
      maxRetryCount: 10,
    });
    expect(Object.fromEntries(seen.counts)).toMatchObject({
      'adapter_sends_total|im|done': 2,
      'adapter_sends_total|im|retryable': 1,
      'adapter_batches_total|im|front': 1,
    });
  });

  it.each([
    [
      { kind: 'permanent', error: 'no' },
      { permanent: true, countsAsTry: true, error: 'no' },
    ],
    [
      { kind: 'throttled', error: 'busy', retryAfterMs: 700 },
      { permanent: false, countsAsTry: false, nextRetryAtMs: 700 },
    ],
    [
      { kind: 'unknown', cause: 'cut' },
      { permanent: false, countsAsTry: true, error: 'no answer: cut' },
    ],
  ] as const)('gives its failing row what %o means', async (next, finish) => {
    const { adapter, seen } = makeAdapterRig({ sendBatch: takes(1, next) });
    await adapter.onEvents(run(3), never);
    expect(seen.finishes[0]?.finish).toMatchObject({
      deliveredRowIds: [1n],
      failedRowId: 2n,
      ...finish,
    });
  });

  it('of which nobody knows what was taken fails at its first row, and confirms none', async () => {
    let isCut = true;
    const { adapter, seen } = makeAdapterRig({
      sendBatch: (names) =>
        isCut ? takes(0, { kind: 'unknown', cause: 'cut' })(names) : takesAll(names),
    });
    await adapter.onEvents(run(3, 'first'), never);
    expect(seen.finishes[0]?.finish).toMatchObject({ deliveredRowIds: [], failedRowId: 1n });
    expect(seen.counts.get('adapter_batches_total|im|none')).toBe(1);
    isCut = false;
    await adapter.onEvents(run(3, 'second'), never);
    expect(seen.batches).toEqual(['a/1,a/2,a/3', 'a/1,a/2,a/3']);
  });

  it('remembers each that was taken, and none behind the failure (PUB-5)', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: (names) =>
        names.length === 4
          ? takes(2, { kind: 'throttled', error: 'busy', retryAfterMs: 1 })(names)
          : takesAll(names),
    });
    await adapter.onEvents(run(4, 'first'), never);
    await adapter.onEvents(run(4, 'second'), never);
    expect(seen.batches).toEqual(['a/1,a/2,a/3,a/4', 'a/3,a/4']);
    expect(seen.finishes[1]?.finish).toMatchObject({ rowIds: [1n, 2n, 3n, 4n] });
    expect(seen.counts.get('adapter_repeats_total|im')).toBe(2);
  });

  it('takes as many calls as its client needs', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: () => ({ sent: 2, taken: 2, next: null }),
    });
    await adapter.onEvents(run(5), never);
    expect(seen.batches).toEqual(['a/1,a/2,a/3,a/4,a/5', 'a/3,a/4,a/5']);
    expect(seen.sends).toEqual(['a/5']);
    expect(seen.finishes[0]?.finish).toMatchObject({ rowIds: [1n, 2n, 3n, 4n, 5n] });
  });
});

describe('a batch holds only what may be sent', () => {
  it('and ends before an envelope that cannot be read, which then fails by itself', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: takesAll,
      read: (name) => (name === 'a/3' ? { kind: 'unreadable', cause: 'bad bytes' } : null),
    });
    await adapter.onEvents(run(4), never);
    expect(seen.batches).toEqual(['a/1,a/2']);
    expect(seen.finishes[0]?.finish).toMatchObject({
      deliveredRowIds: [1n, 2n],
      failedRowId: 3n,
      permanent: true,
      error: 'bad bytes',
    });
  });

  it('and says nothing of a row that cannot be read when one before it fails', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: takes(1, { kind: 'retryable', error: 'away' }),
      read: (name) => (name === 'a/3' ? { kind: 'unreadable', cause: 'bad bytes' } : null),
    });
    await adapter.onEvents(run(4), never);
    expect(seen.finishes[0]?.finish).toMatchObject({ failedRowId: 2n, permanent: false });
  });

  it('and passes by what is confirmed or no longer of use (ARC-13)', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      sendBatch: takesAll,
      started: rowsWith({ 5: { usefulUntilMs: 1_000 } }),
    });
    await adapter.onEvents([incoming('a', 2, 'before')], never);
    await time.advance(1_001);
    await adapter.onEvents(run(7), never);
    expect(seen.sends).toEqual(['a/2', 'a/1']);
    expect(seen.batches).toEqual(['a/3,a/4', 'a/6,a/7']);
    expect(seen.finishes[1]?.finish).toEqual({
      kind: 'delivered',
      rowIds: [1n, 2n, 3n, 4n, 5n, 6n, 7n],
      supersededRowIds: [5n],
    });
  });

  it('and a row that was tried before goes alone', async () => {
    const { adapter, seen } = makeAdapterRig({
      sendBatch: takesAll,
      started: rowsWith({ 1: { retryCount: 1 }, 4: { retryCount: 2 } }),
    });
    await adapter.onEvents(run(6), never);
    expect(seen.sends).toEqual(['a/1', 'a/4']);
    expect(seen.batches).toEqual(['a/2,a/3', 'a/5,a/6']);
  });

  it('and nothing once its lock could end within a call; the rest goes back uncounted (OUT-25)', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      sendBatch: async (_, clock) => {
        await clock.sleep(30_000);
        return { sent: 2, taken: 2, next: null };
      },
    });
    await driven(time, adapter.onEvents(run(6), never));
    expect(seen.batches).toHaveLength(2);
    expect(seen.finishes[0]?.finish).toMatchObject({
      deliveredRowIds: [1n, 2n, 3n, 4n],
      failedRowId: 5n,
      countsAsTry: false,
    });
  });

  it('and no row ends behind that time, not even one that is known as confirmed', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      sendBatch: async (_, clock) => {
        await clock.sleep(58_000);
        return { sent: 2, taken: 2, next: null };
      },
    });
    await adapter.onEvents([incoming('a', 3, 'before')], never);
    await driven(time, adapter.onEvents(run(3), never));
    expect(seen.finishes[1]?.finish).toMatchObject({ failedRowId: 3n, countsAsTry: false });
  });

  it('and nothing when reading its envelopes has taken that long', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      sendBatch: takesAll,
      read: async (name, clock) => {
        if (name === 'a/3') await clock.sleep(58_000);
        return null;
      },
    });
    await driven(time, adapter.onEvents(run(3), never));
    expect(seen.batches).toEqual([]);
    expect(seen.finishes[0]?.finish).toMatchObject({ failedRowId: 1n, countsAsTry: false });
  });
});

describe('an outage and batches', () => {
  const away = takes(0, { kind: 'unknown', cause: 'no connection' });
  const rooms = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      incoming(`r${at}`, 2 * at),
      incoming(`r${at}`, 2 * at + 1),
    ]).flat();

  it('counts one failure for a call, and then asks with one event until it is over', async () => {
    let isUp = false;
    const { adapter, seen, time, log } = makeAdapterRig({
      send: () => (isUp ? done : { kind: 'unknown', cause: 'no connection' }),
      sendBatch: (names) => (isUp ? takesAll(names) : away(names)),
    });
    await driven(time, adapter.onEvents(rooms(12), never));
    expect(adapter.isOutage).toBe(true);
    // The fifth failure makes the outage; by then the four rooms of that time had gathered theirs.
    expect([seen.batches.length, seen.sends.length]).toEqual([8, 4]);
    isUp = true;
    seen.sends.length = 0;
    seen.batches.length = 0;
    await driven(time, adapter.onEvents(run(4), never));
    expect(seen.sends).toEqual(['a/1']);
    expect(seen.batches).toEqual(['a/2,a/3,a/4']);
    expect(log.messages('info')).toEqual(['the destination takes events again']);
  });

  it('is none while each batch has a front that is taken', async () => {
    const { adapter, time } = makeAdapterRig({
      sendBatch: takes(1, { kind: 'unknown', cause: 'cut' }),
    });
    await driven(time, adapter.onEvents(rooms(12), never));
    expect(adapter.isOutage).toBe(false);
  });
});
