/**
 * Relays and adapters in this process on a real database and a real log, wired as their roles wire
 * them: the way of an outbox row without rooms and without anything outside.
 */
import { createAdapter } from '../../src/adapters/adapter.ts';
import type { Adapter } from '../../src/adapters/adapter.ts';
import type { AdapterOptions } from '../../src/adapters/adapter-options.ts';
import type { EventSender } from '../../src/adapters/event-sender.ts';
import { createEnvelopeReader } from '../../src/adapters/read-envelope.ts';
import type { MysqlDrivers } from '../../src/drivers/mysql/mysql-drivers.ts';
import { createSystemRandom } from '../../src/drivers/system/system-random.ts';
import { byDestinationSink } from '../../src/main/by-destination-sink.ts';
import type { EventSink } from '../../src/ports/event-sink.ts';
import type { OutboxStore } from '../../src/ports/outbox-store.ts';
import type { Wake } from '../../src/ports/wake.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { outboxShardCount } from '../../src/protocol/outbox-shard.ts';
import type { Destination } from '../../src/protocol/topics.ts';
import { createRelay } from '../../src/relay/relay.ts';
import type { Relay } from '../../src/relay/relay.ts';
import type { RelayOptions } from '../../src/relay/relay-options.ts';
import { driverDeps } from './driver-deps.ts';
import type { DriverDeps } from './driver-deps.ts';
import type { LogSpace, Where } from './log-space.ts';

/** What the relays and adapters of a test have in common. */
export interface WayParts {
  readonly log: LogSpace;
  readonly where?: Where;
  readonly wake: Wake;
  readonly destinations: readonly Destination[];
  readonly relayOptions: Omit<RelayOptions, 'workerId' | 'destinations' | 'shards'>;
  readonly adapterOptions: AdapterOptions;
}

/** No hint reaches anybody: what is found is found by looking. */
export const noHints: Wake = { hint: () => undefined, subscribe: () => () => undefined };

/** A relay that may end as a killed process does. */
export interface MortalRelay {
  readonly relay: Relay;
  readonly deps: DriverDeps;
  /**
   * Ends it behind its next claim: from then on nothing of it reaches database or log. Resolves with
   * the number of rows that it holds.
   */
  killBehindClaim(): Promise<number>;
}

/** Starts a relay on drivers of its own. */
export async function startRelay(
  parts: WayParts,
  workerId: string,
  drivers: MysqlDrivers,
): Promise<MortalRelay> {
  const { log, where, wake, destinations, relayOptions } = parts;
  const deps = driverDeps();
  const sinks = destinations.map((destination): readonly [Destination, EventSink] => [
    destination,
    log.eventSink({ topic: log.topics.events[destination] }, deps, where),
  ]);
  let onDeath: ((rows: number) => void) | null = null;
  const doomed: OutboxStore = {
    ...bound(drivers.outboxStore),
    async claimRuns(request) {
      const runs = await drivers.outboxStore.claimRuns(request);
      if (onDeath === null || runs.length === 0) return runs;
      onDeath(runs.reduce((sum, { rows }) => sum + rows.length, 0));
      return new Promise(() => undefined);
    },
  };
  const relay = createRelay(
    {
      ...{ ...deps, wake, random: createSystemRandom(), trace: { at: () => undefined } },
      store: doomed,
      sink: byDestinationSink(new Map(sinks)),
    },
    {
      ...relayOptions,
      ...{ workerId, destinations },
      shards: Array.from({ length: outboxShardCount }, (_, shard) => shard),
    },
  );
  await relay.start();
  return {
    relay,
    deps,
    killBehindClaim: () => new Promise((resolve) => (onDeath = resolve)),
  };
}

/** Starts an adapter on drivers of its own. */
export async function startAdapter(
  parts: WayParts,
  instanceName: string,
  drivers: MysqlDrivers,
  sender: EventSender,
): Promise<Adapter> {
  const { log, where, wake, adapterOptions } = parts;
  const { destination } = sender;
  const deps = driverDeps();
  const adapter = createAdapter(
    {
      ...{ ...deps, wake, random: createSystemRandom(), trace: { at: () => undefined } },
      store: drivers.outboxStore,
      source: log.eventSource(
        {
          instanceName,
          groupId: `${log.prefix}.${destination}`,
          topic: log.topics.events[destination],
          maxWaitMs: 20,
        },
        deps,
        where,
      ),
      readEnvelope: createEnvelopeReader(createCodec(), drivers.schemaRegistry),
      onCrashed: (cause) => deps.log.error({ error: String(cause) }, 'the consumer died'),
    },
    sender,
    adapterOptions,
  );
  await adapter.start();
  return adapter;
}

function bound(store: OutboxStore): OutboxStore {
  return {
    claimRuns: (request) => store.claimRuns(request),
    giveBack: (claimToken, rowIds) => store.giveBack(claimToken, rowIds),
    start: (claimToken, rowIds, lockUntilMs) => store.start(claimToken, rowIds, lockUntilMs),
    finish: (claimToken, finish, nowMs) => store.finish(claimToken, finish, nowMs),
    backlog: (nowMs) => store.backlog(nowMs),
    blockedRooms: () => store.blockedRooms(),
  };
}
