/** Role `relay`: carries outbox rows to the destinations' topics. */
import { outboxShardCount } from '../protocol/outbox-shard.ts';
import type { Destination } from '../protocol/topics.ts';
import { BlockedWatch } from '../relay/blocked-watch.ts';
import { createRelay } from '../relay/relay.ts';
import type { RelayOptions } from '../relay/relay-options.ts';
import { blockingDestinationsOf } from './blocking-destinations.ts';
import { byDestinationSink } from './by-destination-sink.ts';
import { Retention } from '../relay/retention/retention.ts';
import type { Role } from './role.ts';
import { stagesTogether } from './running-adapter.ts';
import { stagedRole, type RunningStage } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** Destinations that have an adapter; rows of others would never end. */
const servedDestinations: readonly Destination[] = ['im', 'activity', 'rtc'];

/** A look meets each failed row of the destinations that block: few, or somebody should look. */
const blockedLookMs = 30_000;

/** Makes the role. Switched off by `outbox_worker.enabled`, it runs and says so. */
export function wireRelay(process: WiringContext): Role {
  const context = process.forRole('relay');
  const { log, timers } = context;
  return stagedRole({
    name: 'relay',
    log,
    timers,
    async prepare(waiting) {
      await context.foundation.ready(waiting);
      const { outboxWorker, retention } = context.config;
      const stages: RunningStage[] = [];
      if (outboxWorker.enabled) stages.push(runningRelay(context));
      else log.warn({}, 'outbox_worker.enabled is false: events gather in the outbox');
      if (blockingDestinationsOf(context.config).length > 0) stages.push(blockedWatch(context));
      if (retention.enabled) stages.push(runningRetention(context));
      return stagesTogether(stages);
    },
  });
}

/** An outage of MySQL is not told twice: whoever is not ready for it is the relay. */
function runningRetention(context: WiringContext): RunningStage {
  const { clock, timers, random, log, metrics, codec, config, drivers } = context;
  const { keepMs, auditKeepMs, passIntervalMs, pagePauseMs, pageRows } = config.retention;
  const { stores } = drivers;
  const retention = new Retention(
    {
      store: stores.retentionStore,
      rooms: stores.roomReader,
      snapshots: stores.snapshotStore,
      schemas: stores.schemaRegistry,
      ...{ codec, clock, timers, random, log, metrics },
    },
    { keepMs, auditKeepMs, passIntervalMs, pagePauseMs, pageRows },
  );
  return {
    start: () => {
      retention.start();
      return Promise.resolve();
    },
    drain: () => retention.drain(),
    stop: () => retention.stop(),
    readiness: () => ({ ready: true, reasons: [] }),
  };
}

function blockedWatch({ timers, log, metrics, drivers }: WiringContext): RunningStage {
  const store = drivers.stores.outboxStore;
  const watch = new BlockedWatch({ store, timers, log, metrics }, blockedLookMs);
  return {
    start: () => watch.start(),
    drain: () => watch.drain(),
    stop: () => watch.stop(),
    readiness: () => ({ ready: true, reasons: [] }),
  };
}

function runningRelay(context: WiringContext): RunningStage {
  const { clock, timers, random, log, metrics, trace, drivers, driverPorts } = context;
  const sinks = servedDestinations.map(
    (destination) => [destination, drivers.eventSink(destination, driverPorts)] as const,
  );
  const relay = createRelay(
    {
      store: drivers.stores.outboxStore,
      sink: byDestinationSink(new Map(sinks)),
      wake: drivers.wake,
      clock,
      timers,
      random,
      log,
      metrics,
      trace,
    },
    relayOptions(context),
  );
  return {
    start: () => relay.start(),
    drain: () => relay.drain(),
    stop: () => relay.stop(),
    readiness: () =>
      relay.healthy
        ? { ready: true, reasons: [] }
        : { ready: false, reasons: ['MySQL or Kafka is out of reach'] },
  };
}

function relayOptions({ config, nodeId, incarnation }: WiringContext): RelayOptions {
  const { outboxWorker } = config;
  return {
    workerId: `${nodeId}:${incarnation}`.slice(-64),
    destinations: servedDestinations,
    shards: Array.from({ length: outboxShardCount }, (_, shard) => shard),
    pollIntervalMs: outboxWorker.pollIntervalMs,
    batchSize: outboxWorker.batchSize,
    runSize: outboxWorker.runSize,
    unconfirmedMax: outboxWorker.unconfirmedMax,
    publishTimeoutMs: outboxWorker.publishTimeoutMs,
    claimLockMs: outboxWorker.claimLockMs,
    startedMax: outboxWorker.startedMax,
  };
}
