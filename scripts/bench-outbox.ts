/**
 * `npm run bench:outbox`: how long an event takes from its commit to the adapter that sends it, at a
 * steady pace; how many a second go through claim, topic, start and finish when there are plenty, and
 * what the same statements bring without all the rest; the same again in a table that keeps a million
 * delivered rows; how soon everything has arrived after an outage of the destination. Prints a table,
 * writes `bench/out/outbox.json`.
 *
 *   npm run bench:outbox -- [--seconds <per pace>] [--rows 20000] [--outage <seconds>] [--history 1000000]
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import { benchServers } from '../bench/bench-servers.ts';
import { bareStatements } from '../bench/outbox/bare-statements.ts';
import { longestBackoffMs, OutboxRig, type OutboxArrival } from '../bench/outbox/outbox-rig.ts';
import { writeResult } from '../bench/report.ts';
import { ratio, row } from '../bench/table-cells.ts';
import { migrate } from '../src/drivers/mysql/migrate.ts';
import { createMysqlDrivers } from '../src/drivers/mysql/mysql-drivers.ts';
import { projectRoot } from '../src/main/project-root.ts';
import { sampleEnv } from './start/sample-env.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { onStack } from './stack/on-stack.ts';
import type { Stack } from './stack/stack-types.ts';

const ending = endingSignal();

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rows: { type: 'string', default: '20000' },
    outage: { type: 'string', default: '10' },
    history: { type: 'string', default: '1000000' },
  },
});
const numbers = [values.seconds, values.rows, values.outage, values.history].map(Number);
const [seconds, rows, outage, history] = numbers as [number, number, number, number];
const paces = [100, 1_000];
/** One transaction holds what comes within so long, as a cell's batch does. */
const gatherMs = 10;
const patienceMs = 120_000;
process.exitCode = await onStack(ending, benchOn);

async function benchOn(stack: Stack): Promise<number> {
  const sample = await sampleEnv(stack, process.env, 'free');
  const servers = benchServers(sample.env);
  const { host = '', port = 3306, user = '', password = '', database = '' } = servers.mysqlOptions;
  const server = { host, port, user, password: password ?? '', database, tls: null };
  await migrate(server, `${projectRoot()}/migrations`);
  const drivers = createMysqlDrivers({ server, commandsTopic: 'b.c', repliesTopic: 'b.r' });
  const sql = mysql.createPool({ ...servers.mysqlOptions, connectionLimit: 8 });
  const rig = new OutboxRig(servers, drivers, sql);
  const { clock, timers } = servers.deps;
  const arrived = async (count: number): Promise<number> => {
    const startedMs = clock.monoMs();
    while (rig.arrivals.length < count) {
      if (clock.monoMs() - startedMs > patienceMs) throw new Error('events did not arrive');
      await timers.sleep(5);
    }
    return clock.monoMs() - startedMs;
  };
  try {
    await rig.prepare();
    const barePerSecond = await bareStatements(sql, rig, rows);
    await rig.start();
    // A relay that has just started is slower for some seconds, and no figure for one that runs for weeks.
    await through(rig, arrived);
    const young = await measured(rig, arrived, timers);
    await rig.keep(history);
    const old = await measured(rig, arrived, timers);
    const from = rig.arrivals.length;
    rig.isOut = true;
    const count = await paced(rig, 100, timers, outage);
    rig.isOut = false;
    const recoveredMs = await arrived(from + count);
    const isOrdered = inOrder(rig.arrivals);
    const machine = { node: process.version, cpus: cpus().length, stack: stack.description };
    const recovery = { outageSeconds: outage, events: count, recoveredMs, longestBackoffMs };
    const result = {
      ...{ at: new Date().toISOString(), ...machine, rows, barePerSecond, young },
      ...{ history, old, recovery, isOrdered },
    };
    tell(result);
    console.log(`written: ${writeResult('outbox.json', result)}`);
    return isOrdered && recoveredMs <= 1.5 * longestBackoffMs ? 0 : 1;
  } finally {
    await rig.stop();
    await Promise.all([drivers.close(), sql.end()]);
  }
}

type Arrived = (count: number) => Promise<number>;

/** Plenty at once, then each pace. */
async function measured(
  rig: OutboxRig,
  arrived: Arrived,
  timers: { sleep(delayMs: number): Promise<void> },
): Promise<Measured> {
  const perSecond = await through(rig, arrived);
  const latencies = [];
  for (const pace of paces) {
    const from = rig.arrivals.length;
    const count = await paced(rig, pace, timers);
    await arrived(from + count);
    latencies.push({ pace, ...percentiles(rig.arrivals.slice(from)) });
  }
  return { perSecond, latencies };
}

/** Stores plenty at once; answers how many a second arrived once all were stored. */
async function through(rig: OutboxRig, arrived: Arrived): Promise<number> {
  const begin = rig.arrivals.length;
  for (let at = 0; at < rows; at += 1_000) await rig.store(Math.min(1_000, rows - at));
  const before = rig.arrivals.length;
  const tookMs = await arrived(begin + rows);
  return (begin + rows - before) / (tookMs / 1_000);
}

interface Measured {
  readonly perSecond: number;
  readonly latencies: readonly {
    readonly pace: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
}

/** Stores events at this pace; answers how many. */
async function paced(
  rig: OutboxRig,
  perSecond: number,
  timers: { sleep(delayMs: number): Promise<void> },
  forSeconds = seconds,
): Promise<number> {
  const startedMs = performance.now();
  let stored = 0;
  while (performance.now() - startedMs < forSeconds * 1_000) {
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1_000) - stored;
    if (due > 0) await rig.store(due);
    stored += Math.max(due, 0);
    await timers.sleep(gatherMs);
  }
  return stored;
}

function percentiles(arrivals: readonly OutboxArrival[]): {
  readonly p50Ms: number;
  readonly p95Ms: number;
} {
  const sorted = arrivals.map(({ afterMs }) => afterMs).sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

/** First arrivals of each room in the order of their versions, none left out. */
function inOrder(arrivals: readonly OutboxArrival[]): boolean {
  const last = new Map<string, bigint>();
  for (const { roomId, version } of arrivals) {
    const before = last.get(roomId);
    if (before !== undefined && version > before + 1n) return false;
    if (before === undefined || version > before) last.set(roomId, version);
  }
  return true;
}

function tell(result: {
  readonly barePerSecond: number;
  readonly young: Measured;
  readonly history: number;
  readonly old: Measured;
  readonly recovery: { readonly outageSeconds: number; readonly recoveredMs: number };
  readonly isOrdered: boolean;
}): void {
  const { barePerSecond, young, history, old, recovery, isOrdered } = result;
  const kept = `with ${history} rows kept`;
  const lines = [
    `| Commit to adapter, events /s | p50 ms | p95 ms | p50 ms ${kept} | p95 ms | p50, times |`,
    '|--:|--:|--:|--:|--:|--:|',
    ...young.latencies.map(({ pace, p50Ms, p95Ms }, at) => {
      const later = old.latencies[at] ?? { p50Ms: Number.NaN, p95Ms: Number.NaN };
      const shown = [p50Ms, p95Ms, later.p50Ms, later.p95Ms].map((ms) => ms.toFixed(1));
      return row(pace, ...shown, ratio(later.p50Ms, p50Ms));
    }),
    '',
    `| Sustained events /s | bare statements, rows /s | share | events /s ${kept} | times |`,
    '|--:|--:|--:|--:|--:|',
    row(
      ...[Math.round(young.perSecond), Math.round(barePerSecond)],
      ratio(young.perSecond, barePerSecond),
      ...[Math.round(old.perSecond), ratio(old.perSecond, young.perSecond)],
    ),
    '',
    `after ${recovery.outageSeconds} s without an answer everything had arrived in ` +
      `${Math.round(recovery.recoveredMs)} ms (at most ${1.5 * longestBackoffMs}), ` +
      `${isOrdered ? 'in order' : 'NOT IN ORDER'}`,
  ];
  console.log(lines.join('\n'));
}
