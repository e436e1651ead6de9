/** What every CommandSource must do for one member: what is delivered, from where, and when not. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSink } from '../../../src/ports/command-sink.ts';
import { offsetRange, produceMany } from '../../support/log-space.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { startWatched } from '../../support/watched-source.ts';
import type { WatchedSource } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Declares the suite. */
export function commandSourceContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`CommandSource contract: ${name}`, () => {
    let space: LogSpace;
    let sink: CommandSink;
    const running: WatchedSource[] = [];

    beforeAll(async () => {
      space = await openSpace();
      sink = space.commandSink({}, space.deps());
      await sink.start();
      for (const partition of [0, 1, 2, 3]) await produceMany(sink, partition, 20);
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map(({ source }) => source.stop()));
    });
    afterAll(async () => {
      await sink.stop();
      await space.close();
    });

    const watch = async (name: string, more = {}): Promise<WatchedSource> => {
      const deps = space.deps();
      const source = space.commandSource({ instanceName: name, ...more }, deps);
      const watched = await startWatched(source, deps, name);
      running.push(watched);
      return watched;
    };
    const start = async (name = 'cell-0'): Promise<WatchedSource> => {
      const watched = await watch(name);
      await watched.assigned([0, 1, 2, 3]);
      return watched;
    };
    /** Where the next record of a partition will be. */
    const end = async (partition: number): Promise<number> =>
      Number((await space.range(space.topics.commands, partition)).endOffset);

    it('delivers nothing of a partition before it is opened, and from there on exactly', async () => {
      const watched = await start();
      watched.source.open(1, 5n);
      await watched.upTo(1, 19n);
      // Partition 1 has gone through several fetches by now; the closed ones were never in them.
      watched.source.open(2, 19n);
      await watched.upTo(2, 19n);
      expect(watched.offsetsOf(1)).toEqual(offsetRange(5, 20));
      expect(watched.offsetsOf(2)).toEqual([19n]);
      expect(watched.offsetsOf(0)).toEqual([]);
      expect(watched.offsetsOf(3)).toEqual([]);
      expect(watched.mixedBatches).toEqual([]);
    });

    it('tells an assignment only after a heartbeat has confirmed it', async () => {
      const { clock } = space.deps();
      const startedAtMs = clock.monoMs();
      const watched = await watch('cell-0', { heartbeatIntervalMs: 1_500 });
      await watched.assigned([0, 1, 2, 3]);
      // The first heartbeat comes one interval after the join.
      expect(clock.monoMs() - startedAtMs).toBeGreaterThanOrEqual(1_500);
      expect(watched.assignments).toHaveLength(1);
    });

    it('gives key, value, headers and the broker’s time of a record', async () => {
      const watched = await start();
      const { clock } = watched.deps;
      const next = await end(0);
      const before = clock.wallMs();
      const value = Buffer.from([0, 255, 1]);
      const key = Buffer.from('app1\0r9');
      const outcome = await sink.produce({ partition: 0, key, value, headers: { a: 'ä', b: '2' } });
      const offset = BigInt(next);
      expect(outcome).toEqual({ kind: 'stored', offset });
      watched.source.open(0, offset);
      await watched.upTo(0, offset);
      const [record] = watched.records;
      expect(record).toMatchObject({ partition: 0, offset, headers: { a: 'ä', b: '2' } });
      expect(record?.headers['rc-crc32c']).toMatch(/^[0-9a-f]{8}$/);
      expect(Buffer.from(record?.key ?? [])).toEqual(key);
      expect(Buffer.from(record?.value ?? [])).toEqual(value);
      expect(record?.recordTimeMs).toBeGreaterThanOrEqual(before - 50);
      expect(record?.recordTimeMs).toBeLessThan(before + 5_000);
    });

    it('resumes where it is opened, whatever offset the group has stored', async () => {
      const first = await start();
      first.source.open(3, 0n);
      await first.upTo(3, 19n);
      await first.source.commitHint([
        { partition: 3, offsetNext: 17n },
        { partition: 99, offsetNext: 5n },
      ]);
      const stored = (partition: number) =>
        space.storedOffset(`${space.prefix}.cells`, space.topics.commands, partition);
      expect(await stored(3)).toBe(17n);
      expect(await stored(0)).toBeNull();
      await first.source.stop();

      const second = await start();
      second.source.open(3, 4n);
      await second.upTo(3, 19n);
      expect(second.offsetsOf(3)).toEqual(offsetRange(4, 20));
    });

    it('goes back or forth when a partition is opened again, without a stray record', async () => {
      const watched = await start();
      watched.source.open(3, 2n);
      await watched.upTo(3, 19n);
      watched.records.length = 0;
      watched.source.open(3, 15n);
      watched.source.open(3, 11n);
      await watched.upTo(3, 19n);
      expect(watched.offsetsOf(3)).toEqual(offsetRange(11, 20));
    });

    it('ignores the opening of a partition that is not assigned', async () => {
      const watched = await start();
      watched.source.open(17, 0n);
      watched.source.pause(17);
      watched.source.resume(17);
      watched.source.open(3, 10n);
      await watched.upTo(3, 19n);
      expect(watched.offsetsOf(3)).toEqual(offsetRange(10, 20));
      expect(watched.crashes).toEqual([]);
    });

    it('loses and repeats nothing over pause and resume', async () => {
      const watched = await start();
      const from = await end(2);
      watched.source.open(2, 0n);
      await watched.upTo(2, BigInt(from - 1));
      for (let round = 0; round < 5; round += 1) {
        watched.source.pause(2);
        await produceMany(sink, 2, 10, from + round * 10);
        watched.source.resume(2);
        await watched.upTo(2, BigInt(from + 9 + round * 10));
      }
      expect(watched.offsetsOf(2)).toEqual(offsetRange(0, from + 50));
      // A resume that comes before any open must not start at the stored offset.
      watched.source.resume(1);
      await produceMany(sink, 2, 1, from + 50);
      await watched.upTo(2, BigInt(from + 50));
      expect(watched.offsetsOf(1)).toEqual([]);
    });

    it('delivers nothing new of a paused partition while the others go on', async () => {
      const watched = await start();
      const [next2, next3] = [await end(2), await end(3)];
      watched.source.open(2, BigInt(next2));
      watched.source.open(3, BigInt(next3));
      watched.source.pause(2);
      await produceMany(sink, 2, 3, next2);
      // Each round trip of the open partition is one of the closed one as well.
      for (let round = 0; round < 3; round += 1) {
        await produceMany(sink, 3, 1, next3 + round);
        await watched.upTo(3, BigInt(next3 + round));
      }
      expect(watched.offsetsOf(2)).toEqual([]);
      watched.source.resume(2);
      await watched.upTo(2, BigInt(next2 + 2));
      expect(watched.offsetsOf(2)).toEqual(offsetRange(next2, next2 + 3));
    });

    it('passes over offsets of the log that hold no record', async () => {
      const watched = await start();
      const from = await end(3);
      watched.source.open(3, BigInt(from));
      await space.leaveGap(space.topics.commands, 3);
      await watched.upTo(3, BigInt(from));
      await space.leaveGap(space.topics.commands, 3);
      await watched.upTo(3, BigInt(from + 2));
      await produceMany(sink, 3, 2);
      await watched.upTo(3, BigInt(from + 5));
      expect(watched.offsetsOf(3)).toEqual([from, from + 2, from + 4, from + 5].map(BigInt));
      // The same for one who comes later, and who begins inside a gap.
      watched.records.length = 0;
      watched.source.open(3, BigInt(from + 1));
      await watched.upTo(3, BigInt(from + 5));
      expect(watched.offsetsOf(3)).toEqual([from + 2, from + 4, from + 5].map(BigInt));
      expect(watched.outOfRange).toEqual([]);
    });

    it('stops a partition whose next offset has left the log, and says so', async () => {
      const watched = await start();
      const { commands } = space.topics;
      const [end0, end1] = [await end(0), await end(1)];
      watched.source.open(0, 3n);
      await watched.upTo(0, BigInt(end0 - 1));
      watched.source.open(1, 0n);
      await watched.upTo(1, BigInt(end1 - 1));
      await space.moveStart(commands, 0, 10n);
      watched.records.length = 0;
      watched.source.open(0, 3n);
      await waitUntil('the gap told', () => Promise.resolve(watched.outOfRange.length > 0));
      const range = { startOffset: 10n, endOffset: BigInt(end0) };
      expect(watched.outOfRange).toEqual([{ partition: 0, expected: 3n, range }]);
      expect(await watched.source.logRange(0)).toEqual(range);
      // The others run on, and the partition goes on where an operator says.
      await produceMany(sink, 1, 5, end1);
      await watched.upTo(1, BigInt(end1 + 4));
      expect(watched.offsetsOf(0)).toEqual([]);
      watched.source.open(0, 10n);
      await watched.upTo(0, BigInt(end0 - 1));
      expect(watched.offsetsOf(0)).toEqual(offsetRange(10, end0));
    });

    it('stops a partition whose log ends below the next offset', async () => {
      const watched = await start();
      watched.source.open(3, 500n);
      await waitUntil('the short log told', () => Promise.resolve(watched.outOfRange.length > 0));
      expect(watched.outOfRange[0]).toMatchObject({ partition: 3, expected: 500n });
      expect(watched.offsetsOf(3)).toEqual([]);
    });

    it('calls a handler that throws a crash, because nobody can have its records again', async () => {
      const deps = space.deps();
      const source = space.commandSource({ instanceName: 'cell-0' }, deps);
      const crashes: unknown[] = [];
      const fault = new Error('thrown by the test');
      await source.start({
        onAssigned: (partitions) => partitions.forEach((partition) => source.open(partition, 0n)),
        onRecords() {
          throw fault;
        },
        onRebalancing: () => undefined,
        onCrashed: (cause) => crashes.push(cause),
        onOutOfRange: () => undefined,
      });
      await waitUntil('the crash told', () => Promise.resolve(crashes.length > 0));
      await source.stop();
      expect(crashes[0]).toBe(fault);
    });

    it('delivers nothing after it has stopped, and stops only once', async () => {
      const watched = await start();
      const from = await end(3);
      watched.source.open(3, 0n);
      await watched.upTo(3, BigInt(from - 1));
      await Promise.all([watched.source.stop(), watched.source.stop()]);
      await watched.source.commitHint([{ partition: 3, offsetNext: 1n }]);
      const before = watched.records.length;
      await produceMany(sink, 3, 5, from);
      const other = await start('cell-9');
      other.source.open(3, BigInt(from));
      await other.upTo(3, BigInt(from + 4));
      expect(watched.records.length).toBe(before);
      expect(watched.crashes).toEqual([]);
    });
  });
}
