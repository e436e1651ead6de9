/**
 * `npm run bench:failover`: how long rooms are without an owner that answers. Real processes, three cells
 * and a gateway, on servers started for the run; in each round an owner is killed, killed and started
 * again, frozen in the midst of a transaction, or stopped in good order, and one of three leaves and
 * joins. Prints tables, writes `bench/out/failover-latest.json` and adds a line to
 * `bench/out/failover-history.jsonl`.
 *
 *   npm run bench:failover -- [--rounds <of each> 10] [--session-timeout <ms> 6000]
 *
 * Exit code 1: a late write was not refused, or a call failed again at its retry.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  failoverFaults,
  failoverTables,
  gapOf,
  sumOf,
  type FailoverResult,
} from '../bench/failover/failover-figures.ts';
import {
  freezeOwner,
  killOwner,
  leaveAndJoin,
  stopOwner,
  type SeenFreeze,
  type SeenStop,
} from '../bench/failover/scenes.ts';
import { partitionCount, ThreeCells } from '../bench/failover/three-cells.ts';
import { keepResult } from '../bench/report.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { onStack } from './stack/on-stack.ts';
import type { Stack } from './stack/stack-types.ts';

const clock = createSystemClock();
const timers = createSystemTimers();
const ending = endingSignal();

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    'session-timeout': { type: 'string', default: '6000' },
  },
});
const [rounds = 0, sessionTimeoutMs = 0] = [values.rounds, values['session-timeout']].map(Number);
if (![rounds, sessionTimeoutMs].every((value) => Number.isSafeInteger(value) && value > 0)) {
  console.log('--rounds and --session-timeout take whole positive numbers');
  process.exit(2);
}
process.exitCode = await onStack(ending, benchOn);

async function benchOn(stack: Stack): Promise<number> {
  const cells = await ThreeCells.open(stack.env, sessionTimeoutMs, timers);
  let result: FailoverResult;
  try {
    result = await measureAll(cells, stack.description);
  } finally {
    await cells.close();
  }
  const files = keepResult('failover', result);
  console.log(`\n${failoverTables(result)}\n\nwritten: ${files.join(', ')}`);
  const faults = failoverFaults(result);
  for (const fault of faults) console.log(fault);
  return faults.length === 0 ? 0 : 1;
}

async function measureAll(cells: ThreeCells, stack: string): Promise<FailoverResult> {
  const moves = await each('one of three leaves and joins', () => leaveAndJoin(cells));
  const stopped = await each('an owner is stopped', () => stopOwner(cells));
  const killed = await each('an owner is killed', () => killOwner(cells, { startAtOnce: false }));
  const restarted = await each('an owner is killed and started at once', () =>
    killOwner(cells, { startAtOnce: true }),
  );
  const frozen = await each('an owner is frozen', () => freezeOwner(cells));
  return {
    at: new Date(clock.wallMs()).toISOString(),
    ...{ node: process.version, cpus: cpus().length, stack },
    ...{ sessionTimeoutMs, partitions: partitionCount },
    killed: gapOf(rounds, killed.flat()),
    restarted: gapOf(rounds, restarted.flat()),
    stopped: stoppedOf(stopped.flat()),
    frozen: frozenOf(frozen),
    leaves: sumOf(moves.map(({ leaves }) => leaves)),
    joins: sumOf(moves.map(({ joins }) => joins)),
  };
}

async function each<Seen>(what: string, scene: () => Promise<Seen>): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    ending.throwIfAborted();
    seen.push(await scene());
    console.log(`${what}: round ${round} of ${rounds}: ${JSON.stringify(seen.at(-1))}`);
  }
  return seen;
}

function stoppedOf(seen: readonly SeenStop[]): FailoverResult['stopped'] {
  const sum = (count: (one: SeenStop) => number): number =>
    seen.reduce((all, one) => all + count(one), 0);
  return {
    ...gapOf(
      rounds,
      seen.map(({ longestMs }) => longestMs),
    ),
    calls: sum(({ calls }) => calls),
    retried: sum(({ retried }) => retried),
    failed: sum(({ failed }) => failed),
  };
}

function frozenOf(seen: readonly SeenFreeze[]): FailoverResult['frozen'] {
  const waited = seen.flatMap(({ waitedMs }) => waitedMs);
  return { ...gapOf(rounds, waited), refused: seen.filter(({ isRefused }) => isRefused).length };
}
