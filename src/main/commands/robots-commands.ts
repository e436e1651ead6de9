/** `roomcell robots …`: the accounts, rules and quotas of an app's robots. */
import { InvalidArgumentError, type Command } from 'commander';
import { userIdFault, type AppCode, type UserId } from '../../domain/ids.ts';
import {
  countryCodeMax,
  robotFaults,
  robotQuotaMax,
  type Robot,
  type RobotRules,
} from '../../domain/robots/robot-rules.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { robotsPerCallMax } from '../../ports/robot-pool.ts';
import { FieldReader } from '../../protocol/field-reader.ts';
import { readRobotRules, robotRulesText } from '../../protocol/robot-rules-text.ts';
import { onMysql } from './on-mysql.ts';
import { idOf } from './operator-options.ts';
import { printJsonOr } from './print.ts';

const example = `
Example:
  $ roomcell robots add demo '[{"user_id":"bot1","nickname":"Mia","country_code":"DE"}]'
  $ roomcell robots quota demo DE 50
  $ roomcell robots set demo '{"robots_per_room_max":5,"rooms":[{"room_id":"lounge","robots":8}]}'

Left out, fields have these values: enabled true, robots_per_room_max 0, places_for_people 50,
pause_min_ms 5000, pause_max_ms 30000, stay_min_ms 300000, stay_max_ms 1800000, rooms none; of a room:
title "", seat_count 8, visible_region_id 0, robots 1, gift_ids none.`;

/** Adds the group. */
export function addRobotsCommands(program: Command): void {
  const group = program
    .command('robots')
    .description('accounts that cells play themselves')
    .addHelpText('after', example);
  addRulesCommands(group);
  addAccountCommands(group);
}

interface Options {
  readonly json?: boolean;
}

function addRulesCommands(group: Command): void {
  group
    .command('set')
    .description('put rules in the place of the former ones; cells follow at their next look')
    .argument('<app>', 'app whose robots they are about', idOf)
    .argument('<rules>', 'the rules as JSON', rulesOf)
    .option('--json', 'print JSON')
    .action(async (app: AppCode, rules: RobotRules, options: Options, command: Command) => {
      const configUpdatedAtMs = await onMysql(command, 'robots set', (mysql) =>
        mysql.robotPool.putRules(app, rules, createSystemClock().wallMs()),
      );
      printJsonOr(options, { configUpdatedAtMs }, () => `${app}: rules stored.`);
    });
  group
    .command('quota')
    .description('say how many robots of a country may be in rooms of people')
    .argument('<app>', 'app whose robots it is about', idOf)
    .argument('<country>', 'code of the country', countryOf)
    .argument('<robots>', 'robots, in the whole deployment', quotaOf)
    .option('--json', 'print JSON')
    .action(
      async (app: AppCode, country: string, robots: number, options: Options, command: Command) => {
        await onMysql(command, 'robots quota', (mysql) =>
          mysql.robotPool.putQuota(app, country, robots),
        );
        printJsonOr(options, { country, robots }, () => `${app}: ${robots} robots of ${country}.`);
      },
    );
  group
    .command('show')
    .description('show rules and quotas, and how many accounts there are')
    .argument('<app>', 'app whose robots they are about', idOf)
    .option('--json', 'print JSON')
    .action(async (app: AppCode, options: Options, command: Command) => {
      const { rules, robots } = await onMysql(command, 'robots show', async (mysql) => ({
        rules: await mysql.robotPool.rules(app),
        robots: await mysql.robotPool.robots(app, createSystemClock().wallMs()),
      }));
      const quotas = Object.fromEntries(rules?.quotas ?? []);
      const shown = rules === null ? null : { ...rules, quotas };
      printJsonOr(options, { rules: shown, robots: robots.length }, () =>
        rules === null
          ? `${app} has no rules for robots, and ${robots.length} of them.`
          : `${app}, ${robots.length} robots, quotas ${JSON.stringify(quotas)}:\n${robotRulesText(rules)}`,
      );
    });
}

function addAccountCommands(group: Command): void {
  group
    .command('add')
    .description(`add accounts, or change them; at most ${robotsPerCallMax} at a time`)
    .argument('<app>', 'app whose accounts they are', idOf)
    .argument('<robots>', 'a list of accounts as JSON', robotsOf)
    .option('--json', 'print JSON')
    .action(async (app: AppCode, robots: readonly Robot[], options: Options, command: Command) => {
      await onMysql(command, 'robots add', (mysql) => mysql.robotPool.addRobots(app, robots));
      const added = robots.length;
      printJsonOr(options, { added }, () => `${app}: ${added} robots added or changed.`);
    });
  group
    .command('remove')
    .description('take an account out of the pool; it stays in the room in which it is')
    .argument('<app>', 'app whose account it is', idOf)
    .argument('<user>', 'the account', userIdOf)
    .option('--json', 'print JSON')
    .action(async (app: AppCode, userId: UserId, options: Options, command: Command) => {
      const removed = await onMysql(command, 'robots remove', (mysql) =>
        mysql.robotPool.removeRobot(app, userId),
      );
      printJsonOr(options, { removed }, () =>
        removed ? `${app}: ${userId} is no robot any more.` : `${app}: ${userId} was no robot.`,
      );
    });
}

function userIdOf(text: string): UserId {
  const fault = userIdFault(text);
  if (fault !== null) throw new InvalidArgumentError(`The id is ${fault}.`);
  return text as UserId;
}

function countryOf(text: string): string {
  if (text.length > 0 && text.length <= countryCodeMax) return text;
  throw new InvalidArgumentError(`The code has 1 to ${countryCodeMax} characters.`);
}

function quotaOf(text: string): number {
  const quota = /^\d{1,7}$/.test(text) ? Number.parseInt(text, 10) : robotQuotaMax + 1;
  if (quota <= robotQuotaMax) return quota;
  throw new InvalidArgumentError(`A quota is a number from 0 to ${robotQuotaMax}.`);
}

function rulesOf(text: string): RobotRules {
  const { rules, faults } = readRobotRules(text);
  if (rules !== null) return rules;
  throw new InvalidArgumentError(`The rules are refused: ${faults.join('; ')}.`);
}

function robotsOf(text: string): readonly Robot[] {
  const reader = new FieldReader();
  const robots = reader.list({ robots: jsonOf(text) }, 'robots').map((json): Robot => {
    const fields = reader.object(json, 'robot');
    const textOr = (name: string): string =>
      fields[name] === undefined ? '' : reader.text(fields, name);
    return {
      userId: reader.text(fields, 'user_id') as UserId,
      nickname: textOr('nickname'),
      avatarUrl: textOr('avatar_url'),
      countryCode: textOr('country_code'),
    };
  });
  const faults = [...reader.faults, ...robots.flatMap(robotFaults)];
  if (robots.length > robotsPerCallMax) faults.push(`more than ${robotsPerCallMax} accounts`);
  if (faults.length === 0) return robots;
  throw new InvalidArgumentError(`The accounts are refused: ${faults.join('; ')}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('The accounts are not JSON.');
  }
}
