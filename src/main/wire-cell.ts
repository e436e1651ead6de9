/** Role `cell`: the single writer on the log, the tables and the leases. */
import type { CellOptions } from '../cell/cell-options.ts';
import { Cell } from '../cell/cell.ts';
import type { UserId } from '../domain/ids.ts';
import type { RoomEventType } from '../domain/room/events.ts';
import { Failure } from '../kernel/failure.ts';
import type { DisplaySink } from '../ports/display-sink.ts';
import type { OwnerReads, OwnerReadsServer } from '../ports/owner-reads.ts';
import type { ReplySink } from '../ports/reply-sink.ts';
import type { RocketRulesStore } from '../ports/rocket-rules-store.ts';
import type { RocketLaunchScheduler } from '../ports/rocket-scheduler.ts';
import type { OwnerWatches } from '../ports/room-watch.ts';
import type { TopicLayout } from '../ports/partition-store.ts';
import { openBoardProjection } from './board-projection.ts';
import { fillCatalogue } from './fill-catalogue.ts';
import { fillRocketRules } from './fill-rocket-rules.ts';
import { openListProjection } from './list-projection.ts';
import { openLuckyGifts } from './open-lucky-gifts.ts';
import { openWallet } from './open-wallet.ts';
import { openRobots, type OpenRobots } from './open-robots.ts';
import type { Role } from './role.ts';
import { rtcRemovers } from './rtc-removers.ts';
import { stagedRole, type Resources, type RunningStage } from './staged-role.ts';
import { waitForDependency } from './wait-for-dependency.ts';
import type { WiringContext } from './wiring-context.ts';

/** One lane per node; a second one is worth its price only when a bench says so. */
const onlyLane = 0;
/** Part of the drain time that work in hand may take; the rest is for giving everything up. */
const drainShare = 0.7;
/** The cell stops after its drain: reads that are still open then are cut. */
const stopReadsMs = 1_000;

/** Makes the role. `made` is given the cell before it starts. */
export function wireCell(
  process: WiringContext,
  made: (cell: Cell) => void = () => undefined,
): Role {
  const context = process.forRole('cell');
  const { log, timers } = context;
  return stagedRole({
    name: 'cell',
    log,
    timers,
    async prepare(waiting, resources) {
      const layout = await context.foundation.ready(waiting);
      await waitForDependency('MySQL', () => fillCatalogue(context), waiting);
      await waitForDependency('MySQL', () => fillRocketRules(context), waiting);
      const served = servedReads(context);
      resources.add('owner reads', () => served.server.stop(stopReadsMs));
      // Bound before anything is taken over: the owner row tells others where to ask.
      const advertiseAddr = await served.server.start();
      const { cell, stage } = runningCell({ ...context, advertiseAddr }, layout, resources, served);
      made(cell);
      return stage;
    },
  });
}

/** The server of the node's reads, and the way to give it the cell once there is one. */
interface ServedReads {
  readonly server: OwnerReadsServer;
  attach(reads: OwnerReads & OwnerWatches): void;
}

function servedReads({ drivers, driverPorts }: WiringContext): ServedReads {
  let attached: (OwnerReads & OwnerWatches) | null = null;
  const cell = (): OwnerReads & OwnerWatches => {
    if (attached !== null) return attached;
    throw new Failure('retry', 'UNAVAILABLE', 'the cell is starting');
  };
  const reads: OwnerReads & OwnerWatches = {
    read: async (read, call) => cell().read(read, call),
    async *watch(watch, signal) {
      yield* cell().watch(watch, signal);
    },
  };
  return {
    server: drivers.readsServer(reads, driverPorts),
    attach(of) {
      attached = of;
    },
  };
}

/** A context with the address at which this node is reached. */
type ReachableContext = WiringContext & { readonly advertiseAddr: string };

function runningCell(
  context: ReachableContext,
  layout: TopicLayout,
  resources: Resources,
  served: ServedReads,
): { readonly cell: Cell; readonly stage: RunningStage } {
  const { config, drivers, driverPorts, incarnation } = context;
  const { clock, timers, random, log, metrics, trace, codec } = context;
  const leases = drivers.leaseDirectory(driverPorts);
  const lane = drivers.stores.openLane({ incarnation, lane: onlyLane });
  const sinks = openSinks(context, resources);
  const peers = drivers.readsPeers(driverPorts);
  const handOver = drivers.handOver(driverPorts);
  const paying = openWallet(context);
  const lists = openListProjection(context);
  if (lists !== null) resources.add('list projection', () => lists.stop());
  resources.add('wallet connection', () => paying.wallet.stop());
  resources.add('connections to other nodes', () => peers.stop());
  resources.add('hand-over hints', () => handOver.stop());
  resources.add('leases', () => leases.stop());
  resources.add('commit lane', () => lane.stop());
  const cell = new Cell({
    options: cellOptions(context),
    clock,
    timers,
    random,
    log,
    metrics,
    trace,
    codec,
    schemas: drivers.stores.schemaRegistry,
    openSource: () => drivers.commandSource(layout.partitionCount, driverPorts),
    ...sinks.ports,
    leases,
    partitions: drivers.stores.partitionStore,
    stops: drivers.stores.partitionStops,
    nodes: drivers.stores.nodeRegistry,
    rooms: drivers.stores.roomReader,
    snapshots: drivers.stores.snapshotStore,
    ...openRockets(context, resources),
    lane,
    wake: drivers.wake,
    handOver,
    peers,
    rtcRemovers: rtcRemovers(context, config.rtc.removalTimeoutMs, resources),
    ...paying,
    ...openLuckyGifts(context, resources),
    ...(lists === null ? {} : { listChanged: (roomKeys) => lists.changed(roomKeys) }),
    ...openBoardProjection(context, resources),
  });
  served.attach(cell.reads);
  const stage: RunningStage = {
    async start() {
      await sinks.start();
      await cell.start({
        configuredPartitionCount: layout.partitionCount,
        onFatal: (cause) => context.crashed('cell', cause),
      });
      lists?.startPasses();
    },
    async drain() {
      served.server.drain();
      await cell.drain(config.drainTimeoutMs * drainShare);
    },
    stop: () => cell.stop(),
    readiness: () => cell.readiness(),
    partitions: () => cell.partitions(),
  };
  return { cell, stage };
}

/** Rules and wake-ups of rockets. */
function openRockets(
  { drivers, driverPorts }: WiringContext,
  resources: Resources,
): { readonly rocketRules: RocketRulesStore; readonly rocketScheduler: RocketLaunchScheduler } {
  const rocketScheduler = drivers.rocketScheduler(driverPorts);
  resources.add('rocket scheduler', () => rocketScheduler.stop());
  return { rocketRules: drivers.stores.rocketRules, rocketScheduler };
}

/** What a cell writes to topics. */
interface CellSinks {
  readonly ports: { readonly replies: ReplySink; readonly displays: DisplaySink } & OpenRobots;
  start(): Promise<void>;
}

/** Replies, what is shown, and what robots do. Stopped after the cell, which flushes. */
function openSinks(context: WiringContext, resources: Resources): CellSinks {
  const { drivers, driverPorts } = context;
  const replies = drivers.replySink(driverPorts);
  const displays = drivers.displaySink(driverPorts);
  resources.add('reply sink', () => replies.stop());
  resources.add('display sink', () => displays.stop());
  const playing = openRobots(context, resources);
  return {
    ports: { replies, displays, ...playing },
    async start() {
      await Promise.all([replies.start(), displays.start(), playing.robots?.sink.start()]);
    },
  };
}

function cellOptions(context: ReachableContext): CellOptions {
  const { config, nodeId, incarnation, topics, advertiseAddr } = context;
  const { cell, limits, display } = config;
  const { walletAccount } = config.robots;
  return {
    nodeId,
    incarnation,
    advertiseAddr,
    commandsTopic: topics.commands,
    lane: onlyLane,
    batchCommandsMax: cell.batchCommandsMax,
    batchBytesMax: cell.batchBytesMax,
    partitionHighWater: cell.partitionHighWater,
    partitionLowWater: cell.partitionLowWater,
    intakeBytesMax: cell.intakeBytesMax,
    roomQueueMax: cell.roomQueueMax,
    concurrentLoadsMax: cell.concurrentLoadsMax,
    residentRoomsMax: cell.residentRoomsMax,
    readsMax: cell.readsMax,
    watchersMax: cell.watchersMax,
    watchersPerRoomMax: cell.watchersPerRoomMax,
    snapshotEveryN: config.snapshotEveryN,
    snapshotsKept: cell.snapshotsKept,
    leaseTtlMs: config.leaseTtlMs,
    leaseBudgetMs: cell.leaseBudgetMs,
    times: {
      micPublishTimeoutMs: config.micPublishTimeoutMs,
      micRequestTimeoutMs: config.micRequestTimeoutMs,
      closeGraceMs: config.closeGraceMs,
      rtcClockSkewMs: config.rtcClockSkewMs,
      passwordAttemptsPerWindow: config.passwordAttempts,
      passwordAttemptWindowMs: config.passwordAttemptWindowMs,
    },
    presenceStaleAfterMs: config.presenceStaleAfterMs,
    micHeartbeatStaleAfterMs: config.micHeartbeatStaleAfterMs,
    autoConfirmOnHeartbeat: config.mic.autoConfirmOnHeartbeat,
    offsetFlushMs: cell.offsetFlushMs,
    deadlinePollMs: cell.deadlinePollMs,
    releaseMarkWaitMs: cell.releaseMarkWaitMs,
    retakePauseMs: cell.retakePauseMs,
    clockOffMaxMs: cell.clockOffMaxMs,
    clockRightForMs: cell.clockRightForMs,
    consumerSilentAfterMs: cell.consumerSilentAfterMs,
    imUsefulForMs: cell.imUsefulForMs,
    imLanes: {
      // Its relation has refused every name that is not one of these.
      byDisplay: new Set(display.byDisplayLane as readonly RoomEventType[]),
      largeRoomUsers: display.largeRoomUsers,
    },
    bigWinPercent: display.bigWinPercent,
    suppressedDisplays: new Set(display.suppressDirectImEventTypes),
    walletTimeoutMs: config.wallet.timeoutMs,
    chargeBudgetMs: cell.chargeBudgetMs,
    chargesPerRoomMax: cell.chargesPerRoomMax,
    chargesMax: cell.chargesMax,
    luckyGiftTimeoutMs: config.luckyGift.timeoutMs,
    prizeBudgetMs: cell.prizeBudgetMs,
    luckyGiftLockTtlMs: config.luckyGiftSendLockTtlMs,
    settlementPollMs: cell.settlementPollMs,
    robotScanMs: config.robots.scanIntervalMs,
    robotRoomsMax: config.robots.roomsMax,
    robotGiftsCount: config.robots.giftsCount,
    robotWalletAccount: walletAccount === '' ? null : (walletAccount as UserId),
    limits: {
      usersPerRoomMax: limits.usersPerRoomMax,
      eventsPerCommandMax: limits.eventsPerCommandMax,
      giftRankMax: config.rankLimit,
    },
  };
}
