/** What the Kafka drivers promise about their connections; a broker in memory has none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKafkaCommandSink } from '../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaReplySource } from '../../src/drivers/kafka/kafka-reply-source.ts';
import { driverDeps } from '../support/driver-deps.ts';
import { openKafkaSpace } from '../support/kafka-space.ts';
import type { KafkaSpace } from '../support/kafka-space.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('kafka clients', () => {
  let space: KafkaSpace;
  beforeAll(async () => {
    space = await openKafkaSpace();
  });
  afterAll(() => space.close());

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
});
