/**
 * `npm start`: a whole roomcell on this machine. Stack, roles, sample room, comparison with the
 * written list of events; then it serves until a signal, or ends at once with `--once`.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { AppCode, RoomId } from '../src/domain/ids.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import { awaitDelivery } from '../src/main/sample/await-delivery.ts';
import { readExpectedEvents, sampleDestinations } from '../src/main/sample/expected-events.ts';
import { orderFault, readCoins } from '../src/main/sample/sandbox-record.ts';
import { openScene } from '../src/main/sample/scene.ts';
import { StageTimesBook } from '../src/main/sample/stage-times-book.ts';
import { createTeller, eventLines } from '../src/main/sample/story-teller.ts';
import { StoryFault } from '../src/main/sample/stage.ts';
import { playStory } from '../src/main/sample/story.ts';
import { readStartOptions, startHelp, type StartOptions } from './start/start-options.ts';
import { sampleEnv, type SampleEnv } from './start/sample-env.ts';
import { startRoles, untilReady, type StartedRoles } from './start/start-roles.ts';
import { printAddresses } from './start/print-addresses.ts';
import { projectRoot } from '../src/main/project-root.ts';
import { endingSignal } from './stack/ending-signal.ts';
import { startAnyStack } from './stack/start-stack.ts';
import { StackUnavailableError, type AnyStack } from './stack/stack-types.ts';

const appCode = 'demo';
const usageExitCode = 2;
/** Above drain_timeout: the process names what it could not finish before it is ended by force. */
const stopLimitMs = 30_000;
const clock = createSystemClock();
const timers = createSystemTimers();

/** Aborted with the signal's name when somebody wants us to end. */
const ending = endingSignal();

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readStartOptions(args);
  if (options === 'help') return say(startHelp, 0);
  if ('fault' in options) return say(`${options.fault}\n\n${startHelp}`, usageExitCode);
  let stack: AnyStack;
  try {
    stack = await startAnyStack({ stopOnSignals: false, withKafkaUi: true, signal: ending });
  } catch (error) {
    if (!(error instanceof StackUnavailableError)) throw error;
    if (ending.aborted) return signalExitCode();
    return say(error.message, error.exitCode);
  }
  try {
    const code = await runOnStack(stack, options);
    return ending.aborted && code !== 0 ? signalExitCode() : code;
  } finally {
    await stack.stop();
  }
}

async function runOnStack(stack: AnyStack, options: StartOptions): Promise<number> {
  const sample = await sampleEnv(stack, process.env, options.once ? 'free' : 'usual');
  const roomId = `sample-${randomBytes(4).toString('hex')}`;
  const times = new StageTimesBook(roomId, timers);
  const roles = startRoles(sample, options.without, (line) => times.read(line));
  console.log(`roles: process ${roles.child.pid}, log ${roles.logFile}`);
  let hasPassed = false;
  try {
    await untilReady(roles, sample.opsAddress, timers, ending);
    if (options.loseOneEvent) await loseOneEvent(sample);
    hasPassed = await playAndCompare(sample, options, { roomId, times });
    if (!options.once && !ending.aborted) {
      await printAddresses(sample, appCode, clock);
      if (stack.kind === 'embedded') console.log(stack.notice);
      return await serve(roles);
    }
  } catch (error) {
    console.log(`failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  const end = await roles.child.stop(stopLimitMs);
  if (end.code !== 0) console.log(`the roomcell process ended with ${end.signal ?? end.code}`);
  return hasPassed && end.code === 0 ? 0 : 1;
}

/** True when the story went as written and every destination has exactly the written events. */
async function playAndCompare(
  sample: SampleEnv,
  options: StartOptions,
  room: { readonly roomId: string; readonly times: StageTimesBook },
): Promise<boolean> {
  const { roomId, times } = room;
  const { grpcAddress, jwtSecret } = sample;
  console.log(`\nsample room ${roomId} of app ${appCode}`);
  const scene = await openScene({ grpcAddress, jwtSecret, appCode, roomId, clock });
  try {
    const tell = createTeller(console.log, (commandId) => times.of(commandId));
    const controlUrl = `http://${sample.controlAddress}`;
    const coinsOf = (userId: string): Promise<bigint> => readCoins(controlUrl, { appCode, userId });
    await playStory({ scene, timers, coinsOf, tell });
  } catch (error) {
    if (!(error instanceof StoryFault)) throw error;
    console.log(`the story went wrong: ${error.message}`);
    return false;
  } finally {
    scene.close();
  }
  const file = join(projectRoot(), 'config', 'sample-room.expected.json');
  const expected = readExpectedEvents(file, appCode as AppCode, roomId as RoomId);
  const controlUrl = `http://${sample.controlAddress}`;
  const limits = { limitMs: options.waitMs, clock, timers, signal: ending };
  const left = await awaitDelivery(expected, { controlUrl, appCode, roomId, ...limits });
  const isEqual = sampleDestinations.every((destination) => left[destination].length === 0);
  if (isEqual) {
    console.log('\nevents, and where each arrived exactly as written:');
    for (const line of eventLines(expected)) console.log(line);
  }
  for (const destination of sampleDestinations) {
    for (const line of left[destination]) console.log(`${destination}: ${line}`);
  }
  return isEqual;
}

/** 10004 is an answer that no retry can change: the adapter marks the row failed. */
function loseOneEvent({ controlAddress }: SampleEnv): Promise<void> {
  const fault = { destination: 'im', kind: 'error_code', code: 10004, command: 'send_group_msg' };
  return orderFault(`http://${controlAddress}`, { ...fault, times: 1 });
}

/** Serves until a signal, or until the process ends by itself. */
async function serve({ child }: StartedRoles): Promise<number> {
  const signalled = new Promise<'signal'>((resolve) => {
    ending.addEventListener('abort', () => resolve('signal'));
  });
  const first = await Promise.race([signalled, child.ended]);
  if (first !== 'signal') {
    return say(`the roomcell process ended by itself with ${first.signal ?? first.code}`, 1);
  }
  console.log('\nstopping');
  const end = await child.stop(stopLimitMs);
  return end.code === 0 ? 0 : say(`the roomcell process ended with ${end.signal ?? end.code}`, 1);
}

function signalExitCode(): number {
  return 128 + constants.signals[ending.reason as 'SIGINT' | 'SIGTERM'];
}

function say(text: string, exitCode: number): number {
  console.log(text);
  return exitCode;
}
