/** Topics of a run, read whole by an onlooker when nobody writes to them any more. */
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import type { AppendedRecord } from './chaos-record.ts';

/** Everything that lies on the topics. Rejects when a topic does not come to its end in time. */
export async function readTopics(
  brokers: readonly string[],
  topics: readonly string[],
  limitMs = 120_000,
): Promise<readonly AppendedRecord[]> {
  const kafka = new Kafka({
    clientId: 'chaos-onlooker',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
  });
  const left = await endsOf(kafka, topics);
  const records: AppendedRecord[] = [];
  const consumer = kafka.consumer({ groupId: `chaos-onlooker-${Date.now()}` });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`not read to their ends: ${[...left.keys()].join(', ')}`));
      }, limitMs);
      const settleIfWhole = (): void => {
        if (left.size > 0) return;
        clearTimeout(late);
        resolve();
      };
      settleIfWhole();
      const eachBatch = async ({ batch }: { batch: BatchLike }): Promise<void> => {
        const { topic, partition } = batch;
        for (const message of batch.messages) records.push(recordOf(topic, partition, message));
        const place = `${topic}/${partition}`;
        const end = left.get(place);
        if (end !== undefined && BigInt(batch.lastOffset()) + 1n >= end) left.delete(place);
        settleIfWhole();
      };
      consumer.run({ eachBatch }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return records;
}

interface BatchLike {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  lastOffset(): string;
}

/** The ends of all partitions that hold something. */
async function endsOf(kafka: Kafka, topics: readonly string[]): Promise<Map<string, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const ends = new Map<string, bigint>();
    for (const topic of topics) {
      for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
        if (BigInt(high) > BigInt(low)) ends.set(`${topic}/${partition}`, BigInt(high));
      }
    }
    return ends;
  } finally {
    await admin.disconnect();
  }
}

function recordOf(topic: string, partition: number, message: KafkaMessage): AppendedRecord {
  const atMs = Number(message.timestamp);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    if (value !== undefined) headers[name] = String(value);
  }
  const { value } = message;
  const offset = BigInt(message.offset);
  return { kind: 'appended', atMs, topic, partition, offset, value, headers, recordTimeMs: atMs };
}
