/**
 * Chooses and starts the stack of one run: given by configuration, else native (see
 * native-stack.ts). Docker Compose will stand between the two; it isn't offered yet.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/main/project-root.ts';
import { startGivenStack } from './given-stack.ts';
import { startNativeStack } from './native-stack.ts';
import { StackUnavailableError, type Stack, type StackOptions } from './stack-types.ts';

const DOCKER_TIMEOUT_MS = 5_000;

/**
 * Promises a stack that answers, with an empty database and an empty key space of its own, and
 * prints which one in one line. Rejects with StackUnavailableError when there is none to be had.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const log = options.log ?? console.log;
  const environment = options.environment ?? process.env;
  const choice = environment['ROOMCELL_STACK'] ?? '';
  if (!['', 'given', 'native'].includes(choice)) {
    throw new StackUnavailableError(`ROOMCELL_STACK is '${choice}'; it may be given or native.`);
  }
  let stack: Stack;
  if (choice === 'given') {
    stack = await startGivenStack(environment);
  } else {
    if (choice === '' && (await composeWouldWork())) {
      log('stack: Docker Compose is not offered yet, going native');
    }
    stack = await startNativeStack(options, environment, log);
  }
  log(stack.description);
  return options.stopOnSignals === false ? stack : stoppedBySignals(stack);
}

async function composeWouldWork(): Promise<boolean> {
  if (!existsSync(join(projectRoot(), 'docker-compose.yml'))) return false;
  try {
    await promisify(execFile)('docker', ['compose', 'version'], { timeout: DOCKER_TIMEOUT_MS });
    await promisify(execFile)('docker', ['info'], { timeout: DOCKER_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

function stoppedBySignals(stack: Stack): Stack {
  const onSignal = (signal: NodeJS.Signals): void => {
    const exit = (): never => process.exit(128 + constants.signals[signal]);
    void stack.stop().then(exit, exit);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  return {
    ...stack,
    stop: async () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      await stack.stop();
    },
  };
}
