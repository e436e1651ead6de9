/** Role `gateway`: the gateway stage on the log and the tables, served by gRPC. */
import type { GrpcHost } from '../drivers/grpc/grpc-host.ts';
import { createRoomGrpcServer, type GrpcAuth } from '../drivers/grpc/room-grpc-server.ts';
import {
  createRtcCallbackServer,
  type RtcCallbackApp,
  type RtcCallbackServer,
} from '../drivers/http/rtc-callback-server.ts';
import { createTokenVerifier, type TokenKeys } from '../drivers/jwt/token-verifier.ts';
import { createGateway, type Gateway, type GatewayPorts } from '../gateway/gateway.ts';
import { defaultGatewayLimits, type GatewayLimits } from '../gateway/limits.ts';
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import type { TopicLayout } from '../ports/partition-store.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import { openLeaderboard } from './board-projection.ts';
import { openListProjection, type ListProjection } from './list-projection.ts';
import { listenAddressOf } from './listen-address.ts';
import { rtcSigningApps } from './outside-clients.ts';
import type { Role } from './role.ts';
import { stagedRole, type RunningStage } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** How often gRPC health is made to say what readiness says. */
const healthIntervalMs = 250;
/** `stop` comes after `drain`: calls that are still open then are cut. */
const stopGrpcMs = 1_000;
const readerNameBytes = 8;

/** Makes the role. */
export function wireGateway(process: WiringContext): Role {
  const context = process.forRole('gateway');
  const { config, clock, log, metrics, timers } = context;
  return stagedRole({
    name: 'gateway',
    log,
    timers,
    async prepare(waiting, resources) {
      const layout = await context.foundation.ready(waiting);
      const auth = await authOf(config, context);
      const lists = openListProjection(context);
      if (lists !== null) resources.add('list projection', () => lists.stop());
      const leaderboard = openLeaderboard(context);
      if (leaderboard !== null) resources.add('boards', () => leaderboard.stop());
      const gateway = gatewayOn(context, layout, { lists, leaderboard });
      warnOfMissingTickets(context);
      const server = createRoomGrpcServer(
        { ...listenAddressOf(config.gateway.grpcListen), auth, rtcSdkAppIds: rtcIdsOf(config) },
        gateway,
        { clock, timers, log, metrics },
      );
      return servedGateway(context, gateway, { grpc: server, rtc: rtcServerOf(context, gateway) });
    },
  });
}

/** Copies in Redis that the gateway reads; null: this deployment has none. */
export interface Projections {
  readonly lists: ListProjection | null;
  readonly leaderboard: RoomGiftLeaderboard | null;
}

/** The stage without a transport; nothing of it runs yet. */
export function gatewayOn(
  context: WiringContext,
  layout: TopicLayout,
  projections: Projections = { lists: null, leaderboard: null },
): Gateway {
  const { config, nodeId } = context;
  return createGateway(
    {
      nodeId,
      partitionCount: layout.partitionCount,
      replySlotCount: config.kafka.replyPartitions,
      replySlotTtlMs: config.gateway.replySlotTtlMs,
      deploymentApp: config.auth.deploymentApp,
      limits: limitsOf(config),
    },
    gatewayPorts(context, projections),
  );
}

function warnOfMissingTickets({ config, log }: WiringContext): void {
  const signing = rtcSigningApps(config);
  for (const appCode of config.rtc.apps.keys()) {
    if (signing.has(appCode)) continue;
    log.warn({ appCode }, 'no tencent_im secret_key of the app is set here: it has no RTC tickets');
  }
}

/** Null: this deployment takes no callbacks. */
function rtcServerOf({ config, log }: WiringContext, gateway: Gateway): RtcCallbackServer | null {
  const { rtc, tencentIm } = config;
  if (rtc.callbackListen === '') return null;
  const apps = [...rtc.apps].map(([appCode, { callbackKey }]): [string, RtcCallbackApp] => {
    // 0 is nobody's; a configuration that lacks the app was refused.
    return [appCode, { callbackKey, sdkAppId: tencentIm.apps.get(appCode)?.sdkAppId ?? 0 }];
  });
  return createRtcCallbackServer(listenAddressOf(rtc.callbackListen), new Map(apps), gateway, log);
}

/** What a gateway is reached through. */
interface Servers {
  readonly grpc: GrpcHost;
  readonly rtc: RtcCallbackServer | null;
}

function servedGateway(context: WiringContext, gateway: Gateway, servers: Servers): RunningStage {
  const { grpc: server, rtc } = servers;
  let cancelHealth = (): void => undefined;
  const followHealth = (): void => {
    server.setServing(gateway.readiness().ready);
    cancelHealth = context.timers.after(healthIntervalMs, followHealth);
  };
  return {
    async start() {
      await gateway.start();
      const port = await server.start();
      const { host } = listenAddressOf(context.config.gateway.grpcListen);
      context.log.info({ event: 'listening', what: 'grpc', host, port }, 'gRPC is served');
      if (rtc !== null) {
        const address = await rtc.start();
        context.log.info({ event: 'listening', what: 'rtc', address }, 'RTC callbacks are taken');
      }
      followHealth();
    },
    async drain() {
      cancelHealth();
      server.drain();
      await gateway.drain();
    },
    async stop() {
      cancelHealth();
      // Callbacks that come while it drains are refused, and sent again to another gateway.
      await rtc?.stop();
      await server.stop(stopGrpcMs);
      await gateway.stop();
    },
    readiness: () => gateway.readiness(),
  };
}

function gatewayPorts(context: WiringContext, { lists, leaderboard }: Projections): GatewayPorts {
  const { drivers, driverPorts, outside, clock, timers, random, log } = context;
  const { metrics, trace, codec } = context;
  const { stores } = drivers;
  return {
    clock,
    timers,
    random,
    log,
    metrics,
    trace,
    codec,
    schemaRegistry: stores.schemaRegistry,
    commandSink: drivers.commandSink(driverPorts),
    newReplySource: () =>
      drivers.replySource(random.hex(readerNameBytes, 'reply reader'), driverPorts),
    replySlots: stores.replySlots,
    roomReader: stores.roomReader,
    roomQueries: stores.roomQueries,
    roomListCache: lists?.cache ?? null,
    roomGiftLeaderboard: leaderboard,
    ...(lists === null ? {} : { listChanged: (roomKeys) => lists.changed(roomKeys) }),
    partitionStore: stores.partitionStore,
    partitionStops: stores.partitionStops,
    nodeRegistry: stores.nodeRegistry,
    operatorStore: stores.operatorStore,
    replayStore: stores.replayStore,
    giftCatalogue: stores.giftCatalogue,
    rocketRules: stores.rocketRules,
    peers: drivers.readsPeers(driverPorts),
    passwords: outside.passwords(),
    rtcTickets: outside.rtcTickets(),
  };
}

async function authOf({ auth }: RoomcellConfig, { clock }: WiringContext): Promise<GrpcAuth> {
  if (auth.mode === 'off') return { kind: 'off' };
  const keys: TokenKeys =
    auth.mode === 'hs256'
      ? { kind: 'hs256', secret: auth.hs256Secret }
      : auth.jwksFile !== ''
        ? { kind: 'jwksFile', path: auth.jwksFile }
        : { kind: 'jwksUrl', url: auth.jwksUrl };
  return { kind: 'tokens', verifier: await createTokenVerifier(keys, clock) };
}

function limitsOf({ gateway, rankLimit, rtc }: RoomcellConfig): GatewayLimits {
  return {
    ...defaultGatewayLimits,
    pendingCallsMax: gateway.pendingCallsMax,
    roomWindow: gateway.roomWindow,
    busyRetryMs: gateway.busyRetryMs,
    defaultDeadlineMs: gateway.defaultDeadlineMs,
    maxDeadlineMs: gateway.maxDeadlineMs,
    heartbeatFoldMs: gateway.heartbeatFoldMs,
    heartbeatFoldItemsMax: gateway.heartbeatFoldItemsMax,
    heartbeatWaitersMax: gateway.heartbeatWaitersMax,
    roomReadsMax: gateway.roomReadsMax,
    watchersMax: gateway.watchersMax,
    watchResumeMs: gateway.watchResumeMs,
    giftRankMax: rankLimit,
    rtcTicketMs: rtc.ticketTtlMs,
  };
}

/** Clients enter RTC with the same SdkAppId that IM uses. */
function rtcIdsOf({ tencentIm }: RoomcellConfig): ReadonlyMap<string, number> {
  return new Map([...tencentIm.apps].map(([appCode, app]) => [appCode, app.sdkAppId]));
}
