/** A command that cannot go on: what to print and how to exit. Never a stack trace for a person. */
import { Failure } from '../../kernel/failure.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';

/** Thrown by commands, printed by `cli.ts`. */
export class CommandFault extends Error {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, lines: readonly string[], options?: ErrorOptions) {
    super(lines.join('\n'), options);
    this.name = 'CommandFault';
    this.exitCode = exitCode;
    this.lines = lines;
  }
}

/** Runs one step of a command; a server that is out of reach gets its own exit code. */
export async function orFault<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const isAway = error instanceof Failure && error.kind === 'retry';
    const code = isAway ? exitCodes.unavailable : exitCodes.failed;
    throw new CommandFault(code, [`${what}: ${message}`], { cause: error });
  }
}
