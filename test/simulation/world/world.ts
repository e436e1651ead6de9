/**
 * A simulated deployment: the shared servers, the processes on them, and everybody who is told what
 * happens. It knows no plan; who makes faults and calls stands outside.
 */
import { put } from '../../../src/drivers/memory/memory-database.ts';
import { levelKey } from '../../../src/drivers/memory/memory-schema-registry.ts';
import type { RoomcellConfig } from '../../../src/main/config/config-schema.ts';
import type { RoleName } from '../../../src/main/role.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import { topicNames, type TopicNames } from '../../../src/protocol/topics.ts';
import type { CheckedWorld, LiveRoom } from '../checkers/checker.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import type { Observation } from '../observations.ts';
import { configOf } from '../plan/config-of.ts';
import type { SimOptions } from '../plan/sim-options.ts';
import { KillerRecords } from './killer-records.ts';
import { Latency } from './latency.ts';
import type { ListCopy } from './list-copies.ts';
import { Moments } from './moments.ts';
import { Pod } from './pod.ts';
import { codec } from './pod-role.ts';
import { rtcRoomsOf, type RtcRoom } from './rtc-rooms.ts';
import { createServers, type Servers } from './servers.ts';
import { wholeTables } from './whole-tables.ts';
import { SimMetrics } from './sim-metrics.ts';

/** Pause between two lives of a process, in ms: from the shorter to the longer. */
const restartMs = { min: 200, max: 3_000 };

/** See the file header. */
export class World implements CheckedWorld {
  readonly kernel: Kernel;
  readonly options: SimOptions;
  readonly config: RoomcellConfig;
  readonly topics: TopicNames;
  readonly servers: Servers;
  readonly latency: Latency;
  readonly metrics = new SimMetrics();
  readonly pods: readonly Pod[];
  /** Told of every point that a process passes. */
  onPoint: (pod: Pod, point: TracePoint) => void = () => undefined;
  /** Has somebody ask the owner of a room, as one of the clients does. */
  onLook: (roomKey: string) => void = () => undefined;
  readonly killers = new KillerRecords();
  readonly moments = new Moments();
  private readonly pointWatchers = new Set<(pod: Pod, point: TracePoint) => void>();
  private readonly observers: ((observation: Observation) => void)[] = [];
  private readonly random: SimRandom;

  constructor(kernel: Kernel, options: SimOptions, log: Log) {
    this.kernel = kernel;
    this.options = options;
    this.config = configOf(options);
    this.topics = topicNames(this.config.kafka.topicPrefix);
    this.random = new SimRandom(options.seed, 'world');
    const { tenfold, thousandfold, seed } = options;
    this.latency = new Latency(new SimRandom(seed, 'latency'), { tenfold, thousandfold });
    const observe = (observation: Observation): void => this.observe(observation);
    this.servers = createServers(kernel, { seed, latency: this.latency }, observe);
    const around = {
      kernel,
      seed,
      config: this.config,
      fetchWaitMs: options.fetchWaitMs,
      servers: this.servers,
      latency: this.latency,
      metrics: this.metrics,
      log,
      observe,
      passed: (pod: Pod, point: TracePoint, about: string | undefined): void =>
        this.passed(pod, point, about),
      ended: (pod: Pod): void => this.startLater(pod),
    };
    this.pods = placesOf(options).map((place) => new Pod(around, place, this.machine()));
  }

  get database(): Servers['database'] {
    return this.servers.database;
  }

  get retention(): NonNullable<CheckedWorld['retention']> {
    const { keepMs } = this.config.retention;
    const { kernel, servers } = this;
    return { keepMs, tables: servers.database, nowMs: () => kernel.trueMs };
  }

  /** The world as judges see it: rows that left by retention are still there. */
  judged(): CheckedWorld {
    const value = wholeTables(this.database);
    return Object.create(this, { database: { value } }) as CheckedWorld;
  }

  get wallet(): Servers['wallet'] {
    return this.servers.wallet;
  }

  get partitionCount(): number {
    return this.options.partitions;
  }

  get commandsTopic(): string {
    return this.topics.commands;
  }

  get displaysTopic(): string {
    return this.topics.display;
  }

  get lanes(): NonNullable<CheckedWorld['lanes']> {
    return this.options.lanes ?? { byDisplayLane: [], largeRoomUsers: Infinity };
  }

  get blocking(): readonly string[] {
    return this.options.blocking ?? [];
  }

  /** From the rows that acts of operators keep. */
  operatorHad(eventId: string, destination: string): boolean {
    for (const rows of this.database.outboxReplays.values()) {
      if (rows.some((row) => row.eventId === eventId && row.destination === destination)) {
        return true;
      }
    }
    return false;
  }

  get maxRetryCount(): number {
    return this.options.maxRetryCount;
  }

  get robotGiftsCount(): boolean {
    return this.config.robots.giftsCount;
  }

  get robotWalletAccount(): string {
    return this.config.robots.walletAccount;
  }

  get presenceStaleAfterMs(): number {
    return this.config.presenceStaleAfterMs;
  }

  /** The guard is waited for half of a row's time, and its word holds a second longer. */
  get guardWordMs(): number {
    return Math.floor(this.config.outboxWorker.publishTimeoutMs / 2) + 1_000;
  }

  get claimLockMs(): number {
    return this.config.outboxWorker.claimLockMs;
  }

  /** The consumer group of the cells. */
  get cellGroupId(): string {
    return `${this.commandsTopic}.cells`;
  }

  /** Where the log of a partition of commands begins and ends. */
  commandsPartition(partition: number): {
    readonly startOffset: bigint;
    readonly endOffset: bigint;
  } {
    const { broker } = this.servers;
    if (!broker.hasTopic(this.commandsTopic)) return { startOffset: 0n, endOffset: 0n };
    return broker.topic(this.commandsTopic).partition(partition).range();
  }

  commandRecords(partition: number, from = 0n): ReturnType<CheckedWorld['commandRecords']> {
    const { broker } = this.servers;
    if (!broker.hasTopic(this.commandsTopic)) return [];
    return broker.topic(this.commandsTopic).partition(partition).read(from, Infinity);
  }

  listCopy(appCode: string): ListCopy | null {
    return this.servers.listCopies.of(appCode);
  }

  board(appCode: string, periodName: string): ReadonlyMap<string, bigint> | null {
    const name = `room:board:${appCode}:${periodName}`;
    const { leases } = this.servers;
    return leases.documentIfAny<{ shown: ReadonlyMap<string, bigint> }>(name)?.shown ?? null;
  }

  rtcRooms(): readonly RtcRoom[] {
    return rtcRoomsOf(this);
  }

  groupBans(appCode: string, roomId: string): ReadonlyMap<string, number> | null {
    const groupId = `rc_${appCode}_${roomId}`;
    const group = this.servers.im.groups.show().find(({ group_id: id }) => id === groupId);
    if (group === undefined) return null;
    return new Map(group.banned.map(({ user_id: userId, until_ms: untilMs }) => [userId, untilMs]));
  }

  liveRooms(): readonly LiveRoom[] {
    return this.podsOf('cell').flatMap((pod) =>
      pod.committedRooms().map((state) => ({
        pod: pod.name,
        appCode: state.appCode,
        roomId: state.roomId,
        version: state.version,
        snapshotBytes: codec.encodeSnapshot({ state }),
      })),
    );
  }

  /** From now on `observer` is told of everything that becomes true. */
  watch(observer: (observation: Observation) => void): void {
    this.observers.push(observer);
  }

  /** Has `watcher` told of points, too, until the answer is called. */
  watchPoints(watcher: (pod: Pod, point: TracePoint) => void): () => void {
    this.pointWatchers.add(watcher);
    return () => this.pointWatchers.delete(watcher);
  }

  observe(observation: Observation): void {
    for (const observer of this.observers) observer(observation);
  }

  /** Processes of one role. */
  podsOf(role: RoleName): readonly Pod[] {
    return this.pods.filter((pod) => pod.role === role);
  }

  /** The schema level of the deployment, as an operator's command stores it. */
  setLevel(level: number): void {
    const { database } = this;
    database.commit([put(database.schemaLevel, levelKey, level)]);
    this.metrics.count('world_levels_stored', { level: String(level) });
  }

  /** Every process that is down begins a new life. */
  startAll(): void {
    for (const pod of this.pods) pod.start();
  }

  /** Begins a new life after a drawn pause, as a cluster does it. */
  startLater(pod: Pod): void {
    const { min, max } = restartMs;
    const pauseMs = min + (max - min) * this.random.fraction();
    this.kernel.timersOf('cluster').after(pauseMs, () => pod.start());
  }

  private machine(): { readonly offsetMs: number; readonly rate: number } {
    const { clockOffsetMs, clockDrift } = this.options;
    const offsetMs = Math.round((2 * this.random.fraction() - 1) * clockOffsetMs);
    return { offsetMs, rate: 1 + (2 * this.random.fraction() - 1) * clockDrift };
  }

  private passed(pod: Pod, point: TracePoint, about: string | undefined): void {
    if (this.killers.ends(point, about)) {
      pod.kill(true);
      this.startLater(pod);
      return;
    }
    this.onPoint(pod, point);
    for (const watcher of [...this.pointWatchers]) watcher(pod, point);
  }
}

function placesOf(options: SimOptions): { readonly name: string; readonly role: RoleName }[] {
  const counts: readonly (readonly [RoleName, number])[] = [
    ['adapter-im', options.adapters],
    ['adapter-activity', options.adapters],
    ['relay', options.relays],
    ['cell', options.cells],
    ['gateway', options.gateways],
  ];
  return counts.flatMap(([role, count]) =>
    Array.from({ length: count }, (_, at) => ({ name: `${role}-${at + 1}`, role })),
  );
}
