/**
 * Reads room events as any other system may: plain Kafka, and the Avro schemas of this repository.
 * Nothing of roomcell's own code takes part. It needs `kafkajs` and `avsc`, and Node 20.
 *
 *   node docs/examples/read-room-events.mjs --brokers 127.0.0.1:9092 --topic room.events.activity \
 *     --group my-service [--count 10]
 *
 * Each event is one line of JSON. An event may come again: whoever acts on it remembers (app_code,
 * event_id) together with what it did. Within a room events come in the order of their versions.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import avsc from 'avsc';
import { Kafka, logLevel } from 'kafkajs';

const { values: options } = parseArgs({
  options: {
    brokers: { type: 'string', default: '127.0.0.1:9092' },
    topic: { type: 'string', default: 'room.events.activity' },
    group: { type: 'string', default: 'read-room-events' },
    schemas: { type: 'string', default: join(import.meta.dirname, '..', '..', 'schemas', 'avro') },
    /** Ends behind so many events; 0: never. */
    count: { type: 'string', default: '0' },
  },
});

// 1. The schema: one type per file, put together from the envelope on. Fields marked as secret are in
//    no envelope, and so in no schema of it.
const files = readdirSync(options.schemas, { recursive: true, encoding: 'utf8' });
const types = new Map(
  files
    .filter((file) => file.endsWith('.avsc'))
    .map((file) => JSON.parse(readFileSync(join(options.schemas, file), 'utf8')))
    .map((type) => [`roomcell.${type.name}`, type]),
);
const spelledOut = new Set();

function composed(type) {
  if (Array.isArray(type)) return type.map(composed);
  if (typeof type === 'string') {
    if (!types.has(type) || spelledOut.has(type)) return type;
    spelledOut.add(type);
    return composed(types.get(type));
  }
  if (type.type === 'array') return { ...type, items: composed(type.items) };
  if (type.type !== 'record') return type;
  const fields = type.fields.filter((field) => field.secret !== true);
  return { ...type, fields: fields.map((field) => ({ ...field, type: composed(field.type) })) };
}

// 2. Numbers of 64 bits stay exact.
const longs = avsc.types.LongType.__with({
  fromBuffer: (bytes) => bytes.readBigInt64LE(),
  toBuffer(value) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value) => typeof value === 'bigint',
  compare: (left, right) => (left < right ? -1 : left > right ? 1 : 0),
});
const envelopes = avsc.Type.forSchema(composed('roomcell.EventEnvelope'), {
  registry: { long: longs },
  wrapUnions: true,
});

/**
 * 3. A value is two marker bytes, eight bytes that name the writer's schema, and the record. A release
 * that is newer than these files writes another name; its schema lies in the table `avro_schemas`
 * under it, and a resolver from that one to this one reads its events.
 */
function envelopeIn(value) {
  if (value[0] !== 0xc3 || value[1] !== 0x01) throw new Error('not a single-object record');
  const { offset, value: envelope } = envelopes.decode(value, 10);
  if (offset !== value.length) throw new Error('written by another schema than these files hold');
  return envelope;
}

// 4. Where it came from and what it says.
const asText = (_, value) => (typeof value === 'bigint' ? String(value) : value);
const consumer = new Kafka({
  clientId: options.group,
  brokers: options.brokers.split(','),
  logLevel: logLevel.NOTHING,
}).consumer({ groupId: options.group });
await consumer.connect();
await consumer.subscribe({ topic: options.topic, fromBeginning: true });
let seen = 0;
await consumer.run({
  async eachMessage({ partition, message }) {
    const { event, ...envelope } = envelopeIn(message.value);
    const [appCode, roomId] = message.key.toString('utf8').split('\0');
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, value.toString('utf8')]),
    );
    const line = { partition, key: { appCode, roomId }, headers, envelope, event };
    process.stdout.write(`${JSON.stringify(line, asText)}\n`);
    seen += 1;
    // From outside of the run: a consumer cannot be left from its own handler.
    if (seen === Number(options.count)) setImmediate(() => void consumer.disconnect());
  },
});
