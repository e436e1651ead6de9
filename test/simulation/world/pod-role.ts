/** The one role of a simulated process, made by the product's own wiring on a context of the run. */
import type { Cell } from '../../../src/cell/cell.ts';
import { MemoryActivityClient } from '../../../src/drivers/memory/memory-activity-client.ts';
import { MemoryImClient } from '../../../src/drivers/memory/memory-im-client.ts';
import { createMemoryLuckyGiftClient } from '../../../src/drivers/memory/memory-lucky-gift-client.ts';
import { MemoryRtcRemover } from '../../../src/drivers/memory/memory-rtc-remover.ts';
import { MemoryRtcTickets } from '../../../src/drivers/memory/memory-rtc-tickets.ts';
import { createMemoryWallet } from '../../../src/drivers/memory/memory-wallet.ts';
import { createFoundation } from '../../../src/main/foundation.ts';
import type { OutsideClients } from '../../../src/main/outside-clients.ts';
import type { Role, RoleName } from '../../../src/main/role.ts';
import { stagedRole } from '../../../src/main/staged-role.ts';
import { wireAdapterActivity } from '../../../src/main/wire-adapter-activity.ts';
import { wireAdapterIm } from '../../../src/main/wire-adapter-im.ts';
import { wireCell } from '../../../src/main/wire-cell.ts';
import { gatewayOn } from '../../../src/main/wire-gateway.ts';
import { wireRelay } from '../../../src/main/wire-relay.ts';
import type { WiringContext } from '../../../src/main/wiring-context.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { ImClient } from '../../../src/ports/im-client.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import type { RtcUserRemover } from '../../../src/ports/rtc-user-remover.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import type { Trace } from '../../../src/ports/trace.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { topicNames } from '../../../src/protocol/topics.ts';
import { randomPort, type SimRandom } from '../kernel/sim-random.ts';
import { gatedPort } from './gated-port.ts';
import { farAway } from './latency.ts';
import type { PodGate } from './pod-gate.ts';
import { createPodDrivers } from './pod-drivers.ts';
import type { PodSurroundings } from './pod.ts';
import { appOf } from './rtc-rooms.ts';
import { simPasswords } from './sim-passwords.ts';

/** One life of one process. */
export interface PodLife {
  readonly role: RoleName;
  readonly nodeId: string;
  readonly incarnation: string;
  readonly gate: PodGate;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: SimRandom;
  readonly trace: Trace;
  crashed(cause: unknown): void;
  /** The gateway takes calls from now on. */
  opened(api: Gateway): void;
  /** The cell is there and starts. */
  made(cell: Cell): void;
}

/** Slow to make; all runs of a process share it. */
export const codec = createCodec();

/** See the file header. */
export function createPodRole(
  around: PodSurroundings,
  life: PodLife,
): { readonly role: Role; readonly log: Log } {
  const { config: shared, servers, metrics } = around;
  const { nodeId, incarnation, clock, timers, gate } = life;
  const config = { ...shared, nodeId };
  const log = around.log.child({ pod: incarnation });
  const topics = topicNames(config.kafka.topicPrefix);
  const driverPorts = { log, metrics, clock, timers };
  const roles = [life.role];
  const random = randomPort(life.random);
  const drivers = createPodDrivers({
    config,
    nodeId,
    incarnation,
    topics,
    ports: driverPorts,
    servers,
    gate,
    client: incarnation,
    random,
    tellDisplay: (value) => {
      const atMs = around.kernel.trueMs;
      around.observe({ kind: 'displayOffered', atMs, pod: nodeId, incarnation, value });
    },
    fetchWaitMs: around.fetchWaitMs,
  });
  const context: WiringContext = {
    config,
    roles,
    nodeId,
    incarnation,
    clock,
    timers,
    random,
    log,
    metrics,
    trace: life.trace,
    codec,
    topics,
    drivers,
    outside: outsideClients(around, life),
    foundation: createFoundation({ config, roles, topics, drivers }),
    driverPorts,
    crashed: (_, cause) => life.crashed(cause),
    forRole() {
      return this;
    },
    close: () => drivers.close(),
  };
  return { role: wired(context, life), log };
}

function wired(context: WiringContext, life: PodLife): Role {
  switch (life.role) {
    case 'cell':
      return wireCell(context, (cell) => life.made(cell));
    case 'relay':
      return wireRelay(context);
    case 'adapter-im':
      return wireAdapterIm(context);
    case 'adapter-activity':
      return wireAdapterActivity(context);
    case 'gateway':
      return gatewayInProcess(context, life);
    case 'sandbox':
      throw new Error('a simulated run has stand-ins of its own');
  }
}

/** The gateway stage as `wireGateway` makes it, called without gRPC. */
function gatewayInProcess(context: WiringContext, life: PodLife): Role {
  const { log, timers, foundation } = context;
  return stagedRole({
    name: 'gateway',
    log,
    timers,
    async prepare(waiting) {
      const gateway = gatewayOn(context, await foundation.ready(waiting));
      return {
        async start() {
          await gateway.start();
          life.opened(gateway);
        },
        drain: () => gateway.drain(),
        stop: () => gateway.stop(),
        readiness: () => gateway.readiness(),
      };
    },
  });
}

function outsideClients(around: PodSurroundings, life: PodLife): OutsideClients {
  const { servers, kernel, latency, config } = around;
  const { gate, timers, clock } = life;
  const network = { timers: kernel.timersOf('network'), latency };
  return {
    wallet() {
      const calls = ['debit', 'find', 'void', 'payPrize'] as const;
      return gatedPort(createMemoryWallet(farAway(servers.wallet, calls, network), timers), gate);
    },
    luckyGifts() {
      const far = farAway(servers.lucky, ['check', 'draw'], network);
      return gatedPort(createMemoryLuckyGiftClient(far, timers), gate);
    },
    im(app, callTimeoutMs) {
      const { sdkAppId, adminIdentifier } = app;
      const standIn = farAway(servers.im, ['handle'], network);
      const settings = { app: { sdkAppId, adminIdentifier }, callTimeoutMs };
      const client = new MemoryImClient(settings, standIn, { clock, timers });
      return { ...bound(gatedPort(client, gate)), stop: () => undefined };
    },
    activity: () =>
      gatedPort(
        new MemoryActivityClient(
          farAway(servers.activity, ['ingest', 'ingestBatch'], network),
          config.outboxWorker.publishTimeoutMs,
          { clock, timers, codec },
        ),
        gate,
      ),
    passwords: () => gatedPort(simPasswords(network), gate),
    rtcRemover({ sdkAppId }, callTimeoutMs) {
      const standIn = farAway(servers.rtc, ['handle'], network);
      const client = new MemoryRtcRemover({ sdkAppId, callTimeoutMs }, standIn, timers);
      const appCode = appOf(config, sdkAppId);
      const removeUser: RtcUserRemover['removeUser'] = (roomId, userId) => {
        const atMs = kernel.trueMs;
        around.observe({ kind: 'putOut', atMs, pod: life.nodeId, appCode, roomId, userId });
        return client.removeUser(roomId, userId);
      };
      return { ...gatedPort<RtcUserRemover>({ removeUser }, gate), stop: () => undefined };
    },
    rtcTickets: () => new MemoryRtcTickets(new Map()),
  };
}

function bound(client: MemoryImClient): ImClient {
  return {
    ensureGroup: (groupId, name) => client.ensureGroup(groupId, name),
    sendGroupMessage: (message) => client.sendGroupMessage(message),
    sendGroupNotification: (groupId, content) => client.sendGroupNotification(groupId, content),
    dissolveGroup: (groupId) => client.dissolveGroup(groupId),
    banMember: (groupId, userId, seconds) => client.banMember(groupId, userId, seconds),
    unbanMember: (groupId, userId) => client.unbanMember(groupId, userId),
  };
}
