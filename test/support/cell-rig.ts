/**
 * One or more cells on shared stores, for tests of the cell as a stage: commands go in through a
 * topic in memory, replies come out as decoded values. The stores are the memory twins unless the
 * test brings its own (real MySQL).
 */
import { Cell, type CellSurroundings } from '../../src/cell/cell.ts';
import type { CellContext } from '../../src/cell/cell-context.ts';
import type { CellOptions } from '../../src/cell/cell-options.ts';
import { MemoryCommitLane } from '../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryDatabase } from '../../src/drivers/memory/memory-database.ts';
import { MemoryGiftCatalogue } from '../../src/drivers/memory/memory-gift-catalogue.ts';
import { MemoryNodeRegistry } from '../../src/drivers/memory/memory-node-registry.ts';
import { MemoryReadsNetwork } from '../../src/drivers/memory/memory-reads-network.ts';
import { MemoryPartitionStops } from '../../src/drivers/memory/memory-partition-stops.ts';
import { MemoryPartitionStore } from '../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRobotPool } from '../../src/drivers/memory/memory-robot-pool.ts';
import { MemoryRocketRules } from '../../src/drivers/memory/memory-rocket-rules.ts';
import { MemoryRoomReader } from '../../src/drivers/memory/memory-room-reader.ts';
import { MemorySchemaRegistry } from '../../src/drivers/memory/memory-schema-registry.ts';
import { MemorySettlementStore } from '../../src/drivers/memory/memory-settlement-store.ts';
import { MemorySnapshotStore } from '../../src/drivers/memory/memory-snapshot-store.ts';
import { MemoryWakeHub } from '../../src/drivers/memory/memory-wake.ts';
import { createMemoryWallet } from '../../src/drivers/memory/memory-wallet.ts';
import { WalletStandIn } from '../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type { AppCode, CommandId, MicSessionId, RoomId, UserId } from '../../src/domain/ids.ts';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type { CommandBody } from '../../src/domain/room/commands.ts';
import type { CreateRoom } from '../../src/domain/room/room-commands.ts';
import type { JoinRoom } from '../../src/domain/presence/presence-commands.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { CommandSink } from '../../src/ports/command-sink.ts';
import type { PartitionStops } from '../../src/ports/partition-stops.ts';
import type { Random } from '../../src/ports/random.ts';
import type { TracePoint } from '../../src/ports/trace.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import type { Codec } from '../../src/protocol/codec-api.ts';
import { crc32cHex } from '../../src/protocol/crc32c.ts';
import { heartbeatKey, partitionKeyBytes, partitionOf } from '../../src/protocol/partition.ts';
import type { CommandRecord, ReplyRecord, ResultRecord } from '../../src/protocol/records.ts';
import { headerNames } from '../../src/protocol/topics.ts';
import { FakeCommandSource, FakeCommandTopic } from './fake-command-source.ts';
import { FakeLeaseKeys, FakeLeases } from './fake-leases.ts';
import { luckyTimes, LuckyWorld } from './lucky-world.ts';
import { RigDisplays } from './rig-displays.ts';
import { RigLog } from './rig-log.ts';
import { RigReplies } from './rig-replies.ts';
import { eventually, SteppedTime } from './stepped-time.ts';

/** App under which the rig's commands run, unless a test says otherwise. */
export const rigApp = 'app1' as AppCode;

/** Options small enough that a test can reach every limit. */
export const rigOptions: Omit<CellOptions, 'nodeId' | 'incarnation'> = {
  advertiseAddr: '127.0.0.1:1',
  commandsTopic: 'rig.commands',
  lane: 0,
  batchCommandsMax: 100,
  batchBytesMax: 1_000_000,
  partitionHighWater: 200,
  partitionLowWater: 50,
  intakeBytesMax: 1_000_000,
  roomQueueMax: 60,
  concurrentLoadsMax: 4,
  residentRoomsMax: 1000,
  readsMax: 50,
  watchersMax: 20,
  watchersPerRoomMax: 10,
  snapshotEveryN: 10,
  snapshotsKept: 2,
  leaseTtlMs: 10_000,
  leaseBudgetMs: 20,
  times: {
    micPublishTimeoutMs: 15_000,
    micRequestTimeoutMs: 60_000,
    closeGraceMs: 0,
    rtcClockSkewMs: 2_000,
    passwordAttemptsPerWindow: 3,
    passwordAttemptWindowMs: 600_000,
  },
  presenceStaleAfterMs: 120_000,
  micHeartbeatStaleAfterMs: 60_000,
  autoConfirmOnHeartbeat: false,
  offsetFlushMs: 5_000,
  deadlinePollMs: 1_000,
  releaseMarkWaitMs: 500,
  retakePauseMs: 100,
  clockOffMaxMs: 2_000,
  clockRightForMs: 30_000,
  consumerSilentAfterMs: 60_000,
  imUsefulForMs: 60_000,
  imLanes: { byDisplay: new Set(), largeRoomUsers: 100 },
  bigWinPercent: 1_000,
  suppressedDisplays: new Set(),
  walletTimeoutMs: 1_000,
  ...luckyTimes,
  chargeBudgetMs: 4_000,
  chargesPerRoomMax: 4,
  chargesMax: 16,
  settlementPollMs: 1_000,
  ...{ robotScanMs: 10_000, robotRoomsMax: 20, robotGiftsCount: false, robotWalletAccount: null },
  limits: { usersPerRoomMax: 100, eventsPerCommandMax: 200, giftRankMax: 20 },
};

const rigRandom: Random = {
  fraction: () => 0.5,
  hex: (bytes) => '0'.repeat(bytes * 2),
};

/** The ports of a node that a test may replace. */
export type RigStores = Pick<CellContext, 'partitions' | 'rooms' | 'snapshots' | 'lane'> &
  Partial<Pick<CellContext, 'stops'>>;

/** One cell with its fakes. */
export interface RigNode {
  readonly cell: Cell;
  readonly source: FakeCommandSource;
  /** One for each time that it joined; the first is `source`. */
  readonly sources: readonly FakeCommandSource[];
  readonly replies: RigReplies;
  readonly displays: RigDisplays;
  readonly log: RigLog;
  readonly fatal: unknown[];
  readonly passed: TracePoint[];
  readonly memoryLane: MemoryCommitLane | null;
}

/** What a command is sent with. */
export interface SendOptions {
  readonly app?: AppCode;
  readonly role?: CommandRecord['actorRole'];
  readonly ttlMs?: number;
  readonly view?: boolean;
}

/** Room, user, and for a mic heartbeat the session. */
export type RigHeartbeat = readonly [string, string, string?];

/** See the file header. */
export class CellRig {
  readonly time = new SteppedTime();
  readonly topic = new FakeCommandTopic();
  /** How nodes reach one another: each at its own id. */
  readonly network = new MemoryReadsNetwork({ clock: this.time, timers: this.time });
  readonly keys = new FakeLeaseKeys();
  /** Hints between the nodes that partitions were given up. */
  readonly handOver = new MemoryWakeHub({ timers: this.time, log: new RigLog() });
  readonly database = new MemoryDatabase({ clock: this.time, timers: this.time });
  readonly catalogue = new MemoryGiftCatalogue(this.database);
  readonly rocketRules = new MemoryRocketRules(this.database);
  readonly robotPool = new MemoryRobotPool(this.database);
  readonly robotSink: Pick<CommandSink, 'produce'> = {
    produce: ({ partition, key, value, headers }) => {
      const offset = this.topic.append({ partition, key, value, headers }, this.time.wallMs());
      return Promise.resolve({ kind: 'stored', offset });
    },
  };
  readonly partitionCount: number;
  readonly wallet: WalletStandIn;
  readonly lucky: LuckyWorld;
  private readonly codec = createCodec();
  private calls = 0;

  constructor(partitionCount = 4) {
    this.partitionCount = partitionCount;
    const ports = { clock: this.time, timers: this.time, random: rigRandom };
    this.wallet = new WalletStandIn({ ...ports, openingCoins: 1_000n });
    this.lucky = new LuckyWorld(ports);
  }

  /** Starts a cell and gives it partitions (all, unless said otherwise). */
  async startNode(
    nodeId: string,
    settings: {
      readonly assign?: readonly number[];
      readonly options?: Partial<CellOptions>;
      readonly stores?: RigStores;
      readonly stops?: PartitionStops;
      readonly onTrace?: (point: TracePoint) => void;
      readonly codec?: Codec;
      /** Lets the node play robots, who write through this sink. Default: it plays none. */
      readonly robotSink?: Pick<CommandSink, 'produce'>;
      /** Whether the node knows a lucky gift service. Default: yes. */
      readonly hasLuckyGifts?: boolean;
      /** Told of gifts behind their COMMIT. Default: nobody. */
      readonly giftsStored?: NonNullable<CellContext['giftsStored']>;
      /** Of the node's machine. Default: the rig's time. */
      readonly clock?: Clock;
      /** Stands in front of every port that reaches another process. */
      readonly gate?: <Port extends object>(port: Port) => Port;
    } = {},
  ): Promise<RigNode> {
    const { time, database } = this;
    const gate = settings.gate ?? ((port) => port);
    const sources = [new FakeCommandSource(this.topic)];
    const [source] = sources as [FakeCommandSource];
    let opened = 0;
    const openSource = (): FakeCommandSource => {
      const next = sources[opened] ?? new FakeCommandSource(this.topic);
      sources[opened] = next;
      opened += 1;
      return next;
    };
    const replies = new RigReplies();
    const displays = new RigDisplays();
    const log = new RigLog();
    const passed: TracePoint[] = [];
    const incarnation = `inc-${nodeId}-${(this.calls += 1)}`;
    const memoryLane =
      settings.stores === undefined ? new MemoryCommitLane(database, { incarnation }) : null;
    const cell = new Cell({
      options: {
        ...rigOptions,
        nodeId,
        incarnation,
        advertiseAddr: nodeId,
        ...settings.options,
      },
      clock: settings.clock ?? time,
      timers: time,
      random: rigRandom,
      log,
      metrics: { count: () => undefined, gauge: () => undefined, observeMs: () => undefined },
      trace: {
        at: (point) => {
          passed.push(point);
          settings.onTrace?.(point);
        },
      },
      codec: settings.codec ?? this.codec,
      schemas: gate(new MemorySchemaRegistry(database)),
      openSource,
      replies: gate(replies),
      displays,
      leases: gate(new FakeLeases(this.keys, nodeId)),
      partitions: gate(new MemoryPartitionStore(database)),
      nodes: gate(new MemoryNodeRegistry(database)),
      stops: gate(settings.stops ?? new MemoryPartitionStops(database)),
      rooms: gate(new MemoryRoomReader(database)),
      snapshots: gate(new MemorySnapshotStore(database)),
      ...(memoryLane === null ? {} : { lane: gate(memoryLane) }),
      wake: { hint: () => undefined, subscribe: () => () => undefined },
      handOver: this.handOver.open(),
      wallet: gate(createMemoryWallet(this.wallet, time)),
      catalogue: gate(this.catalogue),
      rocketRules: gate(this.rocketRules),
      settlements: gate(new MemorySettlementStore(database)),
      ...this.lucky.portsOf(gate, settings.hasLuckyGifts),
      ...(settings.robotSink === undefined
        ? {}
        : { robots: { pool: gate(this.robotPool), sink: settings.robotSink } }),
      peers: this.network.peers(),
      rtcRemovers: new Map(),
      ...(settings.giftsStored === undefined ? {} : { giftsStored: settings.giftsStored }),
      ...settings.stores,
    } as CellSurroundings);
    await this.network.server(nodeId, cell.reads).start();
    const fatal: unknown[] = [];
    const onFatal = (cause: unknown): void => void fatal.push(cause);
    await cell.start({ configuredPartitionCount: this.partitionCount, onFatal });
    const all = Array.from({ length: this.partitionCount }, (_, id) => id);
    source.assign(settings.assign ?? all);
    const node = { cell, source, sources, replies, displays, log, fatal, passed, memoryLane };
    const wanted = (settings.assign ?? all).length;
    await eventually(`${nodeId} owns ${wanted} partitions`, () => {
      return cell.ownedPartitions().length === wanted;
    });
    return node;
  }

  /** The clock of a machine, which a test may set wrong. */
  clock(): Clock & { aheadMs: number } {
    const { time } = this;
    return {
      aheadMs: 0,
      wallMs() {
        return time.wallMs() + this.aheadMs;
      },
      monoMs: () => time.monoMs(),
    };
  }

  /** Puts a command into the topic; answers its correlation id. */
  send(
    room: string,
    commandId: string,
    user: string,
    body: CommandBody,
    options: SendOptions = {},
  ): string {
    const record: CommandRecord = {
      kind: 'command',
      appCode: options.app ?? rigApp,
      roomId: room as RoomId,
      commandId: commandId as CommandId,
      actorUserId: user as UserId,
      actorRole: options.role ?? 'user',
      clientTimeMs: 0,
      snapshotMode: options.view === true ? 'view' : 'none',
      body,
    };
    const key = roomKeyOf(record.appCode, record.roomId);
    const headers = options.ttlMs === undefined ? {} : { [headerNames.ttlMs]: `${options.ttlMs}` };
    return this.append(
      partitionOf(key, this.partitionCount),
      partitionKeyBytes(key),
      this.codec.encodeCommand(record),
      headers,
    );
  }

  /** Puts a fold of heartbeats into the topic; answers its correlation id. */
  sendHeartbeats(
    partition: number,
    users: readonly RigHeartbeat[],
    headers: Readonly<Record<string, string>> = {},
  ): string {
    const items = users.map(([room, user, session = '']) => ({
      appCode: rigApp,
      roomId: room as RoomId,
      userId: user as UserId,
      micSessionId: session as MicSessionId | '',
    }));
    const value = this.codec.encodeCommand({ kind: 'heartbeats', items });
    return this.append(partition, Buffer.from(heartbeatKey), value, headers);
  }

  /** Puts raw bytes into the topic with a reply address; answers the correlation id. */
  append(
    partition: number,
    key: Uint8Array | null,
    value: Uint8Array | null,
    headers: Readonly<Record<string, string>> = {},
  ): string {
    this.calls += 1;
    const correlationId = `rig:${this.calls}`;
    const all = {
      [headerNames.correlationId]: correlationId,
      [headerNames.replyPartition]: '0',
      ...(value === null ? {} : { [headerNames.crc32c]: crc32cHex(value) }),
      ...headers,
    };
    this.topic.append({ partition, key, value, headers: all }, this.time.wallMs());
    return correlationId;
  }

  /** The first reply to a call, from any of the nodes. */
  reply(nodes: RigNode | readonly RigNode[], correlationId: string): Promise<ReplyRecord> {
    const list: readonly RigNode[] = 'cell' in nodes ? [nodes] : nodes;
    return eventually(`a reply to ${correlationId}`, () => {
      for (const { fatal, replies } of list) {
        if (fatal.length > 0) throw new Error('the cell has ended itself', { cause: fatal[0] });
        const found = replies.byCorrelation.get(correlationId)?.[0];
        if (found !== undefined) return found;
      }
      return null;
    });
  }

  /** The result record of a reply; fails when the reply is a refusal. */
  async result(
    nodes: RigNode | readonly RigNode[],
    correlationId: string,
  ): Promise<ResultRecord & { readonly replayed: boolean; readonly bytes: Uint8Array }> {
    const reply = await this.reply(nodes, correlationId);
    if (reply.kind !== 'result') throw new Error(`not a result: ${JSON.stringify(reply)}`);
    const decoded = this.codec.decodeResult(reply.resultBytes);
    if (!decoded.ok) throw new Error(decoded.fault);
    return { ...decoded.value, replayed: reply.replayed, bytes: reply.resultBytes };
  }
}

/** A CreateRoom body; fields of `changes` replace the defaults. */
export function createRoomBody(changes: Partial<CreateRoom> = {}): CreateRoom {
  return {
    type: 'CreateRoom',
    title: 'Evening talk',
    coverUrl: '',
    backgroundUrl: '',
    seatCount: 8,
    mode: 'free',
    visibleRegionId: 1n,
    passwordHash: '',
    tags: [],
    ext: '',
    ...changes,
  };
}

/** A JoinRoom body of an ordinary user. */
export function joinRoomBody(nickname = 'someone'): JoinRoom {
  return {
    type: 'JoinRoom',
    profile: { nickname, avatarUrl: '', countryCode: '', ext: '' },
    isRobot: false,
    password: { passwordVersion: 0n, verdict: 'none_given' },
    isPlatformBanned: false,
  };
}
