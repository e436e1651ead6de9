/**
 * A relay and an adapter of one destination in this process, on a real broker and a real database, as
 * their roles wire them; rows come by plain SQL, in transactions like a cell's, and arrivals are noted
 * by the sender. So what is measured is the outbox alone: no rooms, no gRPC, nothing outside.
 */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'mysql2/promise';
import { adapterDefaults } from '../../src/adapters/adapter-options.ts';
import { createAdapter } from '../../src/adapters/adapter.ts';
import type { EventSender } from '../../src/adapters/event-sender.ts';
import { createEnvelopeReader } from '../../src/adapters/read-envelope.ts';
import type { AppCode } from '../../src/domain/ids.ts';
import { createKafkaEventSink } from '../../src/drivers/kafka/kafka-event-sink.ts';
import { createKafkaEventSource } from '../../src/drivers/kafka/kafka-event-source.ts';
import { ensureTopics } from '../../src/drivers/kafka/topics.ts';
import { MemoryWakeHub } from '../../src/drivers/memory/memory-wake.ts';
import type { MysqlDrivers } from '../../src/drivers/mysql/mysql-drivers.ts';
import { createSystemRandom } from '../../src/drivers/system/system-random.ts';
import type { SendOutcome } from '../../src/ports/im-client.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { outboxShardCount } from '../../src/protocol/outbox-shard.ts';
import { topicNames } from '../../src/protocol/topics.ts';
import { createRelay } from '../../src/relay/relay.ts';
import { insertEvents, storedEvent } from '../../test/support/stored-events.ts';
import type { RunSql, StoredEvent } from '../../test/support/stored-events.ts';
import type { BenchServers } from '../bench-servers.ts';

const prefix = `bench-outbox-${randomBytes(3).toString('hex')}`;
const appCode = 'bench' as AppCode;
const destinations = ['activity'] as const;
const roomCount = 200;
const backoff = { initialMs: 250, maxMs: 4_000 };
const publishTimeoutMs = 3_000;

/** Longest pause between two tries of a row, in ms: what recovery from an outage is compared with. */
export const longestBackoffMs = backoff.maxMs;

/** One arrival at the destination. */
export interface OutboxArrival {
  readonly roomId: string;
  readonly version: bigint;
  readonly afterMs: number;
}

/** See the file header. */
export class OutboxRig {
  readonly arrivals: OutboxArrival[] = [];
  /** While true the destination does not answer. */
  isOut = false;
  private readonly servers: BenchServers;
  private readonly drivers: MysqlDrivers;
  private readonly sql: Pool;
  private readonly codec = createCodec();
  private readonly wake;
  private readonly versions = new Map<string, number>();
  private readonly storedAt = new Map<string, number>();
  private nextRoom = 0;
  private stages: readonly { stop(): Promise<void> }[] = [];

  constructor(servers: BenchServers, drivers: MysqlDrivers, sql: Pool) {
    this.servers = servers;
    this.drivers = drivers;
    this.sql = sql;
    this.wake = new MemoryWakeHub({ timers: servers.deps.timers, log: servers.deps.log }).open();
  }

  /** Makes the topics. */
  async prepare(): Promise<void> {
    const plan = {
      prefix,
      commandPartitions: 1,
      replyPartitions: 1,
      eventPartitions: { activity: 8 },
    };
    await ensureTopics(
      this.servers.kafka,
      { ...plan, replicationFactor: 1, minInsyncReplicas: 1 },
      this.servers.deps,
    );
  }

  /** Begins to relay and to send. */
  async start(): Promise<void> {
    const { kafka, deps } = this.servers;
    const topic = topicNames(prefix).events.activity;
    const common = {
      ...deps,
      store: this.drivers.outboxStore,
      wake: this.wake,
      random: createSystemRandom(),
      trace: { at: () => undefined },
    };
    const relay = createRelay(
      { ...common, sink: createKafkaEventSink({ kafka, topic }, deps) },
      {
        workerId: 'bench',
        destinations,
        shards: Array.from({ length: outboxShardCount }, (_, shard) => shard),
        pollIntervalMs: 1_000,
        batchSize: 1_000,
        runSize: 10,
        unconfirmedMax: 4_000,
        publishTimeoutMs,
        claimLockMs: 90_000,
        startedMax: 3,
      },
    );
    const adapter = createAdapter(
      {
        ...common,
        source: createKafkaEventSource(
          { kafka, topic, groupId: `${prefix}.adapter`, instanceName: 'bench' },
          deps,
        ),
        readEnvelope: createEnvelopeReader(this.codec, this.drivers.schemaRegistry),
        onCrashed: (cause) => console.log(`    the adapter's consumer died: ${String(cause)}`),
      },
      this.sender(),
      {
        ...adapterDefaults,
        lockMs: 90_000,
        sendTimeoutMs: publishTimeoutMs,
        maxRetryCount: 1_000,
        backoff,
      },
    );
    await adapter.start();
    await relay.start();
    this.stages = [relay, adapter];
  }

  async stop(): Promise<void> {
    for (const stage of this.stages) await stage.stop();
  }

  /** Stores so many events in one transaction, over the rooms in turn; hints once it is committed. */
  async store(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => this.nextEvent());
    const connection = await this.sql.getConnection();
    try {
      await connection.beginTransaction();
      await insertEvents((sql, values) => connection.query(sql, [...values]), events, destinations);
      await connection.commit();
    } finally {
      connection.release();
    }
    const nowMs = this.servers.deps.clock.monoMs();
    for (const { eventId } of events) this.storedAt.set(eventId, nowMs);
    this.wake.hint();
  }

  /** Adds so many events that were delivered long ago, of rooms of their own, as retention keeps them. */
  async keep(count: number): Promise<void> {
    const perStatement = 5_000;
    const run: RunSql = (sql, values) => this.sql.query(sql, [...values]);
    for (let at = 0; at < count; at += perStatement) {
      const size = Math.min(perStatement, count - at);
      const kept = Array.from({ length: size }, (_, nth) => this.eventOf(`kept-${nth}`));
      await insertEvents(run, kept, destinations, 'delivered');
    }
    await this.sql.query('ANALYZE TABLE room_outbox, room_events');
  }

  private nextEvent(): StoredEvent {
    const room = `room-${this.nextRoom}`;
    this.nextRoom = (this.nextRoom + 1) % roomCount;
    return this.eventOf(room);
  }

  private eventOf(room: string): StoredEvent {
    const version = (this.versions.get(room) ?? 0) + 1;
    this.versions.set(room, version);
    return storedEvent(appCode, { room, version });
  }

  private sender(): EventSender {
    const { clock } = this.servers.deps;
    return {
      destination: 'activity',
      send: ({ envelope: { eventId, roomId, roomVersion } }): Promise<SendOutcome> => {
        if (this.isOut)
          return Promise.resolve({ kind: 'unknown', cause: 'an outage of the bench' });
        const storedAtMs = this.storedAt.get(eventId);
        // It may arrive before the transaction's own caller has heard of its end.
        const afterMs = storedAtMs === undefined ? 0 : clock.monoMs() - storedAtMs;
        this.storedAt.delete(eventId);
        this.arrivals.push({ roomId, version: roomVersion, afterMs });
        return Promise.resolve({ kind: 'done' });
      },
    };
  }
}
