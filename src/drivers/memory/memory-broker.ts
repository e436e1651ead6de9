/**
 * A broker in memory: what the memory twins of the log's ports share, as processes share a Kafka.
 * Topics with partitions and append times, consumer groups, clients that can be cut off or frozen,
 * and a board of faults. All time and chance come from ports, so that a simulation owns them.
 *
 * Below it stand no replicas: what is acknowledged to `all` is stored.
 */
import type { Clock } from '../../ports/clock.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { partitionOfKey } from '../../protocol/partition.ts';
import type { LogMessage } from '../log-client/log-transport.ts';
import { BrokerFaults } from './broker-faults.ts';
import { BrokerLink, BrokerUnreachable, ReachSwitch } from './broker-link.ts';
import type { LatencyMs, Reach } from './broker-link.ts';
import { MemoryGroup } from './memory-group.ts';
import { MemoryTopic } from './memory-topic.ts';
import type { TimestampType } from './memory-topic.ts';

/** What the broker stands on. */
export interface MemoryBrokerPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

/** Times in ms. */
export interface MemoryBrokerSettings {
  /** One way between client and broker. Default 0 to 1. */
  readonly latencyMs?: LatencyMs;
  /** `group.initial.rebalance.delay.ms`. Default 0. */
  readonly groupStartDelayMs?: number;
  /** `retention.bytes` of every partition. Default: no limit. */
  readonly retentionBytes?: number;
}

/** Of a fetch. */
export interface FetchLimits {
  readonly maxWaitMs: number;
  readonly bytesMax: number;
}

/** What a partition answers to a fetch at `fetchedAt`. */
export type FetchAnswer =
  | {
      readonly kind: 'records';
      readonly partition: number;
      readonly fetchedAt: bigint;
      readonly records: readonly SourceRecord[];
    }
  | {
      readonly kind: 'outOfRange';
      readonly partition: number;
      readonly startOffset: bigint;
      readonly endOffset: bigint;
    };

/** Who must have a record before it is acknowledged. */
export type Acks = 'all' | 'leader';

/** A record that the log has taken. */
export interface AppendedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly recordTimeMs: number;
}

/** See the file header. */
export class MemoryBroker {
  readonly faults = new BrokerFaults();
  /** Told of each stored record, in the same turn; a simulation writes them down. */
  onAppended: (record: AppendedRecord) => void = () => undefined;
  private readonly ports: MemoryBrokerPorts;
  private readonly settings: Required<MemoryBrokerSettings>;
  private readonly topics = new Map<string, MemoryTopic>();
  private readonly groups = new Map<string, { readonly group: MemoryGroup; topic: string }>();
  private readonly everybody = new ReachSwitch();
  private readonly clients = new Map<string, ReachSwitch>();

  constructor(ports: MemoryBrokerPorts, settings: MemoryBrokerSettings = {}) {
    this.ports = ports;
    this.settings = {
      latencyMs: { min: 0, max: 1 },
      groupStartDelayMs: 0,
      retentionBytes: Infinity,
      ...settings,
    };
  }

  /** False when the topic exists; it stays as it is then. */
  createTopic(name: string, partitionCount: number, timestampType: TimestampType): boolean {
    if (this.topics.has(name)) return false;
    const { retentionBytes } = this.settings;
    this.topics.set(name, new MemoryTopic(name, partitionCount, timestampType, retentionBytes));
    return true;
  }

  /** With all records, and the groups' offsets in it. */
  deleteTopic(name: string): void {
    const topic = this.topics.get(name);
    this.topics.delete(name);
    for (const { group, topic: read } of this.groups.values()) {
      if (read === name) group.forgetOffsets();
    }
    topic?.wake();
  }

  /** Deleted and made again under its name: empty, from offset 0. */
  recreateTopic(name: string): void {
    const { partitions, timestampType } = this.topic(name);
    this.deleteTopic(name);
    this.createTopic(name, partitions.length, timestampType);
  }

  hasTopic(name: string): boolean {
    return this.topics.has(name);
  }

  /** Throws BrokerUnreachable, as a client says it that finds no leader for the topic. */
  topic(name: string): MemoryTopic {
    const topic = this.topics.get(name);
    if (topic === undefined) throw new BrokerUnreachable(`there is no topic ${name}`, false);
    return topic;
  }

  /** The group that reads `topic`; made at the first call. */
  group(id: string, topic: string): MemoryGroup {
    const known = this.groups.get(id);
    if (known !== undefined) return known.group;
    const { timers, random } = this.ports;
    const group = new MemoryGroup(id, {
      timers,
      random,
      faults: this.faults,
      startDelayMs: this.settings.groupStartDelayMs,
      partitionCount: () => this.topics.get(topic)?.partitions.length ?? 0,
    });
    this.groups.set(id, { group, topic });
    return group;
  }

  /** A connection of the process `client`. */
  connect(client: string): BrokerLink {
    const { timers, random } = this.ports;
    const { latencyMs } = this.settings;
    return new BrokerLink([this.everybody, this.switchOf(client)], { timers, random, latencyMs });
  }

  /** Cuts off, silences or freezes one process, or (null) the broker for all; and ends that. */
  setReach(client: string | null, reach: Reach): void {
    (client === null ? this.everybody : this.switchOf(client)).set(reach);
  }

  /** Appends a send; answers each partition's first offset. Partitions that are absent are left out. */
  append(name: string, messages: readonly LogMessage[], acks: Acks): Map<number, bigint> {
    const fault = this.faults.take(
      ['ackLost', 'notStored', 'storedTwice', 'badBytes', 'ackWithoutStore'],
      (one) => one.topic === name && (one.kind !== 'ackWithoutStore' || acks === 'leader'),
    );
    if (fault?.kind === 'notStored') {
      throw new BrokerUnreachable('not stored by the test', !fault.isCertain);
    }
    const topic = this.topic(name);
    if (fault?.kind === 'ackWithoutStore') return endOffsets(topic);
    const sent = fault?.kind === 'badBytes' ? withOneBadBit(messages) : messages;
    if (fault?.kind === 'storedTwice') this.store(topic, sent);
    const firstOffsets = this.store(topic, sent);
    topic.wake();
    if (fault?.kind === 'ackLost') throw new BrokerUnreachable('answer lost by the test', true);
    return firstOffsets;
  }

  /** Answers as soon as one partition has something to say, or with nothing after `maxWaitMs`. */
  async fetch(
    name: string,
    positions: ReadonlyMap<number, bigint>,
    limits: FetchLimits,
  ): Promise<readonly FetchAnswer[]> {
    const { clock } = this.ports;
    const untilMs = clock.monoMs() + limits.maxWaitMs;
    for (;;) {
      const answers = this.readNow(name, positions, limits.bytesMax);
      const leftMs = untilMs - clock.monoMs();
      if (answers.length > 0 || leftMs <= 0) return answers;
      await this.nextAppend(this.topic(name), leftMs);
    }
  }

  private readNow(
    name: string,
    positions: ReadonlyMap<number, bigint>,
    bytesMax: number,
  ): readonly FetchAnswer[] {
    const topic = this.topic(name);
    const answers: FetchAnswer[] = [];
    for (const [id, fetchedAt] of positions) {
      const partition = topic.partitions[id];
      if (partition === undefined) continue;
      const range = partition.range();
      if (fetchedAt < range.startOffset || fetchedAt > range.endOffset) {
        answers.push({ kind: 'outOfRange', partition: id, ...range });
        continue;
      }
      const records = partition.read(fetchedAt, bytesMax);
      if (records.length > 0) answers.push({ kind: 'records', partition: id, fetchedAt, records });
    }
    return answers;
  }

  private nextAppend(topic: MemoryTopic, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        forget();
        resolve();
      };
      const cancel = this.ports.timers.after(withinMs, end);
      const forget = topic.onceAppended(end);
    });
  }

  private store(topic: MemoryTopic, messages: readonly LogMessage[]): Map<number, bigint> {
    const firstOffsets = new Map<number, bigint>();
    const nowMs = this.ports.clock.wallMs();
    for (const message of messages) {
      const count = topic.partitions.length;
      const id = message.partition ?? partitionOfKey(message.key ?? new Uint8Array(), count);
      const offset = topic.partitions[id]?.append(message, nowMs);
      if (offset === undefined) continue;
      if (!firstOffsets.has(id)) firstOffsets.set(id, offset);
      const { value, headers } = message;
      const place = { topic: topic.name, partition: id, offset };
      this.onAppended({ ...place, value, headers, recordTimeMs: nowMs });
    }
    return firstOffsets;
  }

  private switchOf(client: string): ReachSwitch {
    const known = this.clients.get(client) ?? new ReachSwitch();
    this.clients.set(client, known);
    return known;
  }
}

function endOffsets({ partitions }: MemoryTopic): Map<number, bigint> {
  return new Map(partitions.map((partition) => [partition.id, partition.range().endOffset]));
}

function withOneBadBit([first, ...rest]: readonly LogMessage[]): readonly LogMessage[] {
  if (first === undefined) return rest;
  const value = Buffer.from(first.value);
  if (value.length > 0) value[0] = (value[0] ?? 0) ^ 1;
  return [{ ...first, value }, ...rest];
}
