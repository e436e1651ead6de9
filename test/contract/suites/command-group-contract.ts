/** What every CommandSource must do as one of several members: joining, leaving, coming back. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSink } from '../../../src/ports/command-sink.ts';
import { offsetRange, onOneBroker, produceMany } from '../../support/log-space.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { startWatched } from '../../support/watched-source.ts';
import type { WatchedSource } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

const all = [0, 1, 2, 3];
const shareOf = ({ assignments }: WatchedSource): readonly number[] => assignments.at(-1) ?? [];

/** Declares the suite. */
export function commandGroupContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`CommandSource contract, in a group: ${name}`, () => {
    let space: LogSpace;
    let sink: CommandSink;
    const running: WatchedSource[] = [];

    beforeAll(async () => {
      space = await openSpace();
      sink = space.commandSink({}, space.deps());
      await sink.start();
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map(({ source }) => source.stop()));
    });
    afterAll(async () => {
      await sink.stop();
      await space.close();
    });

    const start = async (instanceName: string): Promise<WatchedSource> => {
      const deps = space.deps();
      const source = space.commandSource({ instanceName }, deps);
      const watched = await startWatched(source, deps, instanceName);
      running.push(watched);
      return watched;
    };

    /** Produces to all partitions until told to end; answers the number of records of each. */
    function produceSteadily(): () => Promise<number> {
      let isOn = true;
      const done = (async () => {
        let produced = 0;
        while (isOn) {
          await Promise.all(all.map((partition) => produceMany(sink, partition, 5, produced)));
          produced += 5;
        }
        return produced;
      })();
      return () => {
        isOn = false;
        return done;
      };
    }

    it('a joining member takes its share; kept partitions go on without gap or repeat', async () => {
      const ends = await Promise.all(all.map((partition) => sink.endOffset(partition)));
      const first = await start('cell-0');
      await first.assigned(all);
      all.forEach((partition) => first.source.open(partition, ends[partition] as bigint));
      const stopProducing = produceSteadily();
      await waitUntil('a steady flow', () => Promise.resolve(first.records.length > 100));

      const second = await start('cell-1');
      const taken = await second.assignedCount(2);
      const kept = all.filter((partition) => !taken.includes(partition));
      await first.assigned(kept);
      const heldByFirst = new Map(taken.map((id) => [id, first.offsetsOf(id).length]));
      // A new owner that opens nothing yet gets nothing, though records pour in.
      expect(second.records).toEqual([]);
      taken.forEach((partition) => {
        const next = (first.offsetsOf(partition).at(-1) ?? -1n) + 1n;
        second.source.open(partition, next);
      });
      await waitUntil('both members at work', () => Promise.resolve(second.records.length > 100));
      const produced = await stopProducing();

      for (const partition of all) {
        const from = Number(ends[partition]);
        const readers = taken.includes(partition) ? [first, second] : [first];
        const offsets = () => readers.flatMap((reader) => reader.offsetsOf(partition));
        await waitUntil(
          `all records of partition ${partition} once and in order`,
          () => Promise.resolve(offsets().length >= produced),
          { seen: () => ({ produced, read: offsets().length }) },
        );
        expect(offsets()).toEqual(offsetRange(from, from + produced));
      }
      // Lost partitions stopped at the rebalance.
      for (const partition of taken) {
        expect(first.offsetsOf(partition)).toHaveLength(heldByFirst.get(partition) ?? -1);
      }
      expect([...first.crashes, ...second.crashes]).toEqual([]);
      expect(first.rebalancings.length).toBeGreaterThan(0);
    });

    it('a member that leaves hands over within a second and a half', async () => {
      const { clock } = space.deps();
      const [first, second] = [await start('cell-0'), await start('cell-1')];
      await Promise.all([first.assignedCount(2), second.assignedCount(2)]);
      const leftAtMs = clock.monoMs();
      await second.source.stop();
      expect(clock.monoMs() - leftAtMs).toBeLessThan(1_000);
      await first.assigned(all);
      expect(clock.monoMs() - leftAtMs).toBeLessThan(1_500);
    });

    it('a hint for a partition that was lost is not stored', async () => {
      const stored = (partition: number) =>
        space.storedOffset(`${space.prefix}.cells`, space.topics.commands, partition);
      const [first, second] = [await start('cell-0'), await start('cell-1')];
      const lost = await second.assignedCount(2);
      const kept = await first.assignedCount(2);
      await first.source.commitHint(all.map((partition) => ({ partition, offsetNext: 7n })));
      expect(await Promise.all(kept.map(stored))).toEqual([7n, 7n]);
      expect(await Promise.all(lost.map(stored))).toEqual([null, null]);
      // Whoever asks gets the group's offsets, its own or not.
      const asked = (ids: readonly number[]) =>
        Promise.all(ids.map((id) => second.source.committedOffset(id)));
      expect(await asked(kept)).toEqual([7n, 7n]);
      expect(await asked(lost)).toEqual([null, null]);
    });

    it('a restart under the same name gives every member back what it had', async () => {
      const [first, second, third] = [
        await start('cell-0'),
        await start('cell-1'),
        await start('cell-2'),
      ];
      const before = await waitUntil('three members share', () => {
        const shares = [first, second, third].map(shareOf);
        const total = shares.reduce((sum, share) => sum + share.length, 0);
        return Promise.resolve(total === 4 && shares.every((share) => share.length > 0) && shares);
      });
      await second.source.stop();
      await waitUntil('the others took over', () =>
        Promise.resolve(shareOf(first).length + shareOf(third).length === 4),
      );
      const again = await start('cell-1');
      await again.assigned(before[1] ?? []);
      await first.assigned(before[0] ?? []);
      await third.assigned(before[2] ?? []);
    });

    it('more members than partitions are members with nothing to do', async () => {
      const members = await Promise.all(
        Array.from({ length: onOneBroker.commandPartitions + 1 }, (_, index) =>
          start(`cell-${index}`),
        ),
      );
      await waitUntil(
        'four members with one partition and one with none',
        () => {
          const shares = members.map(({ assignments }) => assignments.at(-1)?.length ?? -1);
          return Promise.resolve(shares.sort().join() === '0,1,1,1,1');
        },
        { seen: () => members.map(({ assignments }) => assignments) },
      );
    });

    it('the group settles: joins and leaves under load end in few assignments', async () => {
      const stopProducing = produceSteadily();
      const first = await start('cell-0');
      await first.assigned(all);
      const second = await start('cell-1');
      await second.assignedCount(2);
      const third = await start('cell-2');
      await waitUntil('three members share', () =>
        Promise.resolve(shareOf(third).length > 0 && shareOf(first).length < 4),
      );
      await second.source.stop();
      await waitUntil('two members share all', () =>
        Promise.resolve(shareOf(first).length + shareOf(third).length === 4),
      );
      await stopProducing();
      expect(first.assignments.length).toBeLessThanOrEqual(5);
      expect(third.assignments.length).toBeLessThanOrEqual(3);
    });
  });
}
