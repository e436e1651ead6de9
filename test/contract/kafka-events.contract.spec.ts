/** A destination's topic from the relay's sink to the adapter's source, on a real broker. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaEventSink } from '../../src/drivers/kafka/kafka-event-sink.ts';
import { createKafkaEventSource } from '../../src/drivers/kafka/kafka-event-source.ts';
import type { AppCode, EventId, RoomId, RoomVersion } from '../../src/domain/ids.ts';
import type { EventSink } from '../../src/ports/event-sink.ts';
import type { EventSource, IncomingEvent } from '../../src/ports/event-source.ts';
import type { ClaimedRun } from '../../src/ports/outbox-store.ts';
import { createDeferred } from '../../src/kernel/deferred.ts';
import { driverDeps } from '../support/driver-deps.ts';
import type { DriverDeps } from '../support/driver-deps.ts';
import { openKafkaSpace } from '../support/kafka-space.ts';
import type { KafkaSpace } from '../support/kafka-space.ts';
import { waitUntil } from '../support/wait-until.ts';

type Handler = (events: readonly IncomingEvent[], signal: AbortSignal) => Promise<void>;

function run(room: string, firstRow: number, rows: number, bytes = 20): ClaimedRun {
  return {
    claimToken: `claim-${room}-${firstRow}`,
    appCode: 'app1' as AppCode,
    roomId: room as RoomId,
    destination: 'im',
    rows: Array.from({ length: rows }, (_, index) => ({
      rowId: BigInt(firstRow + index),
      eventId: `e${index}` as EventId,
      eventType: 'RoomUserJoined',
      roomVersion: BigInt(firstRow + index) as RoomVersion,
      eventIndex: 0,
      envelope: Buffer.alloc(bytes, index % 250),
      retryCount: 0,
      usefulUntilMs: null,
    })),
  };
}

describe('kafka event sink and source', () => {
  let space: KafkaSpace;
  let sink: EventSink;
  let deps: DriverDeps;
  let group = 0;
  const sources: EventSource[] = [];

  beforeAll(async () => {
    space = await openKafkaSpace();
    sink = createKafkaEventSink(
      { kafka: space.kafka, topic: space.topics.events.im, sendBytesMax: 4_000 },
      driverDeps(),
    );
    await sink.start();
  });
  afterEach(async () => {
    await Promise.all(sources.splice(0).map((source) => source.stop()));
    group += 1;
  });
  afterAll(async () => {
    await sink.stop();
    await space.close();
  });

  async function start(instanceName: string, onEvents: Handler): Promise<EventSource> {
    deps = driverDeps();
    const source = createKafkaEventSource(
      {
        kafka: space.kafka,
        topic: space.topics.events.im,
        groupId: `${space.prefix}.adapter-${group}`,
        instanceName,
        sessionTimeoutMs: 1_500,
        heartbeatIntervalMs: 150,
        maxWaitMs: 100,
        retryPauseMs: 50,
        drainTimeoutMs: 600,
        stopTimeoutMs: 600,
      },
      deps,
    );
    sources.push(source);
    await source.start({ onEvents, onCrashed: (cause) => expect.unreachable(String(cause)) });
    return source;
  }
  const isMine = (prefix: string) => (event: IncomingEvent) =>
    event.roomKey.startsWith(`app1\0${prefix}`);

  it('carries rows in order, with their row, claim, room and bytes', async () => {
    const runs = [run('o1', 1, 40, 300), run('o2', 100, 3), run('o3', 200, 1, 9_000)];
    expect(await sink.publish(runs, 5_000)).toEqual(runs.map(() => ({ kind: 'stored' })));
    const events: IncomingEvent[] = [];
    await start('a', (batch) => {
      events.push(...batch.filter(isMine('o')));
      return Promise.resolve();
    });
    await waitUntil('all 44 rows', () => Promise.resolve(events.length === 44), {
      seen: () => events.length,
    });
    for (const { roomId, claimToken, rows } of runs) {
      const own = events.filter(({ roomKey }) => roomKey === `app1\0${roomId}`);
      expect(own.map(({ rowId }) => rowId)).toEqual(rows.map(({ rowId }) => rowId));
      expect(new Set(own.map((event) => event.claimToken))).toEqual(new Set([claimToken]));
      expect(own.map(({ envelope }) => Buffer.from(envelope))).toEqual(
        rows.map(({ envelope }) => Buffer.from(envelope)),
      );
    }
  });

  it('a handler may take longer than the session: the membership stays, nothing repeats', async () => {
    const seen: bigint[] = [];
    const long = createDeferred<void>();
    await start('a', async (batch) => {
      const own = batch.filter(isMine('l'));
      seen.push(...own.map(({ rowId }) => rowId));
      if (own.some(({ rowId }) => rowId === 1n)) await long.promise;
    });
    await sink.publish([run('l1', 1, 2)], 5_000);
    await waitUntil('the long batch in hand', () => Promise.resolve(seen.length === 2));
    // Twice the session time-out; the other partition goes on meanwhile or not, both are fine.
    const heldSince = performance.now();
    await waitUntil('time past the session', () =>
      Promise.resolve(performance.now() - heldSince > 3_000),
    );
    long.resolve();
    await sink.publish([run('l1', 3, 2)], 5_000);
    await waitUntil('the rows after it', () => Promise.resolve(seen.length >= 4));
    expect(seen).toEqual([1n, 2n, 3n, 4n]);
    expect(deps.metrics.sumOf('roomcell_kafka_event_commit_failed_total')).toBe(0);
  });

  it('a rejected batch comes again, whole, before anything behind it', async () => {
    const calls: bigint[][] = [];
    let failures = 2;
    await start('a', (batch) => {
      const own = batch.filter(isMine('j'));
      if (own.length === 0) return Promise.resolve();
      calls.push(own.map(({ rowId }) => rowId));
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('IM is away')) : Promise.resolve();
    });
    await sink.publish([run('j1', 1, 3)], 5_000);
    await waitUntil('the first try', () => Promise.resolve(calls.length > 0));
    await sink.publish([run('j1', 4, 1)], 5_000);
    await waitUntil('the row behind it', () => Promise.resolve(calls.at(-1)?.at(-1) === 4n));
    expect(calls).toEqual([[1n, 2n, 3n], [1n, 2n, 3n], [1n, 2n, 3n], [4n]]);
  });

  it('goes on after a restart behind what was handled', async () => {
    const first: bigint[] = [];
    const source = await start('a', (batch) => {
      first.push(...batch.filter(isMine('s')).map(({ rowId }) => rowId));
      return Promise.resolve();
    });
    await sink.publish([run('s1', 1, 5)], 5_000);
    await waitUntil('five rows', () => Promise.resolve(first.length === 5));
    await source.stop();
    const second: bigint[] = [];
    await sink.publish([run('s1', 6, 2)], 5_000);
    await start('a', (batch) => {
      second.push(...batch.map(({ rowId }) => rowId));
      return Promise.resolve();
    });
    await waitUntil('two rows', () => Promise.resolve(second.length >= 2));
    expect(second).toEqual([6n, 7n]);
  });

  it.each(['never ends', 'ends when aborted'])(
    'stops in time though a handler %s, and does not count its batch as done',
    async (manner) => {
      const room = manner.replaceAll(' ', '-');
      let isStuck = false;
      let isAborted = false;
      const source = await start('a', (batch, signal) => {
        if (!batch.some(isMine(room))) return Promise.resolve();
        isStuck = true;
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            isAborted = true;
            if (manner === 'ends when aborted') resolve();
          });
        });
      });
      await sink.publish([run(room, 1, 1)], 5_000);
      await waitUntil('the stuck batch', () => Promise.resolve(isStuck));
      const startedAt = performance.now();
      await source.stop();
      expect(performance.now() - startedAt).toBeLessThan(3_000);
      expect(isAborted).toBe(true);
      const again: bigint[] = [];
      await start('a', (batch) => {
        again.push(...batch.filter(isMine(room)).map(({ rowId }) => rowId));
        return Promise.resolve();
      });
      await waitUntil('the batch again', () => Promise.resolve(again.length > 0));
      expect(again).toEqual([1n]);
    },
  );

  it('skips and counts what it cannot read, and goes on', async () => {
    const raw = createKafkaCommandSink(
      { kafka: space.kafka, topic: space.topics.events.im },
      driverDeps(),
    );
    await raw.start();
    for (const partition of [0, 1]) {
      await raw.produce({
        partition,
        key: Buffer.from('no room key'),
        value: Buffer.from('junk'),
        headers: {},
      });
    }
    await raw.stop();
    await sink.publish([run('u1', 1, 1)], 5_000);
    const events: IncomingEvent[] = [];
    await start('a', (batch) => {
      events.push(...batch.filter(isMine('u')));
      return Promise.resolve();
    });
    await waitUntil('the row behind the junk', () => Promise.resolve(events.length === 1));
    await waitUntil('both counted', () =>
      Promise.resolve(deps.metrics.sumOf('roomcell_kafka_events_unreadable_total') === 2),
    );
  });

  it('says unknown when the time for publishing runs out, and not sent when it never went out', async () => {
    expect(await sink.publish([run('t1', 1, 1)], 0)).toEqual([
      { kind: 'notSent', cause: 'the time for publishing was used up' },
    ]);
    const stopped = createKafkaEventSink(
      { kafka: { ...space.kafka, brokers: ['127.0.0.1:1'] }, topic: space.topics.events.im },
      driverDeps(),
    );
    void stopped.start();
    const [outcome] = await stopped.publish([run('t1', 1, 1)], 4_000);
    expect(outcome?.kind).toBe('notSent');
    await stopped.stop();
  });
});
