/** What every EventSink and EventSource must do: a destination's topic from relay to adapter. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { EventSink } from '../../../src/ports/event-sink.ts';
import type { EventSource, IncomingEvent } from '../../../src/ports/event-source.ts';
import { crc32cHex } from '../../../src/protocol/crc32c.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import { claimedRun } from '../../support/claimed-run.ts';
import type { DriverDeps } from '../../support/driver-deps.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { startWatched } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Handler = (events: readonly IncomingEvent[], signal: AbortSignal) => Promise<void>;

const quick = {
  sessionTimeoutMs: 1_500,
  heartbeatIntervalMs: 150,
  maxWaitMs: 100,
  retryPauseMs: 50,
  drainTimeoutMs: 600,
  stopTimeoutMs: 600,
};
/** Rooms whose keys fall onto one partition each of the two. */
const roomOn = (partition: number): string =>
  ['q0', 'q1', 'q2', 'q3', 'q4', 'q5'].find(
    (room) => partitionOf(claimedRun(room, 1, 0).roomKey, 2) === partition,
  ) ?? '';

/** Declares the suite. */
export function eventLogContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`EventSink and EventSource contract: ${name}`, () => {
    let space: LogSpace;
    let sink: EventSink;
    let deps: DriverDeps;
    let group = 0;
    const sources: EventSource[] = [];

    beforeAll(async () => {
      space = await openSpace();
      sink = space.eventSink({ sendBytesMax: 4_000 }, space.deps());
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
      deps = space.deps();
      const groupId = `${space.prefix}.adapter-${group}`;
      const source = space.eventSource({ groupId, instanceName, ...quick }, deps);
      sources.push(source);
      await source.start({ onEvents, onCrashed: (cause) => expect.unreachable(String(cause)) });
      return source;
    }
    const isMine = (prefix: string) => (event: IncomingEvent) =>
      event.roomKey.startsWith(`app1\0${prefix}`);

    it('carries rows in order, with their row, claim, room and bytes (EXT-13)', async () => {
      const runs = [
        claimedRun('o1', 1, 40, 300),
        claimedRun('o2', 100, 3),
        claimedRun('o3', 200, 1, 9_000),
      ];
      expect(await sink.publish(runs, 5_000)).toEqual(runs.map(() => ({ kind: 'stored' })));
      const events: IncomingEvent[] = [];
      await start('a', (batch) => {
        events.push(...batch.filter(isMine('o')));
        return Promise.resolve();
      });
      await waitUntil('all 44 rows', () => Promise.resolve(events.length === 44), {
        seen: () => events.length,
      });
      for (const { roomKey, claimToken, rows } of runs) {
        const own = events.filter((event) => event.roomKey === roomKey);
        expect(own.map(({ rowId }) => rowId)).toEqual(rows.map(({ rowId }) => rowId));
        expect(new Set(own.map((event) => event.claimToken))).toEqual(new Set([claimToken]));
        expect(own.map(({ envelope }) => Buffer.from(envelope))).toEqual(
          rows.map(({ envelope }) => Buffer.from(envelope)),
        );
      }
    });

    it('writes a room’s records onto the partition of its key, with a checksum', async () => {
      const runs = [claimedRun(roomOn(0), 1, 2), claimedRun(roomOn(1), 3, 2)];
      const before = await Promise.all(
        [0, 1].map((partition) => space.range(space.topics.events.im, partition)),
      );
      await sink.publish(runs, 5_000);
      const readerDeps = space.deps();
      const source = space.commandSource(
        {
          instanceName: 'reader',
          topic: space.topics.events.im,
          groupId: `${space.prefix}.raw`,
          partitionCount: 2,
        },
        readerDeps,
      );
      const reader = await startWatched(source, readerDeps, 'reader');
      await reader.assigned([0, 1]);
      before.forEach(({ endOffset }, partition) => reader.source.open(partition, endOffset));
      await waitUntil('four records', () => Promise.resolve(reader.records.length === 4));
      await reader.source.stop();
      for (const { partition, key, value, headers } of reader.records) {
        const run = runs[partition];
        expect(Buffer.from(key ?? []).toString()).toBe(run?.roomKey);
        expect(headers).toEqual({
          'rc-outbox-row-id': expect.stringMatching(/^[1-4]$/),
          'rc-claim-token': run?.claimToken,
          'rc-crc32c': crc32cHex(value ?? new Uint8Array()),
        });
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
      await sink.publish([claimedRun('l1', 1, 2)], 5_000);
      await waitUntil('the long batch in hand', () => Promise.resolve(seen.length === 2));
      // Twice the session time-out; the other partition goes on meanwhile or not, both are fine.
      await space.pass(2 * quick.sessionTimeoutMs);
      long.resolve();
      await sink.publish([claimedRun('l1', 3, 2)], 5_000);
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
      await sink.publish([claimedRun('j1', 1, 3)], 5_000);
      await waitUntil('the first try', () => Promise.resolve(calls.length > 0));
      await sink.publish([claimedRun('j1', 4, 1)], 5_000);
      await waitUntil('the row behind it', () => Promise.resolve(calls.at(-1)?.at(-1) === 4n));
      expect(calls).toEqual([[1n, 2n, 3n], [1n, 2n, 3n], [1n, 2n, 3n], [4n]]);
    });

    it('goes on after a restart behind what was handled', async () => {
      const first: bigint[] = [];
      const source = await start('a', (batch) => {
        first.push(...batch.filter(isMine('s')).map(({ rowId }) => rowId));
        return Promise.resolve();
      });
      await sink.publish([claimedRun('s1', 1, 5)], 5_000);
      await waitUntil('five rows', () => Promise.resolve(first.length === 5));
      await source.stop();
      const second: bigint[] = [];
      await sink.publish([claimedRun('s1', 6, 2)], 5_000);
      await start('a', (batch) => {
        second.push(...batch.filter(isMine('s')).map(({ rowId }) => rowId));
        return Promise.resolve();
      });
      await waitUntil('two rows', () => Promise.resolve(second.length >= 2));
      expect(second).toEqual([6n, 7n]);
    });

    it('two members share the partitions; who loses one is told by the signal', async () => {
      const inHand = new Map<string, AbortSignal>();
      const seenBySecond: string[] = [];
      const rooms = [roomOn(0), roomOn(1)];
      await start('a', (batch, signal) => {
        const room = rooms.find((one) => batch.some(isMine(one)));
        if (room === undefined) return Promise.resolve();
        inHand.set(room, signal);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      });
      await sink.publish(
        rooms.map((room) => claimedRun(room, 50, 1)),
        5_000,
      );
      await waitUntil('a batch of each partition', () => Promise.resolve(inHand.size === 2));
      await start('b', (batch) => {
        seenBySecond.push(...batch.map(({ roomKey }) => roomKey));
        return Promise.resolve();
      });
      const lost = await waitUntil('one partition lost', () => {
        const aborted = rooms.filter((room) => inHand.get(room)?.aborted === true);
        return Promise.resolve(aborted.length > 0 && aborted);
      });
      expect(lost).toHaveLength(1);
      // Its batch did not count as done: the other member gets it, and only that partition's.
      await waitUntil('the lost batch at the other member', () =>
        Promise.resolve(seenBySecond.some((key) => key === `app1\0${lost[0]}`)),
      );
      const keptRoom = rooms.find((room) => room !== lost[0]);
      expect(seenBySecond).not.toContain(`app1\0${keptRoom}`);
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
        await sink.publish([claimedRun(room, 1, 1)], 5_000);
        await waitUntil('the stuck batch', () => Promise.resolve(isStuck));
        const startedAtMs = deps.clock.monoMs();
        await source.stop();
        expect(deps.clock.monoMs() - startedAtMs).toBeLessThan(3_000);
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
      const raw = space.commandSink({ topic: space.topics.events.im }, space.deps());
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
      await sink.publish([claimedRun('u1', 1, 1)], 5_000);
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

    it('says not sent when the time for publishing was used up before', async () => {
      expect(await sink.publish([claimedRun('t1', 1, 1)], 0)).toEqual([
        { kind: 'notSent', cause: 'the time for publishing was used up' },
      ]);
      expect(await sink.publish([], 5_000)).toEqual([]);
    });
  });
}
