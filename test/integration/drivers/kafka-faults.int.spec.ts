/** The Kafka drivers over a broker that freezes, dies, comes back, or sits behind a bad network. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Kafka, logLevel } from 'kafkajs';
import { createKafkaCommandSink } from '../../../src/drivers/kafka/kafka-command-sink.ts';
import type { KafkaCommandSinkSettings } from '../../../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaReplySink } from '../../../src/drivers/kafka/kafka-reply-sink.ts';
import { createKafkaReplySource } from '../../../src/drivers/kafka/kafka-reply-source.ts';
import { ensureTopics } from '../../../src/drivers/kafka/topics.ts';
import type { CommandSink } from '../../../src/ports/command-sink.ts';
import { topicNames } from '../../../src/protocol/topics.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import type { Stack } from '../../../scripts/stack/stack-types.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import { logSpaceOn } from '../../support/kafka-log-space.ts';
import { startSource } from '../../support/kafka-space.ts';
import type { KafkaSpace } from '../../support/kafka-space.ts';
import { onOneBroker, produceMany } from '../../support/log-space.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import type { WatchedSource } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { outboxOutages } from '../outbox/outbox-outages.ts';

const prefix = 'faults';
const record = (name: string, partition = 0) => ({
  partition,
  key: Buffer.from('app1\0r1'),
  value: Buffer.from(name),
  headers: {},
});

/** Size (4 bytes), then the kind of request (2 bytes), 0 for Produce. */
const isProduceRequest = (chunk: Buffer): boolean => chunk.length > 6 && chunk.readInt16BE(4) === 0;

/** The same, 11 for JoinGroup. */
const isJoinRequest = (chunk: Buffer): boolean => chunk.length > 6 && chunk.readInt16BE(4) === 11;

describe('kafka drivers and a broker in trouble', () => {
  let stack: Stack;
  let proxy: TcpProxy;
  let space: KafkaSpace;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    proxy = await startTcpProxy({ targetPort: 1 });
    stack = await startStack({
      kafkaAdvertisedPort: proxy.port,
      stopOnSignals: false,
      environment: { ...process.env, ROOMCELL_STACK: 'native' },
      log: () => undefined,
    });
    proxy.setTarget(stack.kafka?.listenPort ?? 0);
    const kafka = {
      brokers: [`127.0.0.1:${proxy.port}`],
      clientId: 'faults',
      requestTimeoutMs: 1_000,
    };
    await ensureTopics(kafka, { ...onOneBroker, prefix }, driverDeps());
    const direct = new Kafka({
      brokers: stack.kafka?.directBrokers ?? [],
      logLevel: logLevel.NOTHING,
    });
    const close = (): Promise<void> => Promise.resolve();
    space = { kafka, prefix, topics: topicNames(prefix), admin: direct.admin(), close };
  }, 120_000);
  afterEach(async () => {
    proxy.setMode({ kind: 'pass' });
    await proxy.accept();
    await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
  });
  afterAll(async () => {
    await stack.stop();
    await proxy.close();
  });

  async function startSink(more: Partial<KafkaCommandSinkSettings> = {}): Promise<CommandSink> {
    const sink = createKafkaCommandSink(
      { kafka: space.kafka, topic: space.topics.commands, settleWithinMs: 4_000, ...more },
      driverDeps(),
    );
    cleanUps.push(() => sink.stop());
    await sink.start();
    return sink;
  }

  let instances = 0;
  /** A reader of its own group, opened at the present end of all partitions. */
  async function startReader(sink: CommandSink, groupId?: string): Promise<WatchedSource> {
    instances += 1;
    const more = { groupId: groupId ?? `group-${instances}`, sessionTimeoutMs: 2_000 };
    const reader = await startSource(space, `cell-${instances}`, more);
    cleanUps.push(() => reader.source.stop());
    await reader.assigned([0, 1, 2, 3]);
    for (const partition of [0, 1, 2, 3]) {
      reader.source.open(partition, await sink.endOffset(partition));
    }
    return reader;
  }
  const namesOf = (reader: WatchedSource): string[] =>
    reader.records.map(({ value }) => Buffer.from(value ?? []).toString());

  it('a produce whose answer does not come is unknown, in time, and never lost behind our back', async () => {
    const sink = await startSink({ settleWithinMs: 600 });
    const reader = await startReader(sink);
    // A partition with a send under way would let the next record wait, and waiting is not sent.
    await waitUntil('a warm connection', async () => {
      return (await sink.produce(record('before'))).kind === 'stored';
    });
    proxy.setMode({ kind: 'hold', direction: 'toClient' });
    const startedAt = performance.now();
    const outcome = await sink.produce(record('silent'));
    expect(performance.now() - startedAt).toBeLessThan(1_200);
    expect(outcome).toEqual({ kind: 'unknown', cause: 'no acknowledgement within 600 ms' });
    await waitUntil('the sink called unhealthy', () => Promise.resolve(!sink.isHealthy()));
    proxy.setMode({ kind: 'pass' });
    const next = await waitUntil('a produce that works again', async () => {
      const tried = await sink.produce(record('after'));
      return tried.kind === 'stored' ? tried : null;
    });
    expect(sink.isHealthy()).toBe(true);
    await waitUntil('the reader past it', () =>
      Promise.resolve((reader.offsetsOf(0).at(-1) ?? -1n) >= next.offset),
    );
    // Unknown was right: it is in the log, and in front of what was produced after it.
    const names = namesOf(reader);
    expect(names).toContain('silent');
    expect(names.indexOf('after')).toBeGreaterThan(names.lastIndexOf('silent'));
  });

  it('a produce that was written before everything failed is unknown, never not sent', async () => {
    const sink = await startSink();
    const reader = await startReader(sink);
    await sink.produce(record('before'));
    const swallow = proxy.swallow({ watch: 'toServer', matches: isProduceRequest });
    const pending = sink.produce(record('written'));
    await swallow.swallowed;
    // The last thing that kafkajs sees is a refused connection, as if nothing had ever gone out.
    await proxy.refuse();
    expect((await pending).kind).toBe('unknown');
    await proxy.accept();
    await waitUntil('the reader shows that it was written', () =>
      Promise.resolve(namesOf(reader).includes('written')),
    );
  });

  it('a produce while nobody can be reached is not sent, and stays not sent', async () => {
    const sink = await startSink();
    const reader = await startReader(sink);
    await sink.produce(record('before'));
    await proxy.refuse();
    // The connection that stood may still take the bytes of the first one.
    await sink.produce(record('maybe'));
    for (let call = 0; call < 3; call += 1) {
      expect((await sink.produce(record(`refused-${call}`))).kind).toBe('notSent');
    }
    expect(sink.isHealthy()).toBe(false);
    await proxy.accept();
    await waitUntil('a produce that works again', async () => {
      return (await sink.produce(record('after'))).kind === 'stored';
    });
    await waitUntil('the reader past it', () => Promise.resolve(namesOf(reader).includes('after')));
    expect(namesOf(reader).filter((name) => name.startsWith('refused'))).toEqual([]);
  });

  it('a broker frozen past the session: members come back by themselves, no gap, no crash', async () => {
    const sink = await startSink();
    const reader = await startReader(sink);
    await produceMany(sink, 1, 20);
    await waitUntil('the first 20', () => Promise.resolve(reader.offsetsOf(1).length === 20));
    stack.kafka?.freeze();
    const frozenAt = performance.now();
    await waitUntil('4 s of frost', () => Promise.resolve(performance.now() - frozenAt > 4_000));
    stack.kafka?.thaw();
    await waitUntil('a produce that works again', async () => {
      return (await sink.produce(record('thawed', 1))).kind === 'stored';
    });
    await waitUntil(
      'the record after the frost',
      reading(reader, () => namesOf(reader).includes('thawed')),
      { seen: () => ({ assignments: reader.assignments, names: namesOf(reader).slice(-5) }) },
    );
    expectNoGap(reader, 1);
    expect(reader.crashes).toEqual([]);
  });

  it('a broker that dies and comes back: everything goes on, nothing acknowledged is lost', async () => {
    const sink = await startSink();
    const reader = await startReader(sink);
    const replies: string[] = [];
    const lost: unknown[] = [];
    const replySource = createKafkaReplySource(
      { kafka: space.kafka, topic: space.topics.replies, groupId: 'gateway-1' },
      driverDeps(),
    );
    const replySink = createKafkaReplySink(
      { kafka: space.kafka, topic: space.topics.replies },
      driverDeps(),
    );
    cleanUps.push(
      () => replySource.stop(),
      () => replySink.stop(),
    );
    await replySink.start();
    await replySource.start(0, {
      onReply: ({ correlationId }) => replies.push(correlationId),
      onLost: (cause) => lost.push(cause),
    });
    const stored: string[] = [];
    let isOn = true;
    const producing = (async () => {
      for (let number = 0; isOn; number += 1) {
        const outcome = await sink.produce(record(`n${number}`, number % 4));
        if (outcome.kind === 'stored') stored.push(`n${number}`);
      }
    })();
    await waitUntil('a flow', () => Promise.resolve(reader.records.length > 50));
    await stack.kafka?.kill();
    await stack.kafka?.start();
    const storedBefore = stored.length;
    await waitUntil('a flow again', () => Promise.resolve(stored.length > storedBefore + 50), {
      limitMs: 20_000,
    });
    isOn = false;
    await producing;
    await waitUntil(
      'every acknowledged record read',
      reading(reader, () => {
        const read = new Set(namesOf(reader));
        return stored.every((name) => read.has(name));
      }),
      { limitMs: 20_000, seen: () => ({ stored: stored.length, read: reader.records.length }) },
    );
    [0, 1, 2, 3].forEach((partition) => expectNoGap(reader, partition));
    const answered = await waitUntil('a reply', () => {
      replySink.send([{ replyPartition: 0, correlationId: 'r', value: Buffer.from('x') }]);
      return Promise.resolve(replies.length > 0);
    });
    expect(answered).toBe(true);
    expect([...lost, ...reader.crashes]).toEqual([]);
  }, 120_000);

  it('a member that the group has forgotten, and whose next join is cut off, becomes a member again (A2)', async () => {
    const sink = await startSink();
    const reader = await startReader(sink);
    await produceMany(sink, 1, 20);
    await waitUntil('the first 20', () => Promise.resolve(reader.offsetsOf(1).length === 20));
    const assignedBefore = reader.assignments.length;
    const join = proxy.swallow({ watch: 'toServer', matches: isJoinRequest });
    void join.matched.then(() => join.cutMatched());
    // Longer than the session: the group goes on without the member.
    proxy.setMode({ kind: 'hold', direction: 'both' });
    const heldAt = performance.now();
    await waitUntil('4 s of silence', () => Promise.resolve(performance.now() - heldAt > 4_000));
    proxy.setMode({ kind: 'pass' });
    await join.matched;
    const seen = (): unknown => reader.assignments;
    await waitUntil(
      'an assignment anew',
      () =>
        Promise.resolve(reader.assignments.slice(assignedBefore).some(({ length }) => length > 0)),
      { limitMs: 30_000, seen },
    );
    await waitUntil('a produce that works', async () => {
      return (await sink.produce(record('later', 1))).kind === 'stored';
    });
    await waitUntil(
      'the record behind it',
      reading(reader, () => namesOf(reader).includes('later')),
    );
    expectNoGap(reader, 1);
    expect(reader.crashes).toEqual([]);
  }, 120_000);

  it('a forgotten member that has no partition, and so fetches nothing, becomes a member again (A2)', async () => {
    const groupId = 'group-of-five';
    const more = { groupId, sessionTimeoutMs: 2_000, rebalanceTimeoutMs: 2_000 };
    const readers = await Promise.all(
      [1, 2, 3, 4, 5].map(async (nth) => {
        const reader = await startSource(space, `member-${nth}`, more);
        cleanUps.push(() => reader.source.stop());
        return reader;
      }),
    );
    const listed = async (): Promise<number> =>
      (await space.admin.describeGroups([groupId])).groups[0]?.members.length ?? 0;
    const all = (): Promise<boolean> => listed().then((count) => count === 5);
    await waitUntil('five members', all, { limitMs: 30_000, everyMs: 100 });
    const idle = (): WatchedSource | undefined =>
      readers.find(({ assignments }) => assignments.at(-1)?.length === 0);
    await waitUntil('one without a partition', () => Promise.resolve(idle() !== undefined));
    // Every join is cut off once, so whoever has no partition fetches nothing afterwards.
    const joins = readers.map(() => proxy.swallow({ watch: 'toServer', matches: isJoinRequest }));
    for (const join of joins) void join.matched.then(() => join.cutMatched());
    proxy.setMode({ kind: 'hold', direction: 'both' });
    await waitUntil('an empty group', () => listed().then((count) => count === 0), {
      limitMs: 30_000,
      everyMs: 100,
    });
    proxy.setMode({ kind: 'pass' });
    await waitUntil('five members again', all, { limitMs: 60_000, everyMs: 100 });
  }, 180_000);

  it('stopping ends in time though the broker is frozen', async () => {
    const sink = await startSink({ stopTimeoutMs: 500 });
    const reader = await startReader(sink);
    stack.kafka?.freeze();
    const startedAt = performance.now();
    await Promise.all([sink.stop(), reader.source.stop()]);
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    stack.kafka?.thaw();
  });

  /**
   * A condition that is looked at as a cell reads: whenever the member has lost its partitions and got them
   * back, however late, they are opened behind what was read.
   */
  function reading(reader: WatchedSource, isDone: () => boolean): () => Promise<boolean> {
    const { assignments } = reader;
    let known = 0;
    return () => {
      const hasAll = assignments.at(-1)?.length === 4;
      if (hasAll && assignments.slice(known).some(({ length }) => length < 4)) reopen(reader);
      if (hasAll) known = assignments.length;
      return Promise.resolve(isDone());
    };
  }

  /** A member that was thrown out starts anew: what is assigned to it again wants opening. */
  function reopen(reader: WatchedSource): void {
    for (const partition of [0, 1, 2, 3]) {
      const last = reader.offsetsOf(partition).at(-1);
      if (last !== undefined) reader.source.open(partition, last + 1n);
    }
  }

  function expectNoGap(reader: WatchedSource, partition: number): void {
    const offsets = reader.offsetsOf(partition);
    const first = offsets[0] ?? 0n;
    expect(offsets).toEqual(offsets.map((_, index) => first + BigInt(index)));
  }

  outboxOutages(() => ({ log: logSpaceOn(space, space.kafka, space.close), door: proxy }));
});
