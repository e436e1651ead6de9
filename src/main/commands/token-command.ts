/** `roomcell token`: a bearer token to try things with. Development only. */
import { Option, type Command } from 'commander';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { issueDevelopmentToken } from '../../drivers/jwt/development-token.ts';
import { parseDuration } from '../../kernel/duration.ts';
import type { Caller } from '../../ports/room-api.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFault } from './command-fault.ts';
import { readConfig } from './read-config.ts';

interface TokenOptions {
  readonly app: string;
  readonly user: string;
  readonly role: Caller['role'];
  readonly ttl: string;
}

/** Adds the command. */
export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print a bearer token signed with auth.hs256_secret (development only)')
    .requiredOption('--app <app_code>', 'app that the token is for')
    .requiredOption('--user <user_id>', 'subject: the user that calls')
    .addOption(
      new Option('--role <role>', 'what the caller may do')
        .choices(['user', 'service', 'operator'])
        .default('user'),
    )
    .option('--ttl <duration>', 'how long it is valid', '1h')
    .addHelpText('after', '\nExample:\n  $ roomcell token --app demo --user alice --ttl 10m')
    .action(async (options: TokenOptions, command: Command) => {
      const { config } = readConfig(command, []);
      if (config.environment !== 'development') {
        throw refusal('token: environment is production; your identity service issues tokens');
      }
      if (config.auth.mode !== 'hs256' || config.auth.hs256Secret === '') {
        throw refusal('token: auth.mode must be hs256 and ROOMCELL_AUTH_HS256_SECRET set');
      }
      const ttl = parseDuration(options.ttl);
      if (ttl.kind === 'fault') throw new CommandFault(exitCodes.usage, [`--ttl: ${ttl.fault}`]);
      const caller = { appCode: options.app, subject: options.user, role: options.role };
      const clock = createSystemClock();
      console.log(await issueDevelopmentToken(config.auth.hs256Secret, caller, ttl.ms, clock));
    });
}

function refusal(line: string): CommandFault {
  return new CommandFault(exitCodes.failed, [line]);
}
