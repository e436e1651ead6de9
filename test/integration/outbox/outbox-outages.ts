/**
 * Bug case A12: Kafka, then IM, then MySQL is away for a while and comes back. Nothing is started
 * again, no command follows, no hint reaches the relay; every committed row is delivered all the same.
 * The case's minute is a second and a half here, and pauses are scaled with it. A part of the specs of a
 * broker in trouble, since a broker behind a door takes longer to start than all of this.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Adapter } from '../../../src/adapters/adapter.ts';
import type { EventSender } from '../../../src/adapters/event-sender.ts';
import { createImSender } from '../../../src/adapters/im/im-adapter.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import type { MysqlSession } from '../../../src/drivers/mysql/session.ts';
import { pooledSession } from '../../../src/drivers/mysql/connection-settings.ts';
import type { MysqlServerSettings } from '../../../src/drivers/mysql/connection-settings.ts';
import { openSession } from '../../../src/drivers/mysql/session.ts';
import { startSandbox } from '../../../src/drivers/sandbox/sandbox-server.ts';
import type { Sandbox } from '../../../src/drivers/sandbox/sandbox-server.ts';
import { createSystemRandom } from '../../../src/drivers/system/system-random.ts';
import { createTencentImClient } from '../../../src/drivers/tencent-im/tencent-im-client.ts';
import type { TencentImClient } from '../../../src/drivers/tencent-im/tencent-im-client.ts';
import { imGroupId } from '../../../src/protocol/im-group-id.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { openMysqlSpace } from '../../support/mysql-space.ts';
import type { MysqlSpace } from '../../support/mysql-space.ts';
import { outboxApp } from '../../support/outbox-rows.ts';
import { noHints, startAdapter, startRelay } from '../../support/outbox-way.ts';
import type { MortalRelay, WayParts } from '../../support/outbox-way.ts';
import { storeEvents } from '../../support/stored-events.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { lasting, waitUntil } from '../../support/wait-until.ts';

/** What goes away. */
type Server = 'Kafka' | 'IM' | 'MySQL';

const rooms = Array.from({ length: 50 }, (_, at) => `room-${at + 1}`);
/** Before the outage, and while it lasts: fifty commands each, six times. */
const versionsPerOutage = 6;
const outageMs = 1_500;
/** The longest pauses that so short an outage leads to, a claim that runs out, and 300 sends. */
const backWithinMs = 15_000;
const claimLockMs = 4_000;
const firstPauseMs = 2_000;
const imApp = { sdkAppId: 1_400_000_001, adminIdentifier: 'admin', secretKey: 'k'.repeat(64) };
const loopback = { host: '127.0.0.1', port: 0 };
const { clock, timers } = driverDeps();

interface Sent {
  readonly atMs: number;
  readonly room: string;
  readonly version: number;
  readonly isDone: boolean;
  readonly endWallMs: number;
}

/** Declares the suite; `broker` is asked once, before its tests. */
export function outboxOutages(
  broker: () => { readonly log: LogSpace; readonly door: TcpProxy },
): void {
  describe('rows that an outage leaves behind', () => {
    let space: MysqlSpace;
    let sandbox: Sandbox;
    let client: TencentImClient;
    let relay: MortalRelay;
    let adapter: Adapter;
    /** Past every door: the rows of a transaction that came through. */
    let observer: MysqlSession;
    let behindDoor: MysqlServerSettings;
    let doors: Readonly<Record<Server, TcpProxy>>;
    const sends: Sent[] = [];
    let version = 1;

    beforeAll(async () => {
      const { log, door } = broker();
      space = await openMysqlSpace();
      const { host: targetHost, port: targetPort } = space.server;
      sandbox = await startImSandbox();
      doors = {
        Kafka: door,
        MySQL: await startTcpProxy({ targetHost, targetPort }),
        IM: await startTcpProxy({ targetPort: Number(new URL(sandbox.imBaseUrl).port) }),
      };
      behindDoor = { ...space.server, host: '127.0.0.1', port: doors.MySQL.port };
      const drivers = () => space.moreDrivers({ server: behindDoor });
      observer = await space.openObserver();
      client = createTencentImClient(
        { ...imApp, baseUrl: `http://127.0.0.1:${doors.IM.port}`, callTimeoutMs: 1_000 },
        { clock, random: createSystemRandom() },
      );
      for (const room of rooms) {
        await client.ensureGroup(imGroupId(outboxApp, room as RoomId), room);
      }
      const parts: WayParts = {
        log,
        wake: noHints,
        destinations: ['im'],
        relayOptions: {
          ...{ pollIntervalMs: 200, batchSize: 500, runSize: 10, unconfirmedMax: 1_000 },
          ...{ publishTimeoutMs: 1_000, claimLockMs, startedMax: 3 },
        },
        adapterOptions: {
          ...{ lockMs: claimLockMs, sendTimeoutMs: 1_000, maxRetryCount: 10 },
          backoff: { initialMs: firstPauseMs, maxMs: 2 * firstPauseMs },
          ...{ concurrentRooms: 16, rememberedEvents: 20_000 },
        },
      };
      relay = await startRelay(parts, 'relay', drivers());
      adapter = await startAdapter(parts, 'adapter', drivers(), watchedSender(client, sends));
      await store(observer, 1);
      await allDelivered();
    }, 60_000);
    // A test that failed in its outage must not leave it to the next one.
    afterEach(async () => {
      for (const door of Object.values(doors)) await door.accept();
    });
    afterAll(async () => {
      await relay.relay.stop();
      await adapter.stop();
      client.stop();
      await sandbox.stop();
      await space.close();
      await doors.MySQL.close();
      await doors.IM.close();
    });

    /** One transaction with the next versions of every room. */
    async function store(session: MysqlSession, versions: number): Promise<void> {
      const events = Array.from({ length: versions }, (_, at) => version + at).flatMap((next) =>
        rooms.map((room) => ({ room, version: next })),
      );
      await storeEvents(session, events, ['im']);
      version += versions;
    }

    async function statuses(): Promise<Readonly<Record<string, number>>> {
      const rows = await observer.rows(
        'SELECT status, COUNT(*) AS n FROM room_outbox GROUP BY status',
      );
      return Object.fromEntries(rows.map((row) => [String(row['status']), Number(row['n'])]));
    }

    async function allDelivered(): Promise<void> {
      let seen: Readonly<Record<string, number>> = {};
      await waitUntil(
        'every row delivered',
        async () => {
          seen = await statuses();
          return Object.keys(seen).every((status) => status === 'delivered');
        },
        { limitMs: backWithinMs, everyMs: 50, seen: () => seen },
      );
    }

    /** Waits until the outage has reached whoever it is for. */
    async function noticed(server: Server): Promise<void> {
      const isNoticed = () => (server === 'IM' ? adapter.isOutage : !relay.relay.healthy);
      await waitUntil(`the outage of ${server} is noticed`, () => Promise.resolve(isNoticed()));
    }

    /** Rows that failed at the same time do not come again at the same time. */
    async function expectSpreadRetries(): Promise<void> {
      const rows = await waitUntil('ten rows that wait for their next try', async () => {
        const waiting = await observer.rows(
          'SELECT room_id, room_version, next_retry_at_ms FROM room_outbox ' +
            "WHERE status = 'retryable'",
        );
        return waiting.length >= 10 && waiting;
      });
      const pausesMs = rows.map((row) => {
        const failed = sends.findLast(({ room, version: sent }) => {
          return room === row['room_id'] && sent === Number(row['room_version']);
        });
        return Number(row['next_retry_at_ms']) - (failed?.endWallMs ?? 0);
      });
      expect(Math.min(...pausesMs)).toBeGreaterThanOrEqual(firstPauseMs);
      expect(fullest(pausesMs)).toBeLessThan(pausesMs.length / 2);
    }

    /** Commands whose rows are committed while the server is away. */
    async function tryCommands(server: Server): Promise<void> {
      if (server !== 'MySQL') return store(observer, versionsPerOutage / 2);
      await expect(openSession(behindDoor, pooledSession)).rejects.toThrow();
    }

    it.each(['Kafka', 'IM', 'MySQL'] as const)(
      'are all delivered in order once %s is back, without a restart, a command or a hint, and not all at once (A12)',
      async (server) => {
        await store(observer, server === 'MySQL' ? versionsPerOutage : versionsPerOutage / 2);
        await doors[server].refuse();
        const outage = lasting(outageMs);
        await tryCommands(server);
        await noticed(server);
        await outage;
        expect(Object.keys(await statuses())).not.toEqual(['delivered']);
        if (server === 'IM') await expectSpreadRetries();
        await doors[server].accept();
        await allDelivered();
        expect(fullest(sends.map(({ atMs }) => atMs))).toBeLessThan(rooms.length);
        expect(relay.relay.healthy).toBe(true);
        expect(doors[server].connectionCount).toBeGreaterThan(0);
        const expected = Array.from({ length: version - 1 }, (_, at) => at + 1);
        for (const room of rooms) {
          const versions = sends.filter((sent) => sent.isDone && sent.room === room);
          expect([...new Set(versions.map((sent) => sent.version))], room).toEqual(expected);
        }
      },
    );
  });
}

/** How many of the times lie in the fullest ten milliseconds. */
function fullest(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((one, other) => one - other);
  const counts = sorted.map((fromMs) => {
    return sorted.filter((atMs) => atMs >= fromMs && atMs < fromMs + 10).length;
  });
  return Math.max(0, ...counts);
}

/** The real sender, with each send written down. */
function watchedSender(client: TencentImClient, sends: Sent[]): EventSender {
  const sender = createImSender({
    clients: new Map([[outboxApp, client]]),
    ...{ clock, timers, rates: { perGroup: 40, perApp: 180 } },
    bans: {
      apps: new Set(),
      askOwner: () => Promise.reject(new Error('nobody is banned here')),
      ...{ callTimeoutMs: 1_000, clock, metrics: driverDeps().metrics },
    },
  });
  return {
    destination: 'im',
    async send(event) {
      const { roomId: room, roomVersion } = event.envelope;
      const atMs = clock.monoMs();
      const outcome = await sender.send(event);
      const isDone = outcome.kind === 'done';
      sends.push({
        ...{ atMs, room, version: Number(roomVersion), isDone },
        endWallMs: clock.wallMs(),
      });
      return outcome;
    },
  };
}

function startImSandbox(): Promise<Sandbox> {
  const nobody = { address: 'none', stop: () => Promise.resolve() };
  return startSandbox({
    ...{ imListen: loopback, rtcListen: loopback, activityListen: loopback },
    ...{ walletListen: loopback, controlListen: loopback },
    ...{ apps: [imApp], rtcApps: [], walletOpeningCoins: 0n },
    ...{ clock, timers, random: createSystemRandom() },
    startActivityServer: () => Promise.resolve(nobody),
    startWalletServer: () => Promise.resolve(nobody),
  });
}
