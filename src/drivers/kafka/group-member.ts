/**
 * One member of a consumer group: kafkajs's consumer with the supervision it lacks. It joins and
 * stays until stopped; when kafkajs ends a consumer for a reason that passes (a broker away), or goes on
 * with one that the group has forgotten, it is replaced by a new one; only what cannot pass is reported
 * as a crash.
 */
import type { Consumer, PartitionAssigner } from 'kafkajs';
import type { GroupMemberHandlers, GroupMembership } from '../log-client/log-transport.ts';
import type { MembershipSettings } from '../log-client/membership-settings.ts';
import { MembershipWatch } from '../log-client/membership-watch.ts';
import { settleWithin } from '../settle-within.ts';
import { KafkaBatch } from './kafka-batch.ts';
import { listenTo, makeConsumer } from './group-consumer.ts';
import { createKafkaClient, endlessRetry } from './kafka-client.ts';
import type { KafkaClient } from './kafka-client.ts';
import { kafkaDefaults, type KafkaDeps, type KafkaSettings } from './kafka-settings.ts';
import { passesByItself } from './passing-errors.ts';

/** A membership and who gets what in its group. */
export interface GroupMemberSettings extends MembershipSettings {
  readonly assigner: PartitionAssigner;
}

const replaceAfterMs = 1_000;
const topicPollMs = 500;

/** See the file header. */
export class GroupMember implements GroupMembership {
  private readonly settings: GroupMemberSettings;
  private readonly handlers: GroupMemberHandlers;
  private readonly deps: KafkaDeps;
  private readonly kafka: KafkaSettings;
  private client: KafkaClient;
  private readonly stopping = new AbortController();
  private consumer: Consumer | null = null;
  private stopped: Promise<void> | null = null;
  private consumersMade = 0;

  constructor(
    kafka: KafkaSettings,
    settings: GroupMemberSettings,
    handlers: GroupMemberHandlers,
    deps: KafkaDeps,
  ) {
    this.settings = settings;
    this.handlers = handlers;
    this.deps = deps;
    this.kafka = kafka;
    this.client = createKafkaClient(kafka, deps.log, endlessRetry);
  }

  /** Resolves when the consumer runs, or when `stop` came first. Waits for broker and topic. */
  async start(): Promise<void> {
    const consumer = this.createConsumer();
    this.consumer = consumer;
    const { concurrency } = this.settings;
    try {
      await consumer.connect();
      await this.subscribe(consumer);
      if (this.isStopping) return;
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrency,
        eachBatch: async (payload) => {
          if (consumer === this.consumer) await this.handlers.onBatch(new KafkaBatch(payload));
        },
      });
    } catch (error) {
      // A closed client makes kafkajs's calls fail: that is how a stop ends this wait.
      if (this.isStopping || consumer !== this.consumer) return;
      throw error;
    }
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Takes effect before the next fetch. */
  seek(partition: number, offset: bigint): void {
    const { topic } = this.settings;
    this.steer((consumer) => consumer.seek({ topic, partition, offset: offset.toString() }));
  }

  pause(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    const { topic } = this.settings;
    this.steer((consumer) => consumer.pause([{ topic, partitions: [...partitions] }]));
  }

  resume(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    const { topic } = this.settings;
    this.steer((consumer) => consumer.resume([{ topic, partitions: [...partitions] }]));
  }

  private steer(act: (consumer: Consumer) => void): void {
    if (this.consumer === null) return;
    try {
      act(this.consumer);
    } catch (error) {
      // Scenario 2: kafkajs has ended this consumer and its CRASH event is still to come. The next
      // assignment starts from `onJoined` again, so nothing that was asked for here is missed.
      this.deps.log.debug({ error: String(error) }, 'a Kafka consumer that ended was steered');
    }
  }

  /** Stores group offsets. Rejects when the group does not take them. May wait for the broker. */
  async commit(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    const { topic } = this.settings;
    await this.consumer?.commitOffsets(
      offsets.map(({ partition, offsetNext }) => ({
        topic,
        partition,
        offset: offsetNext.toString(),
      })),
    );
  }

  /** Leaves the group and closes everything; ends within the deadline. Idempotent. */
  stop(): Promise<void> {
    this.stopped ??= this.leave();
    return this.stopped;
  }

  private async leave(): Promise<void> {
    this.stopping.abort();
    const { timers, log } = this.deps;
    const { stopTimeoutMs, groupId } = this.settings;
    const left = await settleWithin(
      timers,
      this.consumer?.disconnect() ?? Promise.resolve(),
      stopTimeoutMs,
    );
    // Without an orderly leave the group finds out by the session time-out; nothing else is lost.
    if (left.kind !== 'done') log.warn({ groupId, ...left }, 'Kafka consumer stopped the hard way');
    this.client.close();
  }

  private async subscribe(consumer: Consumer): Promise<void> {
    const { topic, fromBeginning } = this.settings;
    for (let tries = 0; !this.isStopping; tries += 1) {
      try {
        await consumer.subscribe({ topic, fromBeginning });
        return;
      } catch (error) {
        if (tries === 0) {
          this.deps.log.warn({ topic, error: String(error) }, 'waiting for the topic to exist');
        }
        await this.deps.timers.sleep(topicPollMs, this.stopping.signal);
      }
    }
  }

  private createConsumer(): Consumer {
    const { settings, deps, handlers } = this;
    const { sessionTimeoutMs, rebalanceTimeoutMs } = settings;
    const requestTimeoutMs = this.kafka.requestTimeoutMs ?? kafkaDefaults.requestTimeoutMs;
    const longestJoinMs = rebalanceTimeoutMs + requestTimeoutMs;
    const watch = new MembershipWatch(deps.clock, sessionTimeoutMs, longestJoinMs);
    let passes = false;
    const consumer = makeConsumer(this.client, settings, this.consumersMade, () => (passes = true));
    this.consumersMade += 1;
    const isOver = (): boolean => this.isStopping || consumer !== this.consumer;
    const { sockets } = this.client;
    const memberIdOf = listenTo(consumer, settings.topic, handlers, {
      ...{ isOver, watch, sockets },
      onForgotten: () => this.giveUp(consumer),
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (isOver()) return;
      if (passes || passesByItself(payload.error)) void this.replace(payload.error);
      else handlers.onCrashed(payload.error);
    });
    void this.askInDoubt(consumer, watch, { isOver, memberIdOf });
    return consumer;
  }

  /** Asks the group who is in it when it says nothing; an answer that does not come says nothing either. */
  private async askInDoubt(
    consumer: Consumer,
    watch: MembershipWatch,
    { isOver, memberIdOf }: { readonly isOver: () => boolean; readonly memberIdOf: () => string },
  ): Promise<void> {
    const { timers, log } = this.deps;
    for (;;) {
      await timers.sleep(this.settings.sessionTimeoutMs, this.stopping.signal);
      if (isOver()) return;
      if (!watch.isInDoubt) continue;
      try {
        const { members } = await consumer.describeGroup();
        if (isOver()) return;
        if (!members.some(({ memberId }) => memberId === memberIdOf())) this.giveUp(consumer);
      } catch (error) {
        log.debug({ error: String(error) }, 'the group did not say who is in it');
      }
    }
  }

  /** With its client, so that nothing of it can join behind its successor's back. */
  private giveUp(consumer: Consumer): void {
    this.consumer = null;
    this.client.close();
    // Its loops end with the sockets; what they say then is nobody's business any more.
    void consumer.disconnect().catch(() => undefined);
    this.client = createKafkaClient(this.kafka, this.deps.log, endlessRetry);
    void this.replace(new Error('the group knows the member no more, and it goes on fetching'));
  }

  private async replace(cause: unknown): Promise<void> {
    const { log, metrics, timers } = this.deps;
    const { groupId } = this.settings;
    metrics.count('roomcell_kafka_consumer_replaced_total', { group: groupId });
    log.warn({ groupId, error: String(cause) }, 'Kafka consumer ended; joining with a new one');
    this.handlers.onLeft(cause);
    await timers.sleep(replaceAfterMs, this.stopping.signal);
    if (this.isStopping) return;
    try {
      await this.start();
    } catch (error) {
      if (passesByItself(error)) await this.replace(error);
      else this.handlers.onCrashed(error);
    }
  }
}
