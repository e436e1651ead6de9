#!/usr/bin/env node
/**
 * `roomcell`: one program, the role is its first argument. Parses the command line and turns every
 * end into an exit code; what the commands do stands in `commands/`.
 */
import { Command, CommanderError } from 'commander';
import { addBoardsCommands } from './commands/boards-commands.ts';
import { addConfigCommands } from './commands/config-commands.ts';
import { addDeadLettersCommands } from './commands/dead-letters-commands.ts';
import { addDrainCommand } from './commands/drain-command.ts';
import { addGiftsCommands } from './commands/gifts-commands.ts';
import { addOutboxCommands } from './commands/outbox-commands.ts';
import { addPartitionsCommand } from './commands/partitions-command.ts';
import { addRobotsCommands } from './commands/robots-commands.ts';
import { addRocketCommands } from './commands/rocket-commands.ts';
import { addRoleCommands } from './commands/role-commands.ts';
import { addSchemaLevelCommand } from './commands/schema-level-command.ts';
import { addSettlementsCommand } from './commands/settlements-command.ts';
import { addSetUpCommands } from './commands/set-up-commands.ts';
import { addTokenCommand } from './commands/token-command.ts';
import { CommandFault } from './commands/command-fault.ts';
import { exitCodes } from './exit-codes.ts';

const program = new Command('roomcell')
  .description('The room service of a voice-chat app: one writer per room.')
  .option('-c, --config <file>', 'configuration file (else ROOMCELL_CONFIG, else development)')
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `
Examples:
  $ roomcell all                          every role in one process, for development
  $ roomcell cell -c config/production.yaml
  $ roomcell migrate && roomcell topics   set a deployment up
  $ roomcell partitions --json            who owns which partition
  $ roomcell outbox list --app demo       what its destination never got
  $ roomcell gifts set demo rose --price 10 --as kim
  $ roomcell boards rebuild               the boards over rooms, anew from MySQL
  $ roomcell config check                 the effective configuration, without secrets

Exit codes: 0 done · 1 failed · 2 usage · 3 configuration refused · 4 a server is out of reach ·
            5 a role died · 6 the node_id is another process's · 70 an error nobody expected`,
  );
addRoleCommands(program);
addSetUpCommands(program);
addPartitionsCommand(program);
addOutboxCommands(program);
addDeadLettersCommands(program);
addDrainCommand(program);
addGiftsCommands(program);
addBoardsCommands(program);
addRocketCommands(program);
addRobotsCommands(program);
addSettlementsCommand(program);
addSchemaLevelCommand(program);
addTokenCommand(program);
addConfigCommands(program);

try {
  await program.parseAsync();
  process.exitCode ??= exitCodes.ok;
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
// Explicit, so that a connection that somebody forgot cannot keep a finished command alive.
process.exit();

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof CommandFault) {
    for (const line of error.lines) console.error(line);
    return error.exitCode;
  }
  console.error(error);
  return exitCodes.fault;
}
