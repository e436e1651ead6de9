/**
 * Measures heartbeats at one gateway and one cell: the same crowd and the same few room commands
 * under each way of gathering, then heartbeats as fast as they go, then the bare transport.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { freePort } from '../../scripts/stack/machine.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { closedLoop, type LoopTimes } from '../closed-loop.ts';
import { pacedLoop } from '../paced-loop.ts';
import { readUsage, type RoleUsage } from '../role-usage.ts';
import type { BeatLimit, BeatLoad } from './beat-figures.ts';
import type { BeatGateway } from './beat-roles.ts';
import type { Crowd } from './crowd.ts';
import type { FoldReader } from './fold-log.ts';

/** What is measured with. */
export interface BeatBench {
  readonly crowd: Crowd;
  readonly cellOpsAddress: string;
  readonly reader: FoldReader;
  readonly database: Connection;
  readonly timers: Timers;
  readonly times: LoopTimes;
  readonly beatsPerSecond: number;
}

/** Room commands a second beside every load: visits to the crowd's rooms. */
export const commandsPerSecond = 20;
/** Callers that ask as fast as they are answered; as many as wait at the share's pace, and more. */
const limitCallers = 4_000;

/** One load; `withBeats` false: the room commands alone. */
export async function measureLoad(
  bench: BeatBench,
  gateway: BeatGateway,
  visit: () => Promise<boolean>,
  withBeats: boolean,
): Promise<BeatLoad> {
  const { crowd, times, timers, reader, beatsPerSecond } = bench;
  const pace = { ...times, perSecond: commandsPerSecond };
  const commands = pacedLoop(visit, pace, timers);
  const beats = withBeats
    ? pacedLoop((turn) => crowd.beat(turn), { ...times, perSecond: beatsPerSecond }, timers)
    : null;
  await timers.sleep(times.warmUpMs);
  const before = await look(bench, gateway);
  await timers.sleep(times.measureMs);
  const after = await look(bench, gateway);
  const [commandFigures, beatFigures] = await Promise.all([commands, beats]);
  const told = crowd.calls.told();
  if (told !== '') console.log(`    ${told}`);
  return {
    fold: withBeats ? gateway.fold : '',
    beats: beatFigures,
    commands: commandFigures,
    seconds: (after.atMs - before.atMs) / 1_000,
    gatewayCpuSeconds: after.gateway.cpuSeconds - before.gateway.cpuSeconds,
    cellCpuSeconds: after.cell.cpuSeconds - before.cell.cpuSeconds,
    machineBusy: (after.busyMs - before.busyMs) / (after.cpuMs - before.cpuMs),
    folds: await reader.between(before.place, after.place),
    statements: after.statements - before.statements,
  };
}

/** Heartbeats as fast as they are answered. */
export async function measureLimit(
  crowd: Crowd,
  what: string,
  times: LoopTimes,
): Promise<BeatLimit> {
  let turn = 0;
  const ask = (): Promise<boolean> => crowd.beat((turn += 1));
  const figures = await closedLoop(
    Array.from({ length: limitCallers }, () => ask),
    times,
  );
  const told = crowd.calls.told();
  if (told !== '') console.log(`    ${told}`);
  return { what, figures };
}

/** The same from a process that answers at once. */
export async function measureBareAnswers(
  crowd: Crowd,
  env: NodeJS.ProcessEnv,
  times: LoopTimes,
): Promise<BeatLimit> {
  const port = await freePort();
  const program = fileURLToPath(new URL('./bare-answers.js', import.meta.url));
  const child = spawn(process.execPath, [program, String(port)], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface({ input: child.stdout }), 'line');
    crowd.calls.connect(`127.0.0.1:${port}`);
    return await measureLimit(crowd, 'bare gRPC: answered at once', times);
  } finally {
    crowd.calls.close();
    child.stdin.end();
    await once(child, 'close');
  }
}

/** What lives in a process's memory: the least of several looks, since garbage comes and goes. */
export async function livingBytes(opsAddress: string, timers: Timers): Promise<number> {
  let least = Infinity;
  for (let at = 0; at < livingLooks; at += 1) {
    least = Math.min(least, (await readUsage(opsAddress)).oldSpaceBytes);
    await timers.sleep(livingLookEveryMs);
  }
  return least;
}

const livingLooks = 10;
const livingLookEveryMs = 500;

interface Look {
  readonly atMs: number;
  readonly gateway: RoleUsage;
  readonly cell: RoleUsage;
  readonly place: Awaited<ReturnType<FoldReader['end']>>;
  readonly statements: number;
  readonly busyMs: number;
  readonly cpuMs: number;
}

async function look(bench: BeatBench, gateway: BeatGateway): Promise<Look> {
  const [gatewayUsage, cell, place, [rows]] = await Promise.all([
    readUsage(gateway.opsAddress),
    readUsage(bench.cellOpsAddress),
    bench.reader.end(),
    bench.database.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'"),
  ]);
  const times = cpus().map(({ times: each }) => each);
  const cpuMs = times.reduce(
    (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
    0,
  );
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  return {
    atMs: performance.now(),
    gateway: gatewayUsage,
    cell,
    place,
    statements: Number(rows[0]?.['Value'] ?? 0),
    busyMs: cpuMs - idleMs,
    cpuMs,
  };
}
