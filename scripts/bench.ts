/**
 * `npm run bench`: the whole service, a bare pipeline and the bare rows, measured in one run on one
 * machine. Prints one table with the ratios and writes `bench/out/latest.json`.
 *
 *   npm run bench -- [--seconds <per level>] [--callers 1,16,64] [--no-profile]
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import { measureBareRows, type BareRows } from '../bench/bare-rows.ts';
import { startBarePipeline } from '../bench/bare-pipeline.ts';
import {
  profilesOf,
  serviceProcesses,
  startBenchRoles,
  stopBenchRoles,
} from '../bench/bench-roles.ts';
import { benchServers } from '../bench/bench-servers.ts';
import type { Figures } from '../bench/figures.ts';
import type { ProfileRow } from '../bench/profile.ts';
import { profileTables, tableOf, writeResult } from '../bench/report.ts';
import { sampleRows } from '../bench/row-sample.ts';
import { RoomCallers } from '../bench/room-callers.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import { sampleEnv, type SampleEnv } from './start/sample-env.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { onStack } from './stack/on-stack.ts';
import type { Stack } from './stack/stack-types.ts';

const clock = createSystemClock();
const timers = createSystemTimers();
const ending = endingSignal();

const sampledCommands = 2_000;
const profileRows = 10;
const warmUpShare = 0.3;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    callers: { type: 'string', default: '1,16,64,256,1024' },
    'no-profile': { type: 'boolean', default: false },
  },
});
const measureMs = Number(values.seconds) * 1_000;
const times = { measureMs, warmUpMs: measureMs * warmUpShare };
const levels = values.callers.split(',').map(Number);
if (!(measureMs > 0) || levels.some((level) => !Number.isInteger(level) || level < 1)) {
  console.log('--seconds and --callers take positive numbers');
  process.exit(2);
}
process.exitCode = await onStack(ending, benchOn);

async function benchOn(stack: Stack): Promise<number> {
  const sample = await sampleEnv(stack, process.env, 'free');
  const service = await measureService(sample, !values['no-profile']);
  const servers = benchServers(sample.env);
  const pipeline = await measurePipeline(sample);
  const connection = await mysql.createConnection(servers.mysqlOptions);
  const rows = await sampleRows(connection, sampledCommands);
  await connection.end();
  const bareRows: BareRows[] = [];
  for (const connections of [1, 4]) {
    bareRows.push(await measureBareRows(servers.mysqlOptions, rows, connections, measureMs / 2));
  }
  const result = {
    at: new Date(clock.wallMs()).toISOString(),
    node: process.version,
    cpus: cpus().length,
    stack: stack.description,
    levels: service.figures.map((figures, at) => ({
      service: figures,
      pipeline: pipeline[at] ?? figures,
    })),
    bareRows,
    profiles: service.profiles,
  };
  const file = writeResult('latest.json', result);
  console.log(`\n${tableOf(result)}\n\n${profileTables(result)}\n\nwritten: ${file}`);
  const failures = service.figures.reduce((sum, each) => sum + each.failures, 0);
  if (failures > 0) console.log(`${failures} calls ended otherwise than expected`);
  return failures === 0 ? 0 : 1;
}

interface ServiceResult {
  readonly figures: readonly Figures[];
  readonly profiles: Readonly<Record<string, readonly ProfileRow[]>>;
}

async function measureService(sample: SampleEnv, withProfiles: boolean): Promise<ServiceResult> {
  const options = { withProfiles, signal: ending };
  const roles = await startBenchRoles(serviceProcesses, sample, timers, options);
  const { grpcAddress, jwtSecret } = sample;
  const load = new RoomCallers({ grpcAddress, jwtSecret, clock, timers });
  const figures: Figures[] = [];
  try {
    await load.createRooms();
    for (const callers of levels) {
      const measured = await load.measure(callers, times);
      console.log(`service, ${callers} callers: ${measured.perSecond}/s, p50 ${measured.p50Ms} ms`);
      figures.push(measured);
    }
  } finally {
    load.close();
    await stopBenchRoles(roles);
  }
  return { figures, profiles: profilesOf(roles, profileRows) };
}

async function measurePipeline(sample: SampleEnv): Promise<readonly Figures[]> {
  const env = sample.env as NodeJS.ProcessEnv;
  const { kafka, deps } = benchServers(env);
  const pipeline = await startBarePipeline(kafka, deps, { ...process.env, ...env });
  const figures: Figures[] = [];
  try {
    for (const callers of levels) {
      const measured = await pipeline.measure(callers, times);
      console.log(`bare pipeline, ${callers} callers: ${measured.perSecond}/s`);
      figures.push(measured);
    }
  } finally {
    await pipeline.stop();
  }
  return figures;
}
