/**
 * MySQL, Redis or Kafka is not there yet. Processes wait and say why, once, and serve when it comes,
 * without a restart.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roleNames } from '../../src/main/role.ts';
import type { Stack } from '../../scripts/stack/stack-types.ts';
import { startStack } from '../../scripts/stack/start-stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { Fleet } from './support/fleet.ts';
import type { LogLine, RoleProcess } from './support/role-process.ts';
import { createBurst } from './support/room-load.ts';

/** Leases, and the relay's hints both ways: each connection of a process speaks for itself. */
const redisConnections = 3;

let stack: Stack;
let fleet: Fleet;
let kafkaDoor: TcpProxy;

beforeAll(async () => {
  // A broker of this file's own, since it is frozen and killed; MySQL and Redis are the run's.
  stack = await startStack({
    log: () => undefined,
    environment: { ...process.env, ROOMCELL_STACK: 'native' },
    stopOnSignals: false,
  });
  const [host = '', port = ''] = (stack.kafkaBrokers[0] ?? '').split(':');
  kafkaDoor = await startTcpProxy({ targetHost: host, targetPort: Number(port) });
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

/** The outage lasts; what happens meanwhile is the test's other half. */
async function lasting(ms: number): Promise<void> {
  const untilMs = performance.now() + ms;
  await waitUntil(`an outage of ${ms} ms`, () => Promise.resolve(performance.now() >= untilMs), {
    limitMs: ms + 5_000,
    everyMs: 50,
  });
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
  it('a process waits for each absent server, says so once, and then serves', async () => {
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
