/**
 * The drivers of a process that stands alone: the twins of Kafka, MySQL and Redis in its own memory.
 * The roles are the same and keep the same promises, but to a world that ends with the process. For
 * a first look and for work on a machine without servers; production refuses it.
 */
import { createMemoryCommandSink } from '../drivers/memory/memory-command-sink.ts';
import { createMemoryCommandSource } from '../drivers/memory/memory-command-source.ts';
import { MemoryBroker } from '../drivers/memory/memory-broker.ts';
import { MemoryDatabase } from '../drivers/memory/memory-database.ts';
import { createMemoryDrivers } from '../drivers/memory/memory-drivers.ts';
import { createMemoryDisplaySink } from '../drivers/memory/memory-display-sink.ts';
import { createMemoryDisplaySource } from '../drivers/memory/memory-display-source.ts';
import { createMemoryEventSink } from '../drivers/memory/memory-event-sink.ts';
import { createMemoryEventSource } from '../drivers/memory/memory-event-source.ts';
import { MemoryLeaseDirectory } from '../drivers/memory/memory-lease-directory.ts';
import { MemoryLeaseServer } from '../drivers/memory/memory-lease-server.ts';
import { MemoryLuckyGiftLocks } from '../drivers/memory/memory-lucky-gift-send-locker.ts';
import { MemoryRocketWakes } from '../drivers/memory/memory-rocket-scheduler.ts';
import { MemoryRoomGiftLeaderboard } from '../drivers/memory/memory-room-gift-leaderboard.ts';
import { MemoryRoomListCache } from '../drivers/memory/memory-room-list-cache.ts';
import { MemoryReadsNetwork } from '../drivers/memory/memory-reads-network.ts';
import { createMemoryReplySink } from '../drivers/memory/memory-reply-sink.ts';
import { createMemoryReplySource } from '../drivers/memory/memory-reply-source.ts';
import { ensureMemoryTopics } from '../drivers/memory/memory-topics.ts';
import { MemoryWakeHub } from '../drivers/memory/memory-wake.ts';
import { createSystemRandom } from '../drivers/system/system-random.ts';
import { blockingDestinationsOf } from './blocking-destinations.ts';
import type { DriverSet, DriverSetParts } from './driver-set.ts';
import { leaseSettingsOf } from './lease-settings.ts';
import { logSettingsOf } from './log-settings.ts';

/** Of each partition of each topic: at least two thousand records of usual size are kept. */
const retentionBytes = 4 * 1024 * 1024;
/** About one gigabyte with all that belongs to them; then only a new process takes commands. */
const logRowsMax = 50_000;

/** Logged once at the start. */
export const embeddedWarning =
  'drivers is embedded: NOTHING IS KEPT. Rooms, commands and gifts are in the memory of this ' +
  'process and are gone when it ends';

/** Makes the set with a broker, a database and a lease server of this process alone. */
export function createEmbeddedDrivers(parts: DriverSetParts): DriverSet {
  const { config, nodeId } = parts;
  const { clock, timers } = parts.ports;
  const broker = new MemoryBroker(
    { clock, timers, random: createSystemRandom() },
    { latencyMs: { min: 0, max: 0 }, retentionBytes },
  );
  const database = new MemoryDatabase({ clock, timers }, { logRowsMax });
  const leases = new MemoryLeaseServer({ clock, timers });
  const wake = new MemoryWakeHub(parts.ports).open();
  const reads = new MemoryReadsNetwork(parts.ports);
  const rocketWakes = new MemoryRocketWakes();
  const here = { broker, client: nodeId };
  const luckyLocks = new MemoryLuckyGiftLocks(clock);
  const log = logSettingsOf(parts);
  return {
    warning: embeddedWarning,
    stores: createMemoryDrivers(database, blockingDestinationsOf(config)),
    wake,
    foundation: {
      migrate: () => Promise.resolve([]),
      // Nothing is lost while the process lives; that all is lost with it says the warning.
      durabilityFaults: () => Promise.resolve([]),
      ensureTopics: (plan, signal) => ensureMemoryTopics(here, plan, parts.ports, signal),
    },
    commandSink: (ports) => createMemoryCommandSink({ ...here, ...log.commandSink }, ports),
    commandSource: (partitionCount, ports) =>
      createMemoryCommandSource({ ...here, ...log.commandSource(partitionCount) }, ports),
    replySink: (ports) => createMemoryReplySink({ ...here, ...log.replySink }, ports),
    replySource: (reader, ports) =>
      createMemoryReplySource({ ...here, ...log.replySource(reader) }, ports),
    eventSink: (destination, ports) =>
      createMemoryEventSink({ ...here, ...log.eventSink(destination) }, ports),
    eventSource: (destination, ports) =>
      createMemoryEventSource({ ...here, ...log.eventSource(destination) }, ports),
    displaySink: (ports) => createMemoryDisplaySink({ ...here, ...log.displaySink }, ports),
    displaySource: (ports) => createMemoryDisplaySource({ ...here, ...log.displaySource }, ports),
    leaseDirectory: () => new MemoryLeaseDirectory(leaseSettingsOf(config, nodeId), leases),
    roomListCache: () => {
      const { readBudgetMs } = config.listCache;
      return new MemoryRoomListCache({ readBudgetMs }, leases, createSystemRandom());
    },
    roomGiftLeaderboard: () =>
      new MemoryRoomGiftLeaderboard({ readBudgetMs: config.leaderboard.readBudgetMs }, leases),
    handOver: (ports) => new MemoryWakeHub(ports).open(),
    luckyGiftLocks: () => luckyLocks.open(),
    rocketScheduler: () => rocketWakes.open(),
    readsPeers: () => reads.peers(),
    readsServer: (ofNode) => reads.server(nodeId, ofNode),
    close: () => wake.stop(),
  };
}
