/** The runner that all adapters share. */
import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import {
  done,
  driven,
  incoming,
  makeAdapterRig,
  startedRow,
  storeAway,
} from '../../support/adapter-rig.ts';

const never = new AbortController().signal;
const retryable = { kind: 'retryable', error: '10002 internal' } as const satisfies SendOutcome;

describe('an adapter', () => {
  it('starts a run, sends it in order, finishes it as delivered and hints the relay (PIPE-10, OUT-11)', async () => {
    const { adapter, seen } = makeAdapterRig();
    await adapter.onEvents([incoming('a', 1), incoming('a', 2), incoming('b', 3)], never);
    expect(seen.starts).toEqual(['claim-a:1,2', 'claim-b:3']);
    expect(seen.sends.filter((name) => name.startsWith('a'))).toEqual(['a/1', 'a/2']);
    expect(seen.finishes).toContainEqual({
      token: 'claim-a',
      finish: { kind: 'delivered', rowIds: [1n, 2n], supersededRowIds: [] },
    });
    expect(seen.hints).toBe(2);
  });

  it('stops a run at its first failure: nothing behind it is sent (OUT-23)', async () => {
    const { adapter, seen } = makeAdapterRig({
      send: (name) => (name === 'a/2' ? retryable : done),
    });
    await adapter.onEvents(
      [1, 2, 3].map((version) => incoming('a', version)),
      never,
    );
    expect(seen.sends).toEqual(['a/1', 'a/2']);
    expect(seen.finishes).toEqual([
      {
        token: 'claim-a',
        finish: {
          kind: 'failed',
          deliveredRowIds: [1n],
          supersededRowIds: [],
          failedRowId: 2n,
          error: '10002 internal',
          permanent: false,
          countsAsTry: true,
          nextRetryAtMs: 5_000,
          maxRetryCount: 10,
        },
      },
    ]);
  });

  it('waits longer after each failure that the row has behind it (RETRY-3)', async () => {
    const { adapter, seen } = makeAdapterRig({
      started: (_, ids) => ids.map((id) => startedRow(id, { retryCount: 3 })),
      send: () => ({ kind: 'unknown', cause: 'timeout' }),
    });
    await adapter.onEvents([incoming('a', 1)], never);
    expect(seen.finishes[0]?.finish).toMatchObject({
      error: 'no answer: timeout',
      permanent: false,
      countsAsTry: true,
      // 40 s, less the fifth that jitter may take.
      nextRetryAtMs: 32_000,
    });
  });

  it('a failure that asks for a rest is not tried again before it is over', async () => {
    for (const [restMs, nextRetryAtMs] of [
      [10_000, 10_000],
      // The pause between tries is longer.
      [3_000, 5_000],
    ] as const) {
      const { adapter, seen } = makeAdapterRig({ send: () => ({ ...retryable, restMs }) });
      await adapter.onEvents([incoming('a', 1)], never);
      expect(seen.finishes[0]?.finish).toMatchObject({ countsAsTry: true, nextRetryAtMs });
    }
  });

  it('a throttle is waited out as asked and is no try', async () => {
    const { adapter, seen } = makeAdapterRig({
      send: () => ({ kind: 'throttled', error: '10023', retryAfterMs: 700 }),
    });
    await adapter.onEvents([incoming('a', 1)], never);
    expect(seen.finishes[0]?.finish).toMatchObject({ countsAsTry: false, nextRetryAtMs: 700 });
  });

  it('a permanent failure says so once in the log (RETRY-10)', async () => {
    const { adapter, seen, log } = makeAdapterRig({
      send: () => ({ kind: 'permanent', error: '80002 too long' }),
    });
    await adapter.onEvents([incoming('a', 1)], never);
    expect(seen.finishes[0]?.finish).toMatchObject({ permanent: true, error: '80002 too long' });
    expect(log.messages('error')).toHaveLength(1);
  });

  it('does not send what its claim does not cover any more', async () => {
    const { adapter, seen } = makeAdapterRig({ started: () => [] });
    await adapter.onEvents([incoming('a', 1)], never);
    expect(seen.sends).toEqual([]);
    expect(seen.finishes).toEqual([]);
  });

  it('sends the rows of a claim that are left, in the order of the start', async () => {
    const { adapter, seen } = makeAdapterRig({ started: () => [startedRow(2n), startedRow(3n)] });
    await adapter.onEvents(
      [1, 2, 3].map((version) => incoming('a', version)),
      never,
    );
    expect(seen.sends).toEqual(['a/2', 'a/3']);
  });

  it('an event that it saw confirmed ends its row again without being sent again (PUB-5, ARC-11)', async () => {
    const { adapter, seen } = makeAdapterRig();
    await adapter.onEvents([incoming('a', 1, 'first')], never);
    await adapter.onEvents([incoming('a', 1, 'second')], never);
    expect(seen.sends).toEqual(['a/1']);
    expect(seen.finishes.map(({ token }) => token)).toEqual(['first', 'second']);
    expect(seen.finishes[1]?.finish).toMatchObject({ kind: 'delivered', rowIds: [1n] });
  });

  it('an older event that comes late is sent all the same', async () => {
    const { adapter, seen } = makeAdapterRig();
    await adapter.onEvents([incoming('a', 2, 'one')], never);
    await adapter.onEvents([incoming('a', 1, 'replay')], never);
    expect(seen.sends).toEqual(['a/2', 'a/1']);
  });

  it('forgets old confirmations and then sends a repeat', async () => {
    const { adapter, seen } = makeAdapterRig({}, { rememberedEvents: 2 });
    for (const version of [1, 2, 3]) await adapter.onEvents([incoming('a', version)], never);
    await adapter.onEvents([incoming('a', 1), incoming('a', 3)], never);
    expect(seen.sends).toEqual(['a/1', 'a/2', 'a/3', 'a/1']);
  });

  it('confirms what is no longer useful without sending it (ARC-13)', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      started: (_, ids) => ids.map((id) => startedRow(id, { usefulUntilMs: 1_000 })),
    });
    await adapter.onEvents([incoming('a', 1)], never);
    await time.advance(1_001);
    await adapter.onEvents([incoming('a', 2)], never);
    expect(seen.sends).toEqual(['a/1']);
    expect(seen.finishes[1]?.finish).toEqual({
      kind: 'delivered',
      rowIds: [2n],
      supersededRowIds: [2n],
    });
  });

  it.each(['RoomCreated', 'RoomClosed'])('%s is sent however late', async (type) => {
    const { adapter, seen, time } = makeAdapterRig({
      started: (_, ids) => ids.map((id) => startedRow(id, { usefulUntilMs: 1 })),
    });
    await time.advance(10_000);
    await adapter.onEvents([incoming(type, 1)], never);
    expect(seen.sends).toEqual([`${type}/1`]);
  });

  it('works on several rooms at once, but no more than it may', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      send: async (_, clock) => {
        await clock.sleep(10);
        return done;
      },
    });
    const events = Array.from({ length: 10 }, (_, at) => incoming(`r${at}`, at));
    const work = adapter.onEvents(events, never);
    await driven(time, work);
    expect(seen.inFlightMax).toBe(4);
    expect(seen.sends).toHaveLength(10);
  });

  it('of several batches together it works on no more rooms than it may', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      send: async (_, clock) => {
        await clock.sleep(10);
        return done;
      },
    });
    const batch = (from: number) =>
      Array.from({ length: 5 }, (_, at) => incoming(`r${from + at}`, from + at));
    const first = adapter.onEvents(batch(0), never);
    await driven(time, adapter.onEvents(batch(5), never));
    await first;
    expect(seen.inFlightMax).toBe(4);
    expect(seen.sends).toHaveLength(10);
  });

  it('a run of a later batch waits for the room’s earlier one, and for nobody else’s', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      send: async (name, clock) => {
        if (name === 'slow/1') await clock.sleep(2_000);
        return done;
      },
    });
    const first = adapter.onEvents([incoming('slow', 1, 'old')], never);
    const second = adapter.onEvents([incoming('slow', 2, 'new'), incoming('b', 3)], never);
    await time.advance(1);
    expect(seen.starts).toEqual(['old:1', 'claim-b:3']);
    await driven(time, first);
    await second;
    expect(seen.starts).toEqual(['old:1', 'claim-b:3', 'new:2']);
  });

  it('a slow room does not hold the others back', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      send: async (name, clock) => {
        if (name === 'slow/1') await clock.sleep(2_000);
        return done;
      },
    });
    const work = adapter.onEvents(
      [incoming('slow', 1), ...[2, 3, 4, 5, 6].map((at) => incoming(`r${at}`, at))],
      never,
    );
    await time.advance(1);
    expect(seen.finishes).toHaveLength(5);
    await driven(time, work);
  });

  it('two claims of one room in a batch go one after the other', async () => {
    const { adapter, seen } = makeAdapterRig({
      started: (token, ids) => {
        return token === 'old' ? [] : ids.map((id) => startedRow(id));
      },
    });
    const batch = [incoming('a', 1, 'old'), incoming('a', 2, 'old'), incoming('a', 1, 'new')];
    await adapter.onEvents(batch, never);
    expect(seen.starts).toEqual(['old:1,2', 'new:1']);
    expect(seen.sends).toEqual(['a/1']);
  });

  it('begins no send that could outlive its lock; the rest goes back uncounted (OUT-25)', async () => {
    const { adapter, seen, time } = makeAdapterRig({
      send: async (_, clock) => {
        await clock.sleep(30_000);
        return done;
      },
    });
    const work = adapter.onEvents(
      [1, 2, 3].map((version) => incoming('a', version)),
      never,
    );
    await driven(time, work);
    expect(seen.sends).toEqual(['a/1', 'a/2']);
    expect(seen.finishes[0]?.finish).toMatchObject({
      deliveredRowIds: [1n, 2n],
      failedRowId: 3n,
      countsAsTry: false,
      permanent: false,
      nextRetryAtMs: 60_000,
    });
  });

  it('an unreadable envelope fails its row for good and is not sent', async () => {
    const { adapter, seen } = makeAdapterRig({
      read: (name) => (name === 'a/1' ? { kind: 'unreadable', cause: 'bad bytes' } : null),
    });
    await adapter.onEvents([incoming('a', 1)], never);
    expect(seen.sends).toEqual([]);
    expect(seen.finishes[0]?.finish).toMatchObject({ permanent: true, error: 'bad bytes' });
  });
});

describe('an adapter without its store', () => {
  it('sends nothing until the start is written', async () => {
    let tries = 0;
    const { adapter, seen, time } = makeAdapterRig({
      started: (_, ids) => {
        tries += 1;
        if (tries < 4) throw storeAway;
        return ids.map((id) => startedRow(id));
      },
    });
    const work = adapter.onEvents([incoming('a', 1)], never);
    await time.advance(100);
    expect(seen.sends).toEqual([]);
    await driven(time, work);
    expect(seen.sends).toEqual(['a/1']);
  });

  it('writes the finish as soon as the store is back, and sends once', async () => {
    let tries = 0;
    const { adapter, seen, time, log } = makeAdapterRig({
      finish: () => {
        tries += 1;
        if (tries < 5) throw storeAway;
        return { delivered: 1, failedRowState: null, returnedToPending: 0 };
      },
    });
    const work = adapter.onEvents([incoming('a', 1)], never);
    await driven(time, work);
    expect(seen.sends).toEqual(['a/1']);
    expect(seen.finishes).toHaveLength(1);
    expect(log.messages('warn')).toEqual(['waiting for the outbox store']);
  });

  it('a stop gives up a finish that cannot be written: the claim runs out by itself', async () => {
    const stop = new AbortController();
    const { adapter, time } = makeAdapterRig({
      finish: () => {
        throw storeAway;
      },
    });
    const work = adapter.onEvents([incoming('a', 1)], stop.signal);
    await time.advance(1_000);
    stop.abort();
    await time.advance(1);
    await work;
  });

  it('a stop ends the run in hand and refuses the batch, so that it comes again (OUT-27)', async () => {
    const stop = new AbortController();
    const { adapter, seen, time } = makeAdapterRig(
      {
        send: async (_, clock) => {
          await clock.sleep(100);
          return done;
        },
      },
      { concurrentRooms: 1 },
    );
    const work = adapter.onEvents([incoming('a', 1), incoming('b', 2)], stop.signal);
    const ended = expect(work).rejects.toMatchObject({ reason: 'DRAINING' });
    await time.advance(1);
    stop.abort();
    await time.advance(1_000);
    await ended;
    expect(seen.finishes.map(({ token }) => token)).toEqual(['claim-a']);
  });
});

describe('an outage of the destination', () => {
  const allRooms = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => incoming(`r${from + at}`, from + at));

  it('counts no tries once nothing gets through in more than one room', async () => {
    const { adapter, seen, time } = makeAdapterRig({ send: () => retryable });
    const work = adapter.onEvents(allRooms(12), never);
    await driven(time, work);
    const counted = seen.finishes.filter(
      ({ finish }) => finish.kind === 'failed' && finish.countsAsTry,
    );
    expect(counted).toHaveLength(4);
    expect(adapter.isOutage).toBe(true);
  });

  it('is never made of one room: its event may be the cause', async () => {
    const { adapter, seen } = makeAdapterRig({ send: () => retryable });
    for (let turn = 0; turn < 20; turn += 1) await adapter.onEvents([incoming('a', turn)], never);
    expect(adapter.isOutage).toBe(false);
    expect(
      seen.finishes.every(({ finish }) => finish.kind === 'failed' && finish.countsAsTry),
    ).toBe(true);
  });

  it('slows sending down, and one success ends it', async () => {
    let isUp = false;
    const { adapter, time, log } = makeAdapterRig({ send: () => (isUp ? done : retryable) });
    const first = adapter.onEvents(allRooms(12), never);
    await driven(time, first);
    const beganMs = time.monoMs();
    isUp = true;
    const second = adapter.onEvents([incoming('a', 100)], never);
    await time.advance(1);
    expect(adapter.isOutage).toBe(true);
    await driven(time, second);
    expect(adapter.isOutage).toBe(false);
    expect(time.monoMs()).toBeGreaterThan(beganMs);
    expect(log.messages('warn')).toEqual([
      'the destination takes no events; tries are not counted',
    ]);
    expect(log.messages('info')).toEqual(['the destination takes events again']);
  });

  it('is not made of refusals: whoever refuses is there', async () => {
    const { adapter } = makeAdapterRig({ send: () => ({ kind: 'permanent', error: 'no' }) });
    await adapter.onEvents(allRooms(12), never);
    expect(adapter.isOutage).toBe(false);
  });
});
