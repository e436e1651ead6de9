/** A price or an id that cannot be meant is refused before anything is read or written. */
import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { addGiftsCommands } from '../../../../src/main/commands/gifts-commands.ts';

/** The group, on a command line that ends no process and prints nothing. */
function giftsCommand(): Command {
  const program = new Command('roomcell');
  const quiet = { writeErr: () => undefined };
  // Commands inherit how they end from the program they are added to.
  program.exitOverride().configureOutput(quiet);
  addGiftsCommands(program);
  return program;
}

describe('roomcell gifts set', () => {
  it.each([
    ['no price', ['shop', 'rose'], 'commander.missingMandatoryOptionValue'],
    ['no gift', ['shop', '--price', '1'], 'commander.missingArgument'],
    ['a price of 0', ['shop', 'rose', '--price', '0'], 'commander.invalidArgument'],
    ['a negative price', ['shop', 'rose', '--price=-5'], 'commander.invalidArgument'],
    ['a part of a coin', ['shop', 'rose', '--price', '1.5'], 'commander.invalidArgument'],
    ['an exponent', ['shop', 'rose', '--price', '1e3'], 'commander.invalidArgument'],
    ['an empty price', ['shop', 'rose', '--price='], 'commander.invalidArgument'],
    [
      'a price above 64 bits',
      ['shop', 'rose', '--price', '9223372036854775808'],
      'commander.invalidArgument',
    ],
    ['a gift id that is none', ['shop', 'a rose', '--price', '1'], 'commander.invalidArgument'],
    ['an app that is none', ['shop/', 'rose', '--price', '1'], 'commander.invalidArgument'],
  ])('is a usage error with %s', async (_what, args, code) => {
    const parsing = giftsCommand().parseAsync(['gifts', 'set', ...args, '--as', 'kim'], {
      from: 'user',
    });
    const error: unknown = await parsing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CommanderError);
    expect(error).toMatchObject({ code });
  });

  it('is a usage error when nobody says who does it', async () => {
    const args = ['gifts', 'set', 'shop', 'rose', '--price', '1'];
    const parsing = giftsCommand().parseAsync(args, { from: 'user' });
    const error: unknown = await parsing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'commander.missingMandatoryOptionValue' });
  });
});
