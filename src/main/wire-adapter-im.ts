/** Role `adapter-im`: room events to Tencent Cloud IM, and removals to its RTC; one client each per app. */
import { DisplayLane, displayLaneDefaults } from '../adapters/im/display-lane.ts';
import { createDisplayReader } from '../adapters/im/display-message.ts';
import type { GroupBansContext } from '../adapters/im/group-bans.ts';
import { createImSender } from '../adapters/im/im-adapter.ts';
import { createRtcSender } from '../adapters/rtc/rtc-adapter.ts';
import type { AppCode } from '../domain/ids.ts';
import { createAskGuard } from '../owners/ask-guard.ts';
import { createAskOwner, type AskOwner } from '../owners/ask-owner.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { StoppableImClient } from './outside-clients.ts';
import type { Role } from './role.ts';
import { rtcRemovers } from './rtc-removers.ts';
import { runningAdapter, stagesTogether } from './running-adapter.ts';
import { stagedRole, type Resources, type RunningStage } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/**
 * The end of a room takes two calls, a removal from RTC the guard's word and one, and a ban from a group
 * what is left of the first one's time and one; a row must still end within
 * `outbox_worker.publish_timeout`.
 */
const callsPerRowMax = 2;

/** Makes the role. */
export function wireAdapterIm(process: WiringContext): Role {
  const context = process.forRole('adapter-im');
  const { log, timers, clock } = context;
  return stagedRole({
    name: 'adapter-im',
    log,
    timers,
    async prepare(waiting, resources) {
      const { partitionCount } = await context.foundation.ready(waiting);
      const clients = clientsOf(context);
      const askOwner = askOwnerOf(context, partitionCount, resources);
      const { groupMessagesPerSecond: perGroup, ...ofApp } = context.config.tencentIm;
      const rates = { perGroup, perApp: ofApp.callsPerSecond / ofApp.adapters };
      resources.add('IM connections', () => {
        for (const client of clients.values()) client.stop();
        return Promise.resolve();
      });
      const scheduler = context.drivers.rocketScheduler(context.driverPorts);
      resources.add('rocket scheduler', () => scheduler.stop());
      const bans = bansOf(context, askOwner);
      const sender = createImSender({ clients, clock, timers, rates, bans });
      return stagesTogether([
        runningAdapter(context, 'adapter-im', sender, scheduler),
        rtcStage(context, askOwner, resources),
        displayStage(context, clients),
      ]);
    },
  });
}

/** What is shown and not promised: beside the outbox's messages, over the same clients. */
function displayStage(
  context: WiringContext,
  clients: ReadonlyMap<AppCode, StoppableImClient>,
): RunningStage {
  const { config, drivers, codec, clock, timers, log, metrics } = context;
  const { display } = config;
  let isCrashed = false;
  const lane = new DisplayLane(
    {
      source: drivers.displaySource(context.driverPorts),
      readDisplay: createDisplayReader(codec, drivers.stores.schemaRegistry),
      clients,
      clock,
      timers,
      log,
      metrics,
      onCrashed: (cause) => {
        isCrashed = true;
        context.crashed('adapter-im', cause);
      },
    },
    {
      ...displayLaneDefaults,
      usefulForMs: display.usefulForMs,
      rates: {
        perGroup: display.groupMessagesPerSecond,
        perApp: display.callsPerSecond / config.tencentIm.adapters,
      },
    },
  );
  return {
    start: () => lane.start(),
    drain: () => lane.stop(),
    stop: () => lane.stop(),
    readiness: () =>
      isCrashed
        ? { ready: false, reasons: ['its display consumer died'] }
        : { ready: true, reasons: [] },
  };
}

/** Cells are asked in the way in which gateways ask them. */
function askOwnerOf(
  { drivers, driverPorts, clock, timers }: WiringContext,
  partitionCount: number,
  resources: Resources,
): AskOwner {
  const peers = drivers.readsPeers(driverPorts);
  resources.add('connections to cells', () => peers.stop());
  const { partitionStore } = drivers.stores;
  return createAskOwner({ clock, timers, partitionStore, peers }, partitionCount);
}

function bansOf({ config, clock, metrics }: WiringContext, askOwner: AskOwner): GroupBansContext {
  const apps = [...config.tencentIm.apps].flatMap(([appCode, { banMembers }]) =>
    banMembers ? [appCode as AppCode] : [],
  );
  return { apps: new Set(apps), askOwner, callTimeoutMs: callTimeoutMs(config), clock, metrics };
}

/** Removals from RTC. */
function rtcStage(context: WiringContext, askOwner: AskOwner, resources: Resources): RunningStage {
  const { config, drivers, clock, timers, metrics } = context;
  const { roomQueries } = drivers.stores;
  const timeoutMs = callTimeoutMs(config);
  const removers = rtcRemovers(context, timeoutMs, resources);
  const askGuard = createAskGuard(askOwner, { clock, roomQueries });
  const sender = createRtcSender({
    removers,
    askGuard,
    callsPerSecond: config.rtc.callsPerSecond / config.tencentIm.adapters,
    guardTimeoutMs: timeoutMs,
    clock,
    timers,
    metrics,
  });
  return runningAdapter(context, 'adapter-im', sender);
}

function callTimeoutMs({ outboxWorker }: RoomcellConfig): number {
  return Math.max(1, Math.floor(outboxWorker.publishTimeoutMs / callsPerRowMax));
}

function clientsOf({ config, outside }: WiringContext): Map<AppCode, StoppableImClient> {
  return new Map(
    [...config.tencentIm.apps].map(([appCode, app]) => [
      appCode as AppCode,
      outside.im(app, callTimeoutMs(config)),
    ]),
  );
}
