/** Worker of the bare pipeline: records to rows to replies, one transaction at a time. */
import mysql from 'mysql2/promise';
import { createKafkaCommandSource } from '../src/drivers/kafka/kafka-command-source.ts';
import { createKafkaReplySink } from '../src/drivers/kafka/kafka-reply-sink.ts';
import { headerNames, topicNames } from '../src/protocol/topics.ts';
import type { SourceRecord } from '../src/ports/command-source.ts';
import { barePartitions } from './bare-pipeline.ts';
import { benchServers } from './bench-servers.ts';
import { makeBareTables, rowPacket } from './row-packet.ts';
import { sampleRows } from './row-sample.ts';

/** As many commands in one transaction as roomcell takes by default. */
const batchMax = 200;
const sampledCommands = 1_000;

const { kafka, deps, mysqlOptions } = benchServers(process.env);
const topics = topicNames('bare');
const connection = await mysql.createConnection({ ...mysqlOptions, multipleStatements: true });
const sample = await sampleRows(connection, sampledCommands);
await makeBareTables(connection);
const replies = createKafkaReplySink({ kafka, topic: topics.replies }, deps);
await replies.start();
const source = createKafkaCommandSource(
  {
    kafka,
    topic: topics.commands,
    groupId: `bare.workers.${process.pid}`,
    instanceName: 'bare-0',
    partitionCount: barePartitions,
  },
  deps,
);

let waiting: SourceRecord[] = [];
let written = 0;
let isWriting = false;

async function write(): Promise<void> {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting.slice(0, batchMax);
    waiting = waiting.slice(batchMax);
    const serials = batch.map((_, index) => written + index);
    written += batch.length;
    await connection.query(rowPacket(connection, sample, serials));
    replies.send(
      batch.map(({ headers }) => ({
        replyPartition: 0,
        correlationId: headers[headerNames.correlationId] ?? '',
        value: Buffer.alloc(100),
      })),
    );
  }
  isWriting = false;
}

await source.start({
  onAssigned(partitions) {
    void (async () => {
      for (const partition of partitions) {
        source.open(partition, (await source.logRange(partition)).endOffset);
      }
      console.log('ready');
    })();
  },
  onRecords(_partition, records) {
    waiting.push(...records);
    if (!isWriting) void write();
  },
  onRebalancing: () => undefined,
  onOutOfRange: (partition) => console.log(`partition ${partition} is out of range`),
  onCrashed(cause) {
    throw cause instanceof Error ? cause : new Error(String(cause));
  },
});

process.stdin.resume();
process.stdin.once('end', () => {
  void (async () => {
    await source.stop();
    await replies.stop();
    await connection.end();
  })();
});
