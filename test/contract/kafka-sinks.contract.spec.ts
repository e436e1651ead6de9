/** The sinks on a real broker: order, offsets, limits, and what they say when something is amiss. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaReplySink } from '../../src/drivers/kafka/kafka-reply-sink.ts';
import { createKafkaReplySource } from '../../src/drivers/kafka/kafka-reply-source.ts';
import { ensureTopics } from '../../src/drivers/kafka/topics.ts';
import type { IncomingReply } from '../../src/ports/reply-source.ts';
import { crc32cHex } from '../../src/protocol/crc32c.ts';
import { driverDeps } from '../support/driver-deps.ts';
import {
  offsetRange,
  onOneBroker,
  openKafkaSpace,
  startSink,
  startSource,
} from '../support/kafka-space.ts';
import type { KafkaSpace } from '../support/kafka-space.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('kafka sinks and the reply source', () => {
  let space: KafkaSpace;
  beforeAll(async () => {
    space = await openKafkaSpace();
  });
  afterAll(() => space.close());

  it('keep the order of each partition through a burst, and name every record’s offset', async () => {
    const sink = await startSink(space);
    const reader = await startSource(space, 'cell-0');
    await reader.assigned([0, 1, 2, 3]);
    [0, 1, 2, 3].forEach((partition) => reader.source.open(partition, 0n));
    const count = 3_000;
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, number) =>
        sink.produce({
          partition: number % 4,
          key: Buffer.from('app1\0r1'),
          value: Buffer.from(String(number)),
          headers: {},
        }),
      ),
    );
    await waitUntil('all read', () => Promise.resolve(reader.records.length === count));
    for (const partition of [0, 1, 2, 3]) {
      const own = reader.records.filter((record) => record.partition === partition);
      const numbers = own.map(({ value }) => Number(Buffer.from(value ?? []).toString()));
      expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
      expect(own.map(({ offset }) => offset)).toEqual(offsetRange(0, count / 4));
      for (const { offset, value, headers } of own) {
        const number = Number(Buffer.from(value ?? []).toString());
        expect(outcomes[number]).toEqual({ kind: 'stored', offset });
        expect(headers['rc-crc32c']).toBe(crc32cHex(value ?? new Uint8Array()));
      }
    }
    expect(await sink.endOffset(2)).toBe(BigInt(count / 4));
    await Promise.all([sink.stop(), reader.source.stop()]);
  });

  it('refuse as not sent what surely never went out', async () => {
    const deps = driverDeps();
    const sink = createKafkaCommandSink(
      { kafka: space.kafka, topic: space.topics.commands, queueRecordsMax: 5, recordBytesMax: 500 },
      deps,
    );
    const record = { partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: {} };
    expect(await sink.produce(record)).toEqual({ kind: 'notSent', cause: 'not started' });
    await sink.start();
    const large = { ...record, value: Buffer.alloc(600) };
    expect(await sink.produce(large)).toEqual({ kind: 'notSent', cause: 'record too large' });
    expect(await sink.produce({ ...record, partition: 77 })).toEqual({
      kind: 'notSent',
      cause: 'the topic has no partition 77',
    });
    const burst = await Promise.all(Array.from({ length: 7 }, () => sink.produce(record)));
    expect(burst.map(({ kind }) => kind)).toEqual([
      ...Array<string>(5).fill('stored'),
      'notSent',
      'notSent',
    ]);
    expect(burst.at(-1)).toEqual({ kind: 'notSent', cause: 'queue full' });
    expect(sink.isHealthy()).toBe(true);
    const pending = sink.produce(record);
    await sink.stop();
    expect((await pending).kind).toBe('stored');
    expect(await sink.produce(record)).toEqual({ kind: 'notSent', cause: 'stopped' });
    expect(sink.isHealthy()).toBe(false);
  });

  it('wait for an absent broker, say so once, and work when it comes', async () => {
    const broker = space.kafka.brokers[0]?.split(':') ?? [];
    const proxy = await startTcpProxy({
      targetHost: broker[0] ?? '',
      targetPort: Number(broker[1]),
    });
    await proxy.refuse();
    const kafka = { ...space.kafka, brokers: [`127.0.0.1:${proxy.port}`] };
    const deps = driverDeps();
    const sink = createKafkaCommandSink({ kafka, topic: space.topics.commands }, deps);
    let isStarted = false;
    const starting = sink.start().then(() => (isStarted = true));
    const source = createKafkaReplySource(
      { kafka, topic: space.topics.replies, groupId: `${space.prefix}.absent` },
      deps,
    );
    const listening = source.start(0, { onReply: () => undefined, onLost: () => undefined });
    const warned = () =>
      deps.log.messages('warn').filter((line) => line.includes('cannot be reached'));
    await waitUntil('the absence told', () => Promise.resolve(warned().length >= 2));
    expect(isStarted).toBe(false);
    await proxy.accept();
    await Promise.all([starting, listening]);
    const record = { partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: {} };
    expect((await sink.produce(record)).kind).toBe('stored');
    // One line for each client (the sink's producer, the source's offsets), not one for each try.
    expect(warned()).toHaveLength(2);
    expect(deps.log.messages('info').filter((line) => line.includes('again'))).toHaveLength(2);
    await Promise.all([sink.stop(), source.stop()]);
    await proxy.close();
  });

  it('the reply source misses nothing that is produced after it is ready', async () => {
    const sink = createKafkaReplySink(
      { kafka: space.kafka, topic: space.topics.replies },
      driverDeps(),
    );
    await sink.start();
    for (let round = 0; round < 3; round += 1) {
      // Old replies of a predecessor: not for us.
      sink.send([{ replyPartition: 2, correlationId: 'old', value: Buffer.from('old') }]);
      await sink.flush();
      const replies: IncomingReply[] = [];
      const source = createKafkaReplySource(
        {
          kafka: space.kafka,
          topic: space.topics.replies,
          groupId: `${space.prefix}.gateway-${round}`,
        },
        driverDeps(),
      );
      await source.start(2, {
        onReply: (reply) => replies.push(reply),
        onLost: (cause) => expect.unreachable(String(cause)),
      });
      sink.send(
        Array.from({ length: 500 }, (_, number) => ({
          replyPartition: number % 2 === 0 ? 2 : 1,
          correlationId: `me:${number}`,
          value: Buffer.from(String(number)),
        })),
      );
      await sink.flush();
      await waitUntil('250 replies', () => Promise.resolve(replies.length === 250), {
        seen: () => replies.length,
      });
      expect(replies.map(({ correlationId }) => correlationId)).toEqual(
        Array.from({ length: 250 }, (_, number) => `me:${number * 2}`),
      );
      await source.stop();
    }
    await sink.stop();
  });

  it('a full reply queue drops the oldest and counts them', async () => {
    const deps = driverDeps();
    const sink = createKafkaReplySink(
      { kafka: space.kafka, topic: space.topics.replies, queueMax: 3 },
      deps,
    );
    const reply = (name: string) => ({
      replyPartition: 3,
      correlationId: name,
      value: Buffer.from(name),
    });
    sink.send(['a', 'b', 'c', 'd', 'e'].map(reply));
    expect(deps.metrics.sumOf('roomcell_kafka_replies_dropped_total', { why: 'queue_full' })).toBe(
      2,
    );
    await sink.start();
    await sink.flush();
    const { high } =
      (await space.admin.fetchTopicOffsets(space.topics.replies)).find(
        ({ partition }) => partition === 3,
      ) ?? {};
    expect(high).toBe('3');
    await sink.stop();
  });

  it('topics: two nodes at once create them once; differences are findings, not changes', async () => {
    const plan = { ...onOneBroker, prefix: `${space.prefix}.twice` };
    const reports = await Promise.all([
      ensureTopics(space.kafka, plan, driverDeps()),
      ensureTopics(space.kafka, plan, driverDeps()),
    ]);
    const created = reports.flatMap((report) => report.created);
    expect(new Set(created).size).toBe(5);
    expect(created).toHaveLength(5);
    expect(reports.map(({ findings }) => findings)).toEqual([[], []]);

    const commands = `${space.prefix}.odd.commands`;
    await space.admin.createTopics({ topics: [{ topic: commands, numPartitions: 2 }] });
    const odd = await ensureTopics(
      space.kafka,
      { ...onOneBroker, prefix: `${space.prefix}.odd` },
      driverDeps(),
    );
    expect(odd.findings).toEqual([
      { kind: 'partitionCount', topic: commands, planned: 4, found: 2 },
      { kind: 'notLogAppendTime', topic: commands, found: 'CreateTime' },
    ]);
    expect(odd.partitionCounts[commands]).toBe(2);
    await space.admin.deleteTopics({
      topics: [...Object.keys(odd.partitionCounts), ...created],
    });
  });
});
