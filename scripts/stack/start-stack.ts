/**
 * Chooses and starts the stack of one run, by the order of stack-choice.ts.
 */
import { constants } from 'node:os';
import { startByCommandLine, startByTestcontainers } from './compose-project.ts';
import { startComposeStack } from './compose-stack.ts';
import { probeEngine } from './docker.ts';
import { startEmbeddedStack } from './embedded-stack.ts';
import { startGivenStack } from './given-stack.ts';
import { startNativeStack } from './native-stack.ts';
import { chooseStack, needsEngineProbe } from './stack-choice.ts';
import type { StackChoice, StackKind } from './stack-choice.ts';
import { StackUnavailableError, type AnyStack } from './stack-types.ts';
import type { EmbeddedStack, Stack, StackOptions } from './stack-types.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Log = (line: string) => void;
type ChosenKinds = Extract<StackChoice, { readonly kinds: unknown }>;
type StartKind<Kind> = (
  options: StackOptions,
  environment: Environment,
  log: Log,
) => Promise<Kind extends 'embedded' ? EmbeddedStack : Stack>;

const starters: { readonly [Kind in StackKind]: StartKind<Kind> } = {
  given: (_, environment) => startGivenStack(environment),
  compose: (options, environment, log) =>
    startComposeStack(
      options,
      environment,
      log,
      options.containers === 'testcontainers' ? startByTestcontainers : startByCommandLine,
    ),
  native: startNativeStack,
  embedded: () => Promise.resolve(startEmbeddedStack()),
};

/**
 * Promises a stack of servers that answer, with an empty database and an empty key space of its own,
 * and prints which one in one line. Rejects with StackUnavailableError when there is none to be had.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await start(options, false);
  if (stack.kind === 'embedded') throw new RangeError('a stack without servers was chosen');
  return options.stopOnSignals === false ? stack : stoppedBySignals(stack);
}

/** The same for callers that can do without servers. Stopping on signals is their affair. */
export function startAnyStack(
  options: StackOptions & { readonly stopOnSignals: false },
): Promise<AnyStack> {
  return start(options, true);
}

async function start(options: StackOptions, takesEmbedded: boolean): Promise<AnyStack> {
  const log = options.log ?? console.log;
  const environment = options.environment ?? process.env;
  const engine = needsEngineProbe(environment) ? await probeEngine(environment) : 'no engine';
  const choice = chooseStack(environment, { engine, takesEmbedded });
  if ('refusal' in choice) throw new StackUnavailableError(choice.refusal);
  const stack = await startFirst(choice, options, environment, log);
  log(stack.description);
  return stack;
}

/** A kind that fails is told in one message; the next one is tried. The last one's failure counts. */
async function startFirst(
  choice: ChosenKinds,
  options: StackOptions,
  environment: Environment,
  log: Log,
): Promise<AnyStack> {
  const [kind, ...others] = choice.kinds;
  if (kind === undefined) throw new RangeError('no kind of stack is left');
  try {
    return await starters[kind](options, environment, log);
  } catch (error) {
    // Whoever said stop wants no other stack.
    if (options.signal?.aborted === true) throw interrupted(error);
    const reason = error instanceof Error ? error.message : String(error);
    const [next] = others;
    // Servers that are there and do not start are a fault to look at, no reason to do without them.
    const isFault = !(error instanceof StackUnavailableError);
    if (next === 'embedded' && isFault) throw error;
    if (next !== undefined) {
      log(`stack: ${kind} did not start (${reason}), going ${next}`);
      return await startFirst({ ...choice, kinds: others }, options, environment, log);
    }
    if (kind === 'compose') {
      throw new StackUnavailableError(`The containers did not start: ${reason}`, { cause: error });
    }
    if (choice.notEmbedded === undefined) throw error;
    throw new StackUnavailableError(`${reason}\n${choice.notEmbedded}`, { cause: error });
  }
}

function interrupted(cause: unknown): StackUnavailableError {
  return new StackUnavailableError('The start was interrupted.', { cause });
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
