/**
 * The drivers of one simulated process: the memory twins, over servers that all processes share, and
 * everything behind the gate of the process.
 */
import { createMemoryCommandSink } from '../../../src/drivers/memory/memory-command-sink.ts';
import { createMemoryCommandSource } from '../../../src/drivers/memory/memory-command-source.ts';
import { createMemoryDrivers } from '../../../src/drivers/memory/memory-drivers.ts';
import { createMemoryDisplaySink } from '../../../src/drivers/memory/memory-display-sink.ts';
import { createMemoryDisplaySource } from '../../../src/drivers/memory/memory-display-source.ts';
import { createMemoryEventSink } from '../../../src/drivers/memory/memory-event-sink.ts';
import { createMemoryEventSource } from '../../../src/drivers/memory/memory-event-source.ts';
import { MemoryLeaseDirectory } from '../../../src/drivers/memory/memory-lease-directory.ts';
import { MemoryRoomGiftLeaderboard } from '../../../src/drivers/memory/memory-room-gift-leaderboard.ts';
import { MemoryRoomListCache } from '../../../src/drivers/memory/memory-room-list-cache.ts';
import { createMemoryReplySink } from '../../../src/drivers/memory/memory-reply-sink.ts';
import { createMemoryReplySource } from '../../../src/drivers/memory/memory-reply-source.ts';
import { ensureMemoryTopics } from '../../../src/drivers/memory/memory-topics.ts';
import { blockingDestinationsOf } from '../../../src/main/blocking-destinations.ts';
import type { DriverSet, DriverSetParts, Stores } from '../../../src/main/driver-set.ts';
import { leaseSettingsOf } from '../../../src/main/lease-settings.ts';
import { logSettingsOf } from '../../../src/main/log-settings.ts';
import type { CommandSource } from '../../../src/ports/command-source.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { DisplaySink } from '../../../src/ports/display-sink.ts';
import type { DisplaySource } from '../../../src/ports/display-source.ts';
import type { EventSource } from '../../../src/ports/event-source.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { ReplySource } from '../../../src/ports/reply-source.ts';
import type { Wake } from '../../../src/ports/wake.ts';
import { gatedHandlers, gatedPort } from './gated-port.ts';
import type { PodGate } from './pod-gate.ts';
import type { Servers } from './servers.ts';

/** What the set is made of. `client` is the name of this life of the process at the broker. */
export interface PodDriverParts extends DriverSetParts {
  readonly servers: Servers;
  readonly gate: PodGate;
  readonly client: string;
  readonly random: Random;
  /** The cell gives something to its display lane. */
  readonly tellDisplay: (value: Uint8Array) => void;
  /** Longest wait of a fetch, in ms. */
  readonly fetchWaitMs: number;
}

/** See the file header. */
export function createPodDrivers(parts: PodDriverParts): DriverSet {
  const { servers, gate, client, config, nodeId, fetchWaitMs: maxWaitMs } = parts;
  const { broker } = servers;
  const here = { broker, client };
  const log = logSettingsOf(parts);
  const end = servers.wakeHub.open();
  return {
    warning: null,
    stores: gatedStores(parts),
    wake: gatedWake(end, gate),
    foundation: {
      migrate: () => Promise.resolve([]),
      durabilityFaults: () => Promise.resolve([]),
      ensureTopics: (plan, signal) =>
        gate.through(ensureMemoryTopics(here, plan, parts.ports, signal)),
    },
    commandSink: (ports) =>
      gatedPort(createMemoryCommandSink({ ...here, ...log.commandSink }, ports), gate, [
        'isHealthy',
      ]),
    commandSource: (partitionCount, ports) =>
      gatedCommandSource(
        createMemoryCommandSource(
          { ...here, ...log.commandSource(partitionCount), maxWaitMs },
          ports,
        ),
        gate,
      ),
    replySink: (ports) =>
      gatedPort(createMemoryReplySink({ ...here, ...log.replySink }, ports), gate, ['send']),
    replySource: (reader, ports) =>
      gatedReplySource(
        createMemoryReplySource({ ...here, ...log.replySource(reader), maxWaitMs }, ports),
        gate,
      ),
    eventSink: (destination, ports) =>
      gatedPort(createMemoryEventSink({ ...here, ...log.eventSink(destination) }, ports), gate),
    eventSource: (destination, ports) =>
      gatedEventSource(
        createMemoryEventSource({ ...here, ...log.eventSource(destination), maxWaitMs }, ports),
        gate,
      ),
    displaySink: (ports) =>
      gatedPort(
        toldDisplays(createMemoryDisplaySink({ ...here, ...log.displaySink }, ports), parts),
        gate,
        ['offer', 'drop'],
      ),
    displaySource: (ports) =>
      gatedDisplaySource(
        createMemoryDisplaySource({ ...here, ...log.displaySource, maxWaitMs }, ports),
        gate,
      ),
    leaseDirectory: () =>
      gatedPort(new MemoryLeaseDirectory(leaseSettingsOf(config, nodeId), servers.leases), gate, [
        'isHealthy',
      ]),
    roomListCache: () => {
      const { readBudgetMs } = config.listCache;
      const cache = new MemoryRoomListCache({ readBudgetMs }, servers.leases, parts.random);
      return gatedPort(servers.listCopies.told(cache), gate);
    },
    roomGiftLeaderboard: () => {
      const { readBudgetMs } = config.leaderboard;
      return gatedPort(new MemoryRoomGiftLeaderboard({ readBudgetMs }, servers.leases), gate);
    },
    handOver: () => {
      const handOver = servers.handOverHub.open();
      return { ...gatedWake(handOver, gate), stop: () => handOver.stop() };
    },
    luckyGiftLocks: () => gatedPort(servers.luckyLocks.open(), gate),
    rocketScheduler: () => gatedPort(servers.rocketWakes.open(), gate),
    readsPeers: () => servers.reads.peers(gate),
    readsServer: (ofNode) => servers.reads.server(nodeId, ofNode, gate),
    close: () => end.stop(),
  };
}

function gatedStores({ servers, gate, ports, config }: PodDriverParts): Stores {
  const drivers = createMemoryDrivers(servers.database, blockingDestinationsOf(config));
  return {
    partitionStore: gatedPort(drivers.partitionStore, gate),
    partitionStops: gatedPort(drivers.partitionStops, gate),
    nodeRegistry: gatedPort(drivers.nodeRegistry, gate),
    roomReader: gatedPort(countingPages(drivers.roomReader, ports.metrics), gate),
    snapshotStore: gatedPort(drivers.snapshotStore, gate),
    roomQueries: gatedPort(drivers.roomQueries, gate),
    replySlots: gatedPort(drivers.replySlots, gate),
    schemaRegistry: gatedPort(drivers.schemaRegistry, gate),
    outboxStore: gatedPort(drivers.outboxStore, gate),
    giftCatalogue: gatedPort(drivers.giftCatalogue, gate),
    boardSums: gatedPort(drivers.boardSums, gate),
    rocketRules: gatedPort(drivers.rocketRules, gate),
    robotPool: gatedPort(drivers.robotPool, gate),
    settlementStore: gatedPort(drivers.settlementStore, gate),
    operatorStore: gatedPort(drivers.operatorStore, gate),
    retentionStore: gatedPort(drivers.retentionStore, gate),
    replayStore: gatedPort(drivers.replayStore, gate),
    openLane(options): CommitLane {
      const beforeCommit = (): Promise<void> => gate.awake();
      const lane = drivers.openLane({ ...options, timers: ports.timers, beforeCommit });
      servers.lanes.set(options.incarnation, lane);
      return gatedPort<CommitLane>(
        {
          commit: (batch, gateOfBatch) => lane.commit(batch, gate.through(gateOfBatch)),
          settle: (batch) => lane.settle(batch),
          stop: () => lane.stop(),
        },
        gate,
      );
    },
  };
}

function toldDisplays(sink: DisplaySink, { tellDisplay }: PodDriverParts): DisplaySink {
  const offer = sink.offer.bind(sink);
  sink.offer = (display) => {
    tellDisplay(display.value);
    offer(display);
  };
  return sink;
}

/** Watchers alone read events: each page closes a gap of one of them. */
function countingPages(reader: Stores['roomReader'], metrics: Metrics): Stores['roomReader'] {
  const eventsAfter = reader.eventsAfter.bind(reader);
  reader.eventsAfter = async (roomKey, afterVersion, limit) => {
    const page = await eventsAfter(roomKey, afterVersion, limit);
    if (page[0]?.version === afterVersion + 1n) metrics.count('world_watch_pages');
    return page;
  };
  return reader;
}

function gatedWake(wake: Wake, gate: PodGate): Wake {
  return {
    hint() {
      if (gate.state === 'open') wake.hint();
    },
    // A hint that is lost in a frozen process is as good as one lost on the way.
    subscribe: (onHint) =>
      wake.subscribe(() => {
        if (gate.state === 'open') onHint();
      }),
  };
}

function gatedCommandSource(source: CommandSource, gate: PodGate): CommandSource {
  const withHandlers: CommandSource = {
    start: (handlers) => source.start(gatedHandlers(handlers, gate)),
    open: (partition, offsetNext) => source.open(partition, offsetNext),
    pause: (partition) => source.pause(partition),
    resume: (partition) => source.resume(partition),
    commitHint: (offsets) => source.commitHint(offsets),
    logRange: (partition) => source.logRange(partition),
    committedOffset: (partition) => source.committedOffset(partition),
    stop: () => source.stop(),
  };
  return gatedPort(withHandlers, gate, ['open', 'pause', 'resume']);
}

function gatedReplySource(source: ReplySource, gate: PodGate): ReplySource {
  return gatedPort<ReplySource>(
    {
      start: (partition, handlers) => source.start(partition, gatedHandlers(handlers, gate)),
      stop: () => source.stop(),
    },
    gate,
  );
}

function gatedDisplaySource(source: DisplaySource, gate: PodGate): DisplaySource {
  return gatedPort<DisplaySource>(
    {
      start: (handlers) => source.start(gatedHandlers(handlers, gate)),
      stop: () => source.stop(),
    },
    gate,
  );
}

function gatedEventSource(source: EventSource, gate: PodGate): EventSource {
  return gatedPort<EventSource>(
    {
      start: (handlers) => source.start(gatedHandlers(handlers, gate)),
      stop: () => source.stop(),
    },
    gate,
  );
}
