/**
 * What all roles of a process share: configuration, clocks, log, metrics, and one set of drivers.
 * Made once, before any role; nothing in it connects before it is used.
 */
import { hostname } from 'node:os';
import type { DriverPorts } from '../drivers/driver-ports.ts';
import { createSystemClock } from '../drivers/system/system-clock.ts';
import { createSystemRandom } from '../drivers/system/system-random.ts';
import { createSystemTimers } from '../drivers/system/system-timers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Trace } from '../ports/trace.ts';
import type { Codec } from '../protocol/codec-api.ts';
import { createCodec } from '../protocol/codec.ts';
import { topicNames, type TopicNames } from '../protocol/topics.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { DriverSet, DriverSetParts } from './driver-set.ts';
import { createEmbeddedDrivers } from './embedded-drivers.ts';
import { createFoundation, type Foundation } from './foundation.ts';
import { createOutsideClients, type OutsideClients } from './outside-clients.ts';
import type { RoleName } from './role.ts';
import { createServerDrivers } from './server-drivers.ts';

/** See the file header. */
export interface WiringContext {
  readonly config: RoomcellConfig;
  /** Every role that this process runs. */
  readonly roles: readonly RoleName[];
  readonly nodeId: string;
  /** Of this process: new at every start. */
  readonly incarnation: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  readonly codec: Codec;
  readonly topics: TopicNames;
  readonly drivers: DriverSet;
  readonly outside: OutsideClients;
  /** Tables, topics and layout: every role awaits it before it builds its stage. */
  readonly foundation: Foundation;
  /** Told by a role that can no longer work: the process ends with a non-zero code. */
  readonly crashed: (role: RoleName, cause: unknown) => void;
  /** The context with a log whose lines name the role. */
  forRole(role: RoleName): WiringContext;
  /** The ports that drivers take, with the log of this context. */
  readonly driverPorts: DriverPorts;
  /** Lets the shared drivers go, after every role has stopped. */
  close(): Promise<void>;
}

const incarnationBytes = 8;

/** The only place that knows which sets there are. */
const driverSets: Readonly<
  Record<RoomcellConfig['drivers'], (parts: DriverSetParts) => DriverSet>
> = { servers: createServerDrivers, embedded: createEmbeddedDrivers };

/** Builds the context of one process. */
export function createWiringContext(options: {
  readonly config: RoomcellConfig;
  readonly roles: readonly RoleName[];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly trace: Trace;
  readonly crashed: (role: RoleName, cause: unknown) => void;
  /** What a hostile test exchanges of the drivers. */
  readonly exchange?: (drivers: DriverSet) => DriverSet;
}): WiringContext {
  const { config, roles, log, metrics, exchange = (set: DriverSet) => set } = options;
  const clock = createSystemClock();
  const timers = createSystemTimers();
  const random = createSystemRandom();
  const incarnation = random.hex(incarnationBytes, 'incarnation');
  const nodeId = nodeIdOf(config);
  const topics = topicNames(config.kafka.topicPrefix);
  const driverPorts = { log, metrics, clock, timers };
  const parts = { config, nodeId, incarnation, topics, ports: driverPorts };
  const drivers = exchange(driverSets[config.drivers](parts));
  const codec = createCodec();
  return {
    ...options,
    nodeId,
    incarnation,
    clock,
    timers,
    random,
    codec,
    topics,
    drivers,
    outside: createOutsideClients({ config, clock, random, codec }),
    foundation: createFoundation({ config, roles, topics, drivers }),
    driverPorts,
    forRole(role) {
      const roleLog = log.child({ role });
      return { ...this, log: roleLog, driverPorts: { ...driverPorts, log: roleLog } };
    },
    close: () => drivers.close(),
  };
}

/** The configured id, or one made from the host's name: the same after a restart. */
export function nodeIdOf(config: RoomcellConfig): string {
  if (config.nodeId !== '') return config.nodeId;
  return (
    hostname()
      .replace(/[^A-Za-z0-9_.:-]/g, '-')
      .slice(0, 64) || 'node'
  );
}
