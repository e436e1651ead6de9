/**
 * `npm run bench:heartbeats`: rooms full of people who each say twice a minute that they are there,
 * at one gateway and one cell, beside a few room commands. Three ways of gathering in one run: as
 * configured, as many folds as eight gateways make for a cell, and each heartbeat alone. Then as fast
 * as they go, and the bare transport. Prints tables, writes `bench/out/heartbeats.json`.
 *
 *   npm run bench:heartbeats -- [--rooms 12] [--users <per room>] [--every <seconds>]
 *                               [--seconds <per load>] [--profile]
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import mysql from 'mysql2/promise';
import { profilesOf, stopBenchRoles } from '../bench/bench-roles.ts';
import { benchServers } from '../bench/bench-servers.ts';
import {
  livingBytes,
  measureBareAnswers,
  measureLimit,
  measureLoad,
  type BeatBench,
} from '../bench/heartbeats/beat-bench.ts';
import { beatFailures, beatTables } from '../bench/heartbeats/beat-figures.ts';
import type { BeatLimit, BeatLoad, BeatResult } from '../bench/heartbeats/beat-figures.ts';
import { startBeatRoles, type BeatGateway } from '../bench/heartbeats/beat-roles.ts';
import { CrowdCalls } from '../bench/heartbeats/crowd-calls.ts';
import { Crowd } from '../bench/heartbeats/crowd.ts';
import { FoldReader } from '../bench/heartbeats/fold-log.ts';
import { visitorsOf } from '../bench/heartbeats/visitors.ts';
import { profileTables, writeResult } from '../bench/report.ts';
import { readUsage } from '../bench/role-usage.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import { topicNames } from '../src/protocol/topics.ts';
import { sampleEnv, type SampleEnv } from './start/sample-env.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { onStack } from './stack/on-stack.ts';
import type { Stack } from './stack/stack-types.ts';

const clock = createSystemClock();
const timers = createSystemTimers();
const ending = endingSignal();

const warmUpShare = 0.3;
const profileRows = 25;
/** Of the development configuration. */
const partitionCount = 16;
const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '12' },
    users: { type: 'string', default: '10000' },
    every: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '20' },
    profile: { type: 'boolean', default: false },
  },
});
const [rooms, usersPerRoom, everyS, seconds] = [
  values.rooms,
  values.users,
  values.every,
  values.seconds,
].map(Number) as [number, number, number, number];
if (![rooms, usersPerRoom, everyS, seconds].every((value) => value > 0)) {
  console.log('--rooms, --users, --every and --seconds take positive numbers');
  process.exit(2);
}
const times = { measureMs: seconds * 1_000, warmUpMs: seconds * 1_000 * warmUpShare };
process.exitCode = await onStack(ending, benchOn);

async function benchOn(stack: Stack): Promise<number> {
  const sample = await sampleEnv(stack, process.env, 'free');
  const { kafka, deps, mysqlOptions } = benchServers(sample.env);
  const options = { withProfiles: values.profile, signal: ending };
  const { all, cellOpsAddress, gateways } = await startBeatRoles(sample, timers, options);
  const { commands } = topicNames(sample.env['ROOMCELL_KAFKA_TOPIC_PREFIX'] ?? 'room');
  const reader = new FoldReader(kafka, deps, commands, partitionCount);
  const database = await mysql.createConnection(mysqlOptions);
  const calls = new CrowdCalls({ jwtSecret: sample.jwtSecret, clock, timers });
  const crowd = new Crowd({ rooms, usersPerRoom }, calls);
  const beatsPerSecond = (rooms * usersPerRoom) / everyS;
  const bench = { crowd, reader, database, timers, times, beatsPerSecond, cellOpsAddress };
  let measured: Measured;
  try {
    await reader.start();
    measured = await measureAll(bench, gateways, sample);
  } finally {
    calls.close();
    await Promise.all([reader.stop(), database.end(), stopBenchRoles(all)]);
  }
  return report({ ...measured, stack: stack.description }, profilesOf(all, profileRows));
}

type Measured = Omit<BeatResult, 'at' | 'node' | 'cpus' | 'stack'>;

async function measureAll(
  bench: BeatBench,
  gateways: readonly BeatGateway[],
  sample: SampleEnv,
): Promise<Measured> {
  const { crowd, cellOpsAddress } = bench;
  const [usual] = gateways;
  if (usual === undefined) throw new Error('there is no gateway');
  crowd.calls.connect(usual.grpcAddress);
  const emptyBytes = await livingBytes(cellOpsAddress, timers);
  const joinsPerSecond = await crowd.fill();
  console.log(`${crowd.count} users joined at ${joinsPerSecond}/s`);
  const visit = await visitorsOf(crowd);
  const loads: BeatLoad[] = [];
  const load = async (gateway: BeatGateway, withBeats: boolean): Promise<void> => {
    ending.throwIfAborted();
    crowd.calls.connect(gateway.grpcAddress);
    const one = await measureLoad(bench, gateway, visit, withBeats);
    loads.push(one);
    const { fold, beats } = one;
    console.log(`fold '${fold}': ${beats?.perSecond ?? 0}/s, p99 ${beats?.p99Ms ?? 0} ms`);
  };
  await load(usual, false);
  for (const gateway of gateways) await load(gateway, true);
  const fullBytes = await livingBytes(cellOpsAddress, timers);
  const limits: BeatLimit[] = [];
  for (const { fold, grpcAddress } of gateways) {
    ending.throwIfAborted();
    crowd.calls.connect(grpcAddress);
    limits.push(await measureLimit(crowd, `fold ${fold}`, times));
  }
  const { residentBytes } = await readUsage(cellOpsAddress);
  limits.push(await measureBareAnswers(crowd, { ...process.env, ...sample.env }, times));
  return {
    rooms,
    users: crowd.count,
    joinsPerSecond,
    cellBytesPerUser: Math.round((fullBytes - emptyBytes) / crowd.count),
    cellResidentBytes: residentBytes,
    loads,
    limits,
  };
}

function report(
  measured: Measured & { readonly stack: string },
  profiles: ReturnType<typeof profilesOf>,
): number {
  const at = new Date(clock.wallMs()).toISOString();
  const result = { at, node: process.version, cpus: cpus().length, ...measured, profiles };
  const file = writeResult('heartbeats.json', result);
  console.log(`\n${beatTables(result)}\n\n${profileTables(result)}\n\nwritten: ${file}`);
  const failures = beatFailures(result);
  if (failures > 0) console.log(`${failures} calls ended otherwise than expected`);
  return failures === 0 ? 0 : 1;
}
