/** The relay's loop, with a clock that moves only when the test says so. */
import { describe, expect, it } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { PublishOutcome } from '../../../src/ports/event-sink.ts';
import type { ClaimedRun, ClaimRequest } from '../../../src/ports/outbox-store.ts';
import type { Relay } from '../../../src/relay/relay.ts';
import { createRelay } from '../../../src/relay/relay.ts';
import { checkRelayOptions } from '../../../src/relay/relay-options.ts';
import type { RelayOptions } from '../../../src/relay/relay-options.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { outboxApp } from '../../support/outbox-rows.ts';

const options: RelayOptions = {
  workerId: 'relay-1',
  destinations: ['im'],
  shards: [0, 1],
  pollIntervalMs: 1_000,
  batchSize: 10,
  runSize: 5,
  unconfirmedMax: 100,
  publishTimeoutMs: 3_000,
  claimLockMs: 60_000,
  startedMax: 3,
};

function runOf(token: string, rows = 1): ClaimedRun {
  return {
    claimToken: token,
    appCode: outboxApp,
    roomId: `room-${token}` as RoomId,
    destination: 'im',
    rows: Array.from({ length: rows }, (_, at) => ({ rowId: BigInt(at + 1) }) as never),
  };
}

/** A relay over a store that hands out what the test puts into `claims`. */
function makeRelay(fields: Partial<RelayOptions> = {}) {
  const time = new ManualTime();
  const log = new MemoryLog();
  const claims: (readonly ClaimedRun[] | Error)[] = [];
  const outcomes: (readonly PublishOutcome[])[] = [];
  /** What the next publishes wait for. */
  const publishing: Promise<void>[] = [];
  const seen = {
    claims: [] as { readonly atMs: number; readonly request: ClaimRequest }[],
    published: [] as string[],
    returned: [] as string[],
    sinkStopped: 0,
  };
  let hint = (): void => undefined;
  const relay: Relay = createRelay(
    {
      store: {
        claimRuns: (request) => {
          seen.claims.push({ atMs: time.monoMs(), request });
          const next = claims.shift() ?? [];
          return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
        },
        giveBack: (token, rowIds) => {
          seen.returned.push(`${token}:${rowIds.join(',')}`);
          return Promise.resolve();
        },
        start: () => Promise.reject(new Error('not the relay’s')),
        finish: () => Promise.reject(new Error('not the relay’s')),
        blockedRooms: () => Promise.resolve([]),
        backlog: () => Promise.resolve([]),
      },
      sink: {
        start: () => Promise.resolve(),
        publish: async (runs) => {
          seen.published.push(...runs.map((run) => run.claimToken));
          const outcome = outcomes.shift() ?? runs.map((): PublishOutcome => ({ kind: 'stored' }));
          await publishing.shift();
          return outcome;
        },
        stop: () => {
          seen.sinkStopped += 1;
          return Promise.resolve();
        },
      },
      wake: {
        hint: () => undefined,
        subscribe: (onHint) => {
          hint = onHint;
          return () => undefined;
        },
      },
      clock: time,
      timers: time,
      random: { fraction: () => 0.999, hex: (bytes) => 'ab'.repeat(bytes) },
      log,
      metrics: { count: () => undefined, gauge: () => undefined, observeMs: () => undefined },
      trace: { at: () => undefined },
    },
    { ...options, ...fields },
  );
  return { relay, time, log, claims, outcomes, publishing, seen, hint: () => hint() };
}

describe('the relay', () => {
  it('publishes what it claims and leaves the end of the rows to the adapter (ARC-4, PIPE-10, WRK-1, OUT-11)', async () => {
    const { relay, claims, seen, time } = makeRelay();
    claims.push([runOf('a', 2), runOf('b')]);
    await relay.start();
    await settled();
    expect(seen.published).toEqual(['a', 'b']);
    expect(seen.returned).toEqual([]);
    expect(seen.claims[0]?.request).toMatchObject({
      workerId: 'relay-1',
      nowMs: 0,
      lockMs: 60_000,
      batchSize: 10,
    });
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('polls by itself when every hint is lost, ever slower up to the interval (OUT-20, OUT-21, SVC-16, OCFG-3)', async () => {
    const { relay, seen, time } = makeRelay();
    await relay.start();
    await time.advance(10_000);
    const gaps = seen.claims.slice(1).map(({ atMs }, at) => atMs - (seen.claims[at]?.atMs ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
    expect(gaps.at(-1)).toBeGreaterThan(900);
    expect(gaps[0]).toBeLessThan(50);
    expect(seen.claims.length).toBeGreaterThan(10);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('looks at once after a hint, also one that came during a round (OUT-20, SVC-12, SVC-16)', async () => {
    const { relay, seen, time, hint } = makeRelay();
    await relay.start();
    await time.advance(5_000);
    const before = seen.claims.length;
    hint();
    await settled();
    expect(seen.claims.length).toBe(before + 1);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('goes on without a pause while batches are full', async () => {
    const { relay, seen, time, claims } = makeRelay({ batchSize: 5, runSize: 5 });
    claims.push([runOf('a', 5)], [runOf('b', 5)], [runOf('c', 5)]);
    await relay.start();
    await settled();
    await settled();
    expect(seen.published).toEqual(['a', 'b', 'c']);
    expect(seen.claims.every(({ atMs }) => atMs === 0)).toBe(true);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('claims the next batch while a full one is published, and publishes one at a time', async () => {
    const { relay, seen, time, claims, publishing } = makeRelay({ batchSize: 5, runSize: 5 });
    const slow = createDeferred<void>();
    publishing.push(slow.promise);
    claims.push([runOf('a', 5)], [runOf('b', 5)], [runOf('c', 5)]);
    await relay.start();
    await settled();
    await settled();
    expect(seen.claims).toHaveLength(2);
    expect(seen.published).toEqual(['a']);
    slow.resolve();
    await settled();
    await settled();
    expect(seen.published).toEqual(['a', 'b', 'c']);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it.each([
    ['small', 1, 2],
    ['in between', 2, 1],
  ])(
    'claims at a hint while a small batch is published, and not behind a larger one: %s',
    async (_, rows, claimed) => {
      const { relay, seen, time, claims, publishing, hint } = makeRelay({
        batchSize: 20,
        runSize: 5,
      });
      const slow = createDeferred<void>();
      publishing.push(slow.promise);
      claims.push([runOf('a', rows)], [runOf('b')]);
      await relay.start();
      await settled();
      hint();
      await settled();
      expect(seen.claims).toHaveLength(claimed);
      expect(seen.published).toEqual(['a']);
      slow.resolve();
      await settled();
      await settled();
      expect(seen.published).toEqual(['a', 'b']);
      await Promise.all([relay.stop(), time.advance(0)]);
    },
  );

  it('a small batch that was not stored is an outage at once', async () => {
    const { relay, seen, time, claims, outcomes, publishing } = makeRelay({
      batchSize: 20,
      runSize: 5,
    });
    const slow = createDeferred<void>();
    publishing.push(slow.promise);
    outcomes.push([{ kind: 'notSent', cause: 'no broker' }]);
    claims.push([runOf('a')]);
    await relay.start();
    await settled();
    expect(relay.healthy).toBe(true);
    slow.resolve();
    await settled();
    await settled();
    expect(seen.returned).toEqual(['a:1']);
    expect(relay.healthy).toBe(false);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('a batch that was not stored while the next was claimed is an outage all the same', async () => {
    const { relay, seen, time, claims, outcomes } = makeRelay({ batchSize: 5, runSize: 5 });
    claims.push([runOf('a', 5)], [runOf('b', 5)]);
    outcomes.push([{ kind: 'notSent', cause: 'no broker' }]);
    await relay.start();
    await settled();
    await settled();
    expect(seen.published).toEqual(['a', 'b']);
    expect(seen.returned).toEqual(['a:1,2,3,4,5']);
    expect(relay.healthy).toBe(false);
    expect(seen.claims).toHaveLength(2);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('a drain waits for what is being published and publishes nothing that it claimed meanwhile (OUT-27)', async () => {
    const { relay, seen, time, claims, publishing } = makeRelay({ batchSize: 5, runSize: 5 });
    const slow = createDeferred<void>();
    publishing.push(slow.promise);
    claims.push([runOf('a', 5)], [runOf('b', 5)]);
    await relay.start();
    await settled();
    let isOver = false;
    const drained = relay.drain().then(() => {
      isOver = true;
    });
    await settled();
    expect(isOver).toBe(false);
    slow.resolve();
    await drained;
    expect(seen.published).toEqual(['a']);
    expect(seen.returned).toEqual(['b:1,2,3,4,5']);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('gives back what was certainly not sent, and only that', async () => {
    const { relay, seen, time, claims, outcomes } = makeRelay();
    claims.push([runOf('a', 2), runOf('b'), runOf('c')]);
    outcomes.push([
      { kind: 'notSent', cause: 'no broker' },
      { kind: 'unknown', cause: 'timeout' },
      { kind: 'stored' },
    ]);
    await relay.start();
    await settled();
    expect(seen.returned).toEqual(['a:1,2']);
    expect(relay.healthy).toBe(false);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('waits ever longer while Kafka or MySQL is away, deaf to hints, and recovers', async () => {
    const { relay, seen, time, claims, hint, log } = makeRelay();
    const away = new Failure('retry', 'UNAVAILABLE', 'no connection');
    claims.push(away, away, away, away);
    await relay.start();
    await settled();
    for (let at = 0; at < 100; at += 1) hint();
    await settled();
    expect(seen.claims).toHaveLength(1);
    await time.advance(10_000);
    const gaps = seen.claims.slice(1, 5).map(({ atMs }, at) => atMs - (seen.claims[at]?.atMs ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(200);
    expect(gaps[3]).toBeGreaterThan((gaps[0] ?? 0) * 4);
    expect(relay.healthy).toBe(true);
    expect(log.messages('warn')).toEqual(['the relay waits']);
    expect(log.messages('info')).toEqual(['the relay works again']);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('survives a fault of its own and says so', async () => {
    const { relay, seen, time, claims, log } = makeRelay();
    claims.push(new TypeError('a bug'));
    await relay.start();
    await time.advance(1_000);
    expect(log.messages('error')).toEqual(['the relay met a fault of its own']);
    expect(seen.claims.length).toBeGreaterThan(1);
    await Promise.all([relay.stop(), time.advance(0)]);
  });

  it('claims nothing more once it drains, and lets the sink go after the round (OUT-27)', async () => {
    const { relay, seen, time } = makeRelay();
    await relay.start();
    await time.advance(100);
    const before = seen.claims.length;
    await relay.stop();
    await relay.stop();
    await time.advance(10_000);
    expect(seen.claims.length).toBe(before);
    expect(seen.sinkStopped).toBeGreaterThan(0);
  });

  it('refuses to start without a destination', async () => {
    const { relay } = makeRelay({ destinations: [] });
    await expect(relay.start()).rejects.toMatchObject({
      kind: 'reject',
      reason: 'INVALID_FIELD',
      message: expect.stringContaining('no destination') as string,
    });
  });
});

describe('the relay’s options', () => {
  it.each<[string, Partial<RelayOptions>]>([
    ['claim_lock', { claimLockMs: 3_000 }],
    ['run_size', { runSize: 11 }],
    ['batch_size', { batchSize: 0 }],
    ['poll_interval', { pollIntervalMs: -1 }],
    ['started_max', { startedMax: 1.5 }],
    ['shard', { shards: [] }],
  ])('are refused with the key’s name: %s (OCFG-10)', (key, fields) => {
    expect(() => checkRelayOptions({ ...options, ...fields })).toThrow(key);
  });

  it('are all named at once', () => {
    expect(() => checkRelayOptions({ ...options, batchSize: 0, publishTimeoutMs: 0 })).toThrow(
      /batch_size.*publish_timeout/,
    );
  });
});
