/** One member of the cells' group on a real broker: what is delivered, from where, and when not. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSink } from '../../src/ports/command-sink.ts';
import {
  offsetRange,
  openKafkaSpace,
  produceMany,
  startSink,
  startSource,
} from '../support/kafka-space.ts';
import type { KafkaSpace, WatchedSource } from '../support/kafka-space.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('kafka command source', () => {
  let space: KafkaSpace;
  let sink: CommandSink;
  const running: WatchedSource[] = [];

  beforeAll(async () => {
    space = await openKafkaSpace();
    sink = await startSink(space);
    for (const partition of [0, 1, 2, 3]) await produceMany(sink, partition, 20);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ source }) => source.stop()));
  });
  afterAll(async () => {
    await sink.stop();
    await space.close();
  });

  const start = async (name = 'cell-0'): Promise<WatchedSource> => {
    const watched = await startSource(space, name);
    running.push(watched);
    await watched.assigned([0, 1, 2, 3]);
    return watched;
  };
  const upTo = (watched: WatchedSource, partition: number, last: bigint): Promise<true> =>
    waitUntil(
      `offset ${last} of partition ${partition}`,
      () => Promise.resolve(watched.offsetsOf(partition).at(-1) === last),
      { seen: () => watched.offsetsOf(partition).map(String) },
    );

  it('delivers nothing of a partition before it is opened, and from there on exactly', async () => {
    const watched = await start();
    watched.source.open(1, 5n);
    await upTo(watched, 1, 19n);
    // Partition 1 has gone through several fetches by now; the closed ones were never in them.
    watched.source.open(2, 19n);
    await upTo(watched, 2, 19n);
    expect(watched.offsetsOf(1)).toEqual(offsetRange(5, 20));
    expect(watched.offsetsOf(2)).toEqual([19n]);
    expect(watched.offsetsOf(0)).toEqual([]);
    expect(watched.offsetsOf(3)).toEqual([]);
  });

  it('tells an assignment only after a heartbeat has confirmed it', async () => {
    const watched = await startSource(space, 'cell-0', { heartbeatIntervalMs: 1_500 });
    running.push(watched);
    const { groups } = await space.admin.describeGroups([`${space.prefix}.cells`]);
    expect(groups[0]?.state).toBe('Stable');
    expect(watched.assignments).toEqual([]);
    await watched.assigned([0, 1, 2, 3]);
    expect(watched.assignments).toHaveLength(1);
  });

  it('gives key, value, headers and the broker’s time of a record', async () => {
    const watched = await start();
    const before = Date.now();
    const value = Buffer.from([0, 255, 1]);
    const key = Buffer.from('app1\0r9');
    const outcome = await sink.produce({ partition: 0, key, value, headers: { a: 'ä', b: '2' } });
    expect(outcome).toEqual({ kind: 'stored', offset: 20n });
    watched.source.open(0, 20n);
    await upTo(watched, 0, 20n);
    const [record] = watched.records;
    expect(record).toMatchObject({ partition: 0, offset: 20n, headers: { a: 'ä', b: '2' } });
    expect(record?.headers['rc-crc32c']).toMatch(/^[0-9a-f]{8}$/);
    expect(Buffer.from(record?.key ?? [])).toEqual(key);
    expect(Buffer.from(record?.value ?? [])).toEqual(value);
    expect(record?.recordTimeMs).toBeGreaterThanOrEqual(before - 50);
    expect(record?.recordTimeMs).toBeLessThan(before + 5_000);
  });

  it('resumes where it is opened, whatever offset the group has stored', async () => {
    const first = await start();
    first.source.open(3, 0n);
    await upTo(first, 3, 19n);
    await first.source.commitHint([
      { partition: 3, offsetNext: 17n },
      { partition: 99, offsetNext: 5n },
    ]);
    const stored = await space.admin.fetchOffsets({
      groupId: `${space.prefix}.cells`,
      topics: [space.topics.commands],
    });
    const hint = stored[0]?.partitions.find(({ partition }) => partition === 3);
    expect(hint?.offset).toBe('17');
    await first.source.stop();

    const second = await start();
    second.source.open(3, 4n);
    await upTo(second, 3, 19n);
    expect(second.offsetsOf(3)).toEqual(offsetRange(4, 20));
  });

  it('goes back or forth when a partition is opened again, without a stray record', async () => {
    const watched = await start();
    watched.source.open(3, 2n);
    await upTo(watched, 3, 19n);
    watched.records.length = 0;
    watched.source.open(3, 15n);
    watched.source.open(3, 11n);
    await upTo(watched, 3, 19n);
    expect(watched.offsetsOf(3)).toEqual(offsetRange(11, 20));
  });

  it('loses and repeats nothing over pause and resume', async () => {
    const watched = await start();
    watched.source.open(2, 0n);
    await upTo(watched, 2, 19n);
    for (let round = 0; round < 5; round += 1) {
      watched.source.pause(2);
      await produceMany(sink, 2, 10, 20 + round * 10);
      watched.source.resume(2);
      await upTo(watched, 2, BigInt(29 + round * 10));
    }
    expect(watched.offsetsOf(2)).toEqual(offsetRange(0, 70));
    // A resume that comes before any open must not start at the stored offset.
    watched.source.resume(1);
    await produceMany(sink, 2, 1, 70);
    await upTo(watched, 2, 70n);
    expect(watched.offsetsOf(1)).toEqual([]);
  });

  it('stops a partition whose next offset has left the log, and says so', async () => {
    const watched = await start();
    watched.source.open(0, 3n);
    await upTo(watched, 0, 20n);
    watched.source.open(1, 0n);
    await upTo(watched, 1, 19n);
    await space.admin.deleteTopicRecords({
      topic: space.topics.commands,
      partitions: [{ partition: 0, offset: '10' }],
    });
    watched.records.length = 0;
    watched.source.open(0, 3n);
    await waitUntil('the gap told', () => Promise.resolve(watched.outOfRange.length > 0));
    expect(watched.outOfRange).toEqual([
      { partition: 0, expected: 3n, range: { startOffset: 10n, endOffset: 21n } },
    ]);
    expect(await watched.source.logRange(0)).toEqual({ startOffset: 10n, endOffset: 21n });
    // The others run on, and the partition goes on where an operator says.
    await produceMany(sink, 1, 5, 20);
    await upTo(watched, 1, 24n);
    expect(watched.offsetsOf(0)).toEqual([]);
    watched.source.open(0, 10n);
    await upTo(watched, 0, 20n);
    expect(watched.offsetsOf(0)).toEqual(offsetRange(10, 21));
  });

  it('stops a partition whose log ends below the next offset', async () => {
    const watched = await start();
    watched.source.open(3, 500n);
    await waitUntil('the short log told', () => Promise.resolve(watched.outOfRange.length > 0));
    expect(watched.outOfRange[0]).toMatchObject({ partition: 3, expected: 500n });
    expect(watched.offsetsOf(3)).toEqual([]);
  });

  it('delivers nothing after it has stopped', async () => {
    const watched = await start();
    watched.source.open(3, 0n);
    await upTo(watched, 3, 19n);
    await watched.source.stop();
    const before = watched.records.length;
    await produceMany(sink, 3, 5, 20);
    const other = await start('cell-9');
    other.source.open(3, 20n);
    await upTo(other, 3, 24n);
    expect(watched.records.length).toBe(before);
    expect(watched.crashes).toEqual([]);
  });
});
