/** `roomcell <role>` and `roomcell all`: run until told to stop. */
import type { Command } from 'commander';
import { roleNames, type RoleName } from '../role.ts';
import { runRoles } from '../run-roles.ts';
import { readConfig } from './read-config.ts';

const descriptions: Readonly<Record<RoleName, string>> = {
  gateway: 'serve gRPC and put commands on the topic',
  cell: 'execute the commands of the partitions that the group assigns',
  relay: 'carry outbox rows to the topics of their destinations',
  'adapter-im': 'deliver room events to Tencent Cloud IM',
  'adapter-activity': 'deliver room events to the activity service',
  sandbox: 'stand in for the outside world (never in production)',
};

const exitWithStdin = [
  '--exit-with-stdin',
  'end in an orderly way when the input closes, as it does when a parent dies',
] as const;

/** Adds one command per role, and `all`. */
export function addRoleCommands(program: Command): void {
  for (const name of [...roleNames].reverse()) {
    program
      .command(name)
      .description(descriptions[name])
      .option(...exitWithStdin)
      .action((_options: unknown, command: Command) => run(command, [name]));
  }
  program
    .command('all')
    .description('every role in one process')
    .option(
      '--without <roles>',
      'roles to leave out, separated by commas; may be given again',
      // Without this the last one would count alone, and the others' roles would run after all.
      (value: string, before: string | undefined) =>
        before === undefined ? value : `${before},${value}`,
    )
    .option(...exitWithStdin)
    .addHelpText('after', '\nExample:\n  $ roomcell all --without sandbox,adapter-im')
    .action(async (options: { without?: string }, command: Command) => {
      await run(command, without(options.without ?? '', command));
    });
}

async function run(command: Command, roles: readonly RoleName[]): Promise<void> {
  const { config } = readConfig(command, roles);
  if (command.opts<{ exitWithStdin?: boolean }>().exitWithStdin === true) {
    process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM')).resume();
  }
  process.exitCode = await runRoles(config, roles);
}

function without(commaList: string, command: Command): readonly RoleName[] {
  const left = commaList.split(',').filter((name) => name !== '');
  const unknown = left.find((name) => !(roleNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    command.error(`error: --without names ${unknown}, but roles are ${roleNames.join(', ')}`);
  }
  return roleNames.filter((name) => !left.includes(name));
}
