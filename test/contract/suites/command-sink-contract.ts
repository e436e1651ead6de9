/** What every CommandSink must do over a broker that answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crc32cHex } from '../../../src/protocol/crc32c.ts';
import { offsetRange } from '../../support/log-space.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { startWatched } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

const record = { partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: {} };

/** Declares the suite. */
export function commandSinkContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`CommandSink contract: ${name}`, () => {
    let space: LogSpace;
    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());

    it('keeps the order of each partition through a burst, and names every record’s offset', async () => {
      const sink = space.commandSink({}, space.deps());
      await sink.start();
      const deps = space.deps();
      const source = space.commandSource({ instanceName: 'cell-0' }, deps);
      const reader = await startWatched(source, deps, 'cell-0');
      await reader.assigned([0, 1, 2, 3]);
      [0, 1, 2, 3].forEach((partition) => reader.source.open(partition, 0n));
      const count = 3_000;
      const outcomes = await Promise.all(
        Array.from({ length: count }, (_, number) =>
          sink.produce({
            partition: number % 4,
            key: Buffer.from('app1\0r1'),
            value: Buffer.from(String(number)),
            headers: { 'x-number': String(number) },
          }),
        ),
      );
      await waitUntil('all read', () => Promise.resolve(reader.records.length === count));
      for (const partition of [0, 1, 2, 3]) {
        const own = reader.records.filter((one) => one.partition === partition);
        const numbers = own.map(({ value }) => Number(Buffer.from(value ?? []).toString()));
        expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
        expect(own.map(({ offset }) => offset)).toEqual(offsetRange(0, count / 4));
        for (const { offset, value, headers } of own) {
          const number = Number(Buffer.from(value ?? []).toString());
          expect(outcomes[number]).toEqual({ kind: 'stored', offset });
          expect(headers).toEqual({
            'x-number': String(number),
            'rc-crc32c': crc32cHex(value ?? new Uint8Array()),
          });
        }
      }
      expect(await sink.endOffset(2)).toBe(BigInt(count / 4));
      await Promise.all([sink.stop(), reader.source.stop()]);
    });

    it('refuses as not sent what surely never went out', async () => {
      const sink = space.commandSink({ queueRecordsMax: 5, recordBytesMax: 500 }, space.deps());
      expect(await sink.produce(record)).toEqual({ kind: 'notSent', cause: 'not started' });
      expect(sink.isHealthy()).toBe(false);
      await sink.start();
      const large = { ...record, value: Buffer.alloc(600) };
      expect(await sink.produce(large)).toEqual({ kind: 'notSent', cause: 'record too large' });
      expect(await sink.produce({ ...record, partition: 77 })).toEqual({
        kind: 'notSent',
        cause: 'the topic has no partition 77',
      });
      const before = await sink.endOffset(0);
      const burst = await Promise.all(Array.from({ length: 7 }, () => sink.produce(record)));
      expect(burst.map(({ kind }) => kind)).toEqual([
        ...Array<string>(5).fill('stored'),
        'notSent',
        'notSent',
      ]);
      expect(burst.at(-1)).toEqual({ kind: 'notSent', cause: 'queue full' });
      expect(await sink.endOffset(0)).toBe(before + 5n);
      expect(sink.isHealthy()).toBe(true);
      await sink.stop();
    });

    it('takes a partition that exists along with one that does not', async () => {
      const sink = space.commandSink({}, space.deps());
      await sink.start();
      const outcomes = await Promise.all(
        [77, 1, 78, 1].map((partition) => sink.produce({ ...record, partition })),
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(['notSent', 'stored', 'notSent', 'stored']);
      await expect(sink.endOffset(77)).rejects.toMatchObject({ kind: 'retry' });
      await sink.stop();
    });

    it('waits at a stop for what is in flight, stops once, and takes nothing afterwards', async () => {
      const sink = space.commandSink({}, space.deps());
      await sink.start();
      const pending = [0, 1, 2, 0].map((partition) => sink.produce({ ...record, partition }));
      await Promise.all([sink.stop(), sink.stop()]);
      expect((await Promise.all(pending)).map(({ kind }) => kind)).toEqual(
        Array<string>(4).fill('stored'),
      );
      expect(await sink.produce(record)).toEqual({ kind: 'notSent', cause: 'stopped' });
      expect(sink.isHealthy()).toBe(false);
    });
  });
}
