/**
 * `npm run bench:hot-room`: what a room at ten times its cap costs the other rooms. Measures callers
 * over 200 rooms alone, then beside the hot room, then alone again, on one machine.
 *
 *   npm run bench:hot-room -- [--seconds <per part>] [--callers 16] [--times 10]
 */
import { parseArgs } from 'node:util';
import { serviceProcesses, startBenchRoles, stopBenchRoles } from '../bench/bench-roles.ts';
import type { Figures } from '../bench/figures.ts';
import { pressRoom } from '../bench/hot-room.ts';
import { RoomCallers } from '../bench/room-callers.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import { sampleEnv } from './start/sample-env.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { onStack } from './stack/on-stack.ts';
import type { Stack } from './stack/stack-types.ts';

const clock = createSystemClock();
const timers = createSystemTimers();
const ending = endingSignal();

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    callers: { type: 'string', default: '16' },
    times: { type: 'string', default: '10' },
  },
});
const measureMs = Number(values.seconds) * 1_000;
const loop = { measureMs, warmUpMs: measureMs * 0.3 };
const callers = Number(values.callers);
/** Calls of one room in flight at a gateway (`gateway.room_window`), which the roles run with. */
const roomWindow = 64;
process.exitCode = await onStack(ending, benchOn);

async function benchOn(stack: Stack): Promise<number> {
  const sample = await sampleEnv(stack, process.env, 'free');
  const roles = await startBenchRoles(serviceProcesses, sample, timers, {
    withProfiles: false,
    signal: ending,
  });
  const { grpcAddress, jwtSecret } = sample;
  const target = { grpcAddress, jwtSecret, clock, timers };
  const load = new RoomCallers(target);
  try {
    await load.createRooms();
    const alone = told('alone', await load.measure(callers, loop));
    const pressed = await pressRoom(target, roomWindow * Number(values.times));
    const beside = told('beside the hot room', await load.measure(callers, loop));
    const { answered, busy, others } = await pressed.stop();
    console.log(`hot room: ${answered} answered, ${busy} busy, others ${JSON.stringify(others)}`);
    told('alone again', await load.measure(callers, loop));
    console.log(`p99 beside / alone: ${(beside.p99Ms / alone.p99Ms).toFixed(2)}`);
    return 0;
  } finally {
    load.close();
    await stopBenchRoles(roles);
  }
}

function told(what: string, figures: Figures): Figures {
  const { perSecond, p50Ms, p99Ms, failures } = figures;
  console.log(`${what}: ${perSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${failures} failed`);
  return figures;
}
