/**
 * MySQL, Redis or Kafka is not there yet, goes away, or falls silent. Processes wait and say why,
 * once; what callers sent meanwhile ends exactly once; nothing is set aside; everything goes on by
 * itself when the server is back.
 */
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roleNames } from '../../src/main/role.ts';
import { deleteKeys } from '../../scripts/stack/redis-server.ts';
import type { Stack } from '../../scripts/stack/stack-types.ts';
import { startStack } from '../../scripts/stack/start-stack.ts';
import { lasting, waitUntil } from '../support/wait-until.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { Fleet } from './support/fleet.ts';
import { allDelivered, arrivedAt, committedEvents, countOf } from './support/observe.ts';
import { ownPorts } from './support/own-ports.ts';
import type { LogLine, RoleProcess } from './support/role-process.ts';
import { createBurst, RoomLoad } from './support/room-load.ts';

/** Longer than every time-out inside: connect 5 s, Kafka requests 5 s, group session 6 s. */
const longMs = 10_000;
const shortMs = 2_000;
/** A role has a handful of connections to the broker, four roles share a process, each speaks for itself. */
const linesPerCauseMax = 16;
/** Leases, list, locks, rockets, and both ways the hints of relays and owners: each speaks for itself. */
const redisConnections = 9;

let stack: Stack;
let fleet: Fleet;
let kafkaDoor: TcpProxy;
let load: RoomLoad;
let redis: Redis;
const running = new Map<string, RoleProcess>();

beforeAll(async () => {
  // A broker of this file's own, since it is frozen and killed; MySQL and Redis are the run's.
  stack = await startStack({
    log: () => undefined,
    environment: { ...process.env, ROOMCELL_STACK: 'native' },
    stopOnSignals: false,
  });
  redis = new Redis(stack.redis.url);
  const [host = '', port = ''] = (stack.kafkaBrokers[0] ?? '').split(':');
  const [listenPort = 0] = await ownPorts(1);
  kafkaDoor = await startTcpProxy({ targetHost: host, targetPort: Number(port), listenPort });
  fleet = await Fleet.open('outages', {
    ROOMCELL_KAFKA_BROKERS: `127.0.0.1:${kafkaDoor.port}`,
    // Slow answers of a loaded machine must not look like the outage that a test makes.
    ROOMCELL_CELL_LEASE_BUDGET: '300ms',
    ROOMCELL_OUTBOX_WORKER_INITIAL_BACKOFF: '200ms',
    ROOMCELL_OUTBOX_WORKER_MAX_BACKOFF: '1s',
    ROOMCELL_OUTBOX_WORKER_PUBLISH_TIMEOUT: '1s',
    ROOMCELL_OUTBOX_WORKER_RUN_SIZE: '4',
    ROOMCELL_OUTBOX_WORKER_CLAIM_LOCK: '10s',
  });
}, 180_000);
afterAll(async () => {
  redis.disconnect();
  await fleet.close();
  await kafkaDoor.close();
  await stack.stop();
});

// A test that failed in its outage must not leave it to the next one.
afterEach(async () => {
  stack.kafka?.thaw();
  for (const proxy of [fleet.mysqlProxy, fleet.redisProxy, kafkaDoor]) {
    await proxy.accept();
    proxy.setMode({ kind: 'pass' });
  }
});

function processOf(name: string): RoleProcess {
  const found = running.get(name);
  if (found === undefined) throw new Error(`no process ${name}`);
  return found;
}

/** Waits for /readyz to say no, and to name the cause. */
async function unready(started: RoleProcess, cause: RegExp, limitMs = 20_000): Promise<void> {
  let seen: unknown = null;
  await waitUntil(
    `${started.name} is not ready: ${cause.source}`,
    async () => {
      const answer = await started.readyz();
      seen = answer;
      return answer?.status === 503 && cause.test(answer.body);
    },
    { limitMs, everyMs: 50, seen: () => seen },
  );
}

/** Warnings and errors by text, with how often each was written. */
function complaints(lines: readonly LogLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { level, msg, what, dependency, error } of lines) {
    if (level !== 'warn' && level !== 'error') continue;
    const cause = typeof error === 'object' && error !== null ? Object.values(error)[0] : error;
    const text = [msg, what, dependency, cause].filter((part) => part !== undefined).join(' · ');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

describe('at its start', () => {
  it('a process waits for each absent server, says so once, and then serves (HEALTH-3, HEALTH-4)', async () => {
    await fleet.mysqlProxy.refuse();
    await fleet.redisProxy.refuse();
    await kafkaDoor.refuse();
    const early = await fleet.start('early', roleNames);
    await unready(early, /MySQL/);
    await lasting(3_000);
    await unready(early, /MySQL/);
    await fleet.mysqlProxy.accept();
    await unready(early, /Kafka/);
    await lasting(5_000);
    await unready(early, /Kafka/);
    await kafkaDoor.accept();
    // Redis is still away: a cell serves without it.
    await early.ready();
    const [answer] = await createBurst(fleet, fleet.connect(early), ['early']);
    expect(answer).toMatchObject({ kind: 'answered' });
    await fleet.redisProxy.accept();
    const counts = complaints(early.lines);
    console.log([...counts].map(([text, count]) => `${count} × ${text}`).join('\n'));
    expect([...counts].filter(([, count]) => count > redisConnections)).toEqual([]);
    expect(early.raw).toEqual([]);
    expect((await early.terminate()).code).toBe(0);
  });

  it('a process that waits ends at SIGTERM at once, with 0', async () => {
    await fleet.mysqlProxy.refuse();
    const waiting = await fleet.start('waiting', ['cell']);
    await unready(waiting, /MySQL/);
    const sinceMs = performance.now();
    expect((await waiting.terminate()).code).toBe(0);
    expect(performance.now() - sinceMs).toBeLessThan(10_000);
    await fleet.mysqlProxy.accept();
  });
});

/** Everything that must hold once a server is back. */
async function allIsWell(since: ReadonlyMap<string, number>): Promise<void> {
  for (const started of running.values()) await started.ready();
  await load.more(30);
  for (const [name, started] of running) {
    const counts = complaints(started.lines.slice(since.get(name)));
    console.log([...counts].map(([text, count]) => `${name}: ${count} × ${text}`).join('\n'));
    // Said when it begins, by each connection and part that meets it; never once per try.
    const flood = [...counts].filter(([, count]) => count > linesPerCauseMax);
    expect(flood, name).toEqual([]);
    expect(started.raw).toEqual([]);
  }
  expect(await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_dead_letters')).toBe(0);
}

const lineCounts = (): Map<string, number> =>
  new Map([...running].map(([name, { lines }]) => [name, lines.length]));

describe('while everything runs under load', () => {
  beforeAll(async () => {
    const carrying = ['sandbox', 'adapter-im', 'adapter-activity', 'relay'] as const;
    running.set('gateway-1', await fleet.start('gateway-1', ['gateway']));
    running.set('cell-1', await fleet.start('cell-1', ['cell']));
    running.set('carriers', await fleet.start('carriers', carrying));
    for (const started of running.values()) await started.ready();
    const rooms = Array.from({ length: 6 }, (_, n) => `busy-${n}`);
    load = new RoomLoad(fleet, rooms);
    load.start(fleet.connect(processOf('gateway-1')));
    await load.more(30);
  });

  it.each([
    ['refuses connections for a moment', 'refuse', shortMs],
    ['refuses connections for longer than every time-out', 'refuse', longMs],
    ['is silent for longer than every time-out', 'hold', longMs],
  ] as const)('MySQL %s: cell and relay say so, and go on (HEALTH-4)', async (_what, how, ms) => {
    const since = lineCounts();
    const before = load.count;
    if (how === 'refuse') await fleet.mysqlProxy.refuse();
    else fleet.mysqlProxy.setMode({ kind: 'hold', direction: 'both' });
    const outage = lasting(ms);
    if (ms === longMs) {
      await unready(processOf('cell-1'), /DB_DOWN/);
      await unready(processOf('carriers'), /relay: MySQL/);
    }
    await outage;
    if (how === 'refuse') await fleet.mysqlProxy.accept();
    else fleet.mysqlProxy.setMode({ kind: 'pass' });
    await allIsWell(since);
    expect(load.count).toBeGreaterThan(before);
  });

  it.each([
    ['refuses connections', 'refuse'],
    ['is silent', 'hold'],
  ] as const)(
    'Redis %s: the cell stays ready and commands go on (LEASE-1, ARC-10, A7)',
    async (_what, how) => {
      const since = lineCounts();
      if (how === 'refuse') await fleet.redisProxy.refuse();
      else fleet.redisProxy.setMode({ kind: 'hold', direction: 'both' });
      await load.more(60);
      await lasting(shortMs);
      await load.more(20);
      const cell = processOf('cell-1');
      expect((await cell.readyz())?.status).toBe(200);
      const said = [...complaints(cell.lines.slice(since.get('cell-1'))).keys()].join('\n');
      expect(said).toContain('Redis');
      // What comes back is empty, as after a failover to a replica that never was one.
      const { url, keyPrefix } = fleet.space.redis;
      await deleteKeys(url, keyPrefix);
      if (how === 'refuse') await fleet.redisProxy.accept();
      else fleet.redisProxy.setMode({ kind: 'pass' });
      await allIsWell(since);
      await waitUntil(
        'the leases of all rooms are there again',
        async () => (await redis.keys(`${keyPrefix}demo\0busy-*`)).length === 6,
        { limitMs: 20_000, everyMs: 100 },
      );
    },
  );

  it.each([
    ['is frozen for longer than every time-out', 'freeze'],
    ['is killed and started again', 'kill'],
  ] as const)(
    'Kafka %s: the gateway says so, and all go on',
    async (_what, how) => {
      const since = lineCounts();
      if (how === 'freeze') stack.kafka?.freeze();
      else await stack.kafka?.kill();
      const outage = lasting(longMs);
      await unready(processOf('gateway-1'), /commands topic is out of reach/);
      await outage;
      if (how === 'freeze') stack.kafka?.thaw();
      else await stack.kafka?.start();
      await allIsWell(since);
    },
    180_000,
  );

  it('in the end every answer is in the log once, and every event arrived in order', async () => {
    await load.stop();
    expect(await load.differences()).toEqual([]);
    await allDelivered(fleet, 90_000);
    for (const destination of ['im', 'activity'] as const) {
      const arrived = await arrivedAt(fleet, destination);
      for (const [room, ids] of await committedEvents(fleet, destination)) {
        const events = arrived.get(room) ?? [];
        // The one room of the first process was told to that process's own sandbox.
        if (room === 'early') continue;
        expect(
          events.map(({ event_id }) => event_id),
          `${destination} ${room}`,
        ).toEqual(ids);
        expect(events.filter(({ different }) => different > 0)).toEqual([]);
      }
    }
  });
});
