/** A command that needs the servers for its own time only. */
import { startStack } from './start-stack.ts';
import { StackUnavailableError, type Stack } from './stack-types.ts';

/**
 * Starts the stack, runs `run` on it and stops it again, however `run` ends. Resolves with its exit code,
 * or, on a machine without servers, with that of `StackUnavailableError`, after saying why. `signal` ends
 * a start that would never finish.
 */
export async function onStack(
  signal: AbortSignal,
  run: (stack: Stack) => Promise<number>,
): Promise<number> {
  let stack: Stack;
  try {
    stack = await startStack({ stopOnSignals: false, signal });
  } catch (error) {
    if (!(error instanceof StackUnavailableError)) throw error;
    console.log(error.message);
    return error.exitCode;
  }
  try {
    return await run(stack);
  } finally {
    await stack.stop();
  }
}
