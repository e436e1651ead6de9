/**
 * One member of a group on the memory broker, with the habits of the client that production uses: one
 * loop that fetches, hands over and then sends a heartbeat, so that a member that gets no answer
 * sends none; positions that begin at the stored offsets in each generation; moves and pauses that
 * take effect at the next fetch.
 */
import type { DriverPorts } from '../driver-ports.ts';
import type { GroupMemberHandlers, GroupMembership } from '../log-client/log-transport.ts';
import type { MembershipSettings } from '../log-client/membership-settings.ts';
import { MembershipWatch } from '../log-client/membership-watch.ts';
import { settleWithin } from '../settle-within.ts';
import type { BrokerLink } from './broker-link.ts';
import type { FetchAnswer, MemoryBroker } from './memory-broker.ts';
import { GroupRefusal } from './memory-group.ts';
import type { JoinAnswer, JoinProfile, MemoryGroup } from './memory-group.ts';
import { requestTimeoutMs } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';
import { MemberPositions } from './member-positions.ts';

/** A membership, whose it is, and how it gets its share. */
export interface MemoryMemberSettings extends MembershipSettings, MemoryClientSettings {
  readonly instanceName: string;
  readonly pinnedPartition: number | null;
}

/** Why a member joins again, and whether under the id it has. */
type EndOfGeneration =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'rejoin' }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'lost'; readonly cause: unknown };

const topicPollMs = 500;
const retryAfterMs = 100;
const replaceAfterMs = 1_000;
/** On top of the rebalance that a join waits for. */
const joinSlackMs = 5_000;

/** Where a member stands that wants nothing of what lies there already. */
const belowTheLog = -1n;

/** See the file header. */
export class MemoryGroupMember implements GroupMembership {
  private readonly settings: MemoryMemberSettings;
  private readonly handlers: GroupMemberHandlers;
  private readonly ports: DriverPorts;
  private readonly broker: MemoryBroker;
  private readonly link: BrokerLink;
  private readonly group: MemoryGroup;
  private readonly positions = new MemberPositions();
  private readonly stopping = new AbortController();
  private memberId = '';
  private generation = -1;
  private readonly watch: MembershipWatch;
  private isForgotten = false;
  private stopped: Promise<void> | null = null;

  constructor(settings: MemoryMemberSettings, handlers: GroupMemberHandlers, ports: DriverPorts) {
    this.settings = settings;
    this.handlers = handlers;
    this.ports = ports;
    const { sessionTimeoutMs, rebalanceTimeoutMs } = settings;
    const longestJoinMs = rebalanceTimeoutMs + joinSlackMs;
    this.watch = new MembershipWatch(ports.clock, sessionTimeoutMs, longestJoinMs);
    this.broker = settings.broker;
    this.link = settings.broker.connect(settings.client);
    this.group = settings.broker.group(settings.groupId, settings.topic);
  }

  async start(): Promise<void> {
    const { topic } = this.settings;
    for (let tries = 0; !this.isStopping; tries += 1) {
      try {
        await this.link.ask(() => this.broker.topic(topic), requestTimeoutMs);
        break;
      } catch (error) {
        const fields = { topic, error: String(error) };
        if (tries === 0) this.ports.log.warn(fields, 'waiting for the topic to exist');
        await this.ports.timers.sleep(topicPollMs, this.stopping.signal);
      }
    }
    void this.run();
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  seek(partition: number, offset: bigint): void {
    this.positions.seek(partition, offset);
  }

  pause(partitions: readonly number[]): void {
    this.positions.pause(partitions);
  }

  resume(partitions: readonly number[]): void {
    this.positions.resume(partitions);
  }

  /** Goes out under the newest generation, whatever it was when the offsets were reached. */
  async commit(
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): Promise<void> {
    await this.link.ask(
      () => this.group.commit(this.memberId, this.generation, offsets),
      requestTimeoutMs,
    );
  }

  stop(): Promise<void> {
    this.stopped ??= this.leave();
    return this.stopped;
  }

  private async leave(): Promise<void> {
    this.stopping.abort();
    const { stopTimeoutMs, groupId } = this.settings;
    const { timers, log } = this.ports;
    const leaving = this.link.ask(() => this.group.leave(this.memberId), requestTimeoutMs);
    const left = await settleWithin(timers, leaving, stopTimeoutMs);
    // Without an orderly leave the group finds out by the session time-out; nothing else is lost.
    if (left.kind !== 'done') log.warn({ groupId, ...left }, 'consumer stopped the hard way');
    this.link.close();
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const joined = await this.join();
      if (this.isStopping) return;
      if (joined === null) {
        // As kafkajs does: with its id thrown away and its join cut off, it goes on with what it had.
        if (this.generation < 0 || this.memberId !== '') continue;
        const end = await this.serve(false);
        if (end.kind === 'lost') await this.beginAnew(end.cause);
        continue;
      }
      this.memberId = joined.memberId;
      this.generation = joined.generation;
      // The first fetch finds an offset below the log out of range, and goes to its end.
      this.positions.begin(joined, this.settings.fromBeginning ? 0n : belowTheLog);
      this.handlers.onJoined(joined.partitions);
      this.watch.confirmed();
      const end = await this.serve(true);
      if (this.isStopping) return;
      if (end.kind === 'rejoin') this.handlers.onRebalancing();
      if (end.kind === 'forgotten') {
        this.memberId = '';
        this.handlers.onRebalancing();
      }
      if (end.kind === 'lost') await this.beginAnew(end.cause);
    }
  }

  /** Null: try again. */
  private async join(): Promise<JoinAnswer | null> {
    const { instanceName, sessionTimeoutMs, rebalanceTimeoutMs, pinnedPartition } = this.settings;
    const profile: JoinProfile = {
      instanceName,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      pinnedPartition,
    };
    try {
      return await this.link.ask(
        () => this.group.join(this.memberId, profile),
        rebalanceTimeoutMs + joinSlackMs,
      );
    } catch (error) {
      if (error instanceof GroupRefusal) this.memberId = '';
      else await this.ports.timers.sleep(retryAfterMs, this.stopping.signal);
      return null;
    }
  }

  /**
   * One generation: fetch, hand over, heartbeat, until the group or the network ends it. Without an id
   * there is no heartbeat, and nobody to say that it is over.
   */
  private async serve(hasId: boolean): Promise<EndOfGeneration> {
    const { clock, timers } = this.ports;
    const { heartbeatIntervalMs, sessionTimeoutMs } = this.settings;
    let heartbeatAtMs = clock.monoMs();
    let answeredAtMs = clock.monoMs();
    let isConfirmed = false;
    while (!this.isStopping) {
      try {
        await this.fetchAndHandOver();
        if (this.isStopping) break;
        if (hasId && clock.monoMs() - heartbeatAtMs >= heartbeatIntervalMs) {
          await this.heartbeat();
          this.watch.confirmed();
          heartbeatAtMs = clock.monoMs();
          if (!isConfirmed && !this.isStopping) this.handlers.onConfirmed();
          isConfirmed = true;
        }
        answeredAtMs = clock.monoMs();
        // Doubt stands for the question to the group, whose answer is known here.
        if (this.isForgotten || (!hasId && this.watch.isInDoubt)) {
          return { kind: 'lost', cause: 'the group knows the member no more' };
        }
      } catch (error) {
        if (error instanceof GroupRefusal) {
          return { kind: error.code === 'UNKNOWN_MEMBER_ID' ? 'forgotten' : 'rejoin' };
        }
        if (clock.monoMs() - answeredAtMs > sessionTimeoutMs) return { kind: 'lost', cause: error };
        await timers.sleep(retryAfterMs, this.stopping.signal);
      }
    }
    return { kind: 'stopped' };
  }

  private heartbeat(): Promise<void> {
    return this.link.ask(
      () => this.group.heartbeat(this.memberId, this.generation),
      requestTimeoutMs,
    );
  }

  private async fetchAndHandOver(): Promise<void> {
    const { topic, maxWaitMs, maxBytesPerPartition } = this.settings;
    const wanted = this.positions.wanted();
    if (wanted.size === 0) {
      await this.ports.timers.sleep(maxWaitMs, this.stopping.signal);
      return;
    }
    const limits = { maxWaitMs, bytesMax: maxBytesPerPartition };
    const answers = await this.link.ask(
      () => this.broker.fetch(topic, wanted, limits),
      maxWaitMs + requestTimeoutMs,
    );
    if (this.isStopping) return;
    this.handlers.onFetchAnswered();
    if (this.watch.isForgotten()) this.isForgotten = true;
    for (const answer of answers) await this.take(answer);
  }

  private async take(answer: FetchAnswer): Promise<void> {
    if (answer.kind === 'outOfRange') {
      const { partition, startOffset, endOffset } = answer;
      // As kafkajs does it: silently to where a group without an offset begins.
      this.positions.seek(partition, this.settings.fromBeginning ? startOffset : endOffset);
      return;
    }
    const batch = this.positions.batchOf(answer);
    if (batch !== null) await this.handlers.onBatch(batch);
  }

  private async beginAnew(cause: unknown): Promise<void> {
    const { groupId } = this.settings;
    this.memberId = '';
    this.generation = -1;
    this.isForgotten = false;
    this.ports.metrics.count('roomcell_kafka_consumer_replaced_total', { group: groupId });
    this.ports.log.warn({ groupId, error: String(cause) }, 'consumer ended; joining anew');
    this.handlers.onLeft(cause);
    await this.ports.timers.sleep(replaceAfterMs, this.stopping.signal);
  }
}
