/** `roomcell rocket set` and `roomcell rocket show`: how the rocket of an app's rooms works. */
import { InvalidArgumentError, type Command } from 'commander';
import type { AppCode, UserId } from '../../domain/ids.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { assertDefined } from '../../kernel/assert.ts';
import {
  readRocketRules,
  rocketRulesText,
  type RocketRulesBody,
} from '../../protocol/rocket-rules-text.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadIn, idOf, mandatory, operatorOf } from './operator-options.ts';
import { printJsonOr } from './print.ts';

const example = `
Example:
  $ roomcell rocket set demo '{"levels":[{"fuel_target":1000,"countdown_ms":30000,
      "rewards":[{"from_rank":1,"to_rank":3,"reward_id":"badge"}]}],"reset":"day"}' --as kim

Left out, fields have these values: enabled true, fuel_per_coin 1, reset "round", overflow "carry",
minimum_contribution 1, counts_robots false, countdown_ms 30000, to_rank as from_rank, quantity 1.`;

/** Adds the group. */
export function addRocketCommands(program: Command): void {
  const group = program.command('rocket').description('the rocket of an app’s rooms');
  group
    .command('set')
    .description('store the next version of the rules; it counts within a second, on every node')
    .argument('<app>', 'app whose rooms it is about', idOf)
    .argument('<rules>', 'the rules as JSON', rulesOf)
    .addOption(mandatory('--as <operator>', 'who sets them, for the audit').argParser(operatorOf))
    .option('--json', 'print JSON')
    .addHelpText('after', example)
    .action(
      async (
        app: string,
        rules: RocketRulesBody,
        options: { as: UserId; json?: boolean },
        command: Command,
      ) => {
        const stored = await onMysql(command, 'rocket set', async (mysql) => {
          const head = actHeadIn(app as AppCode, options.as);
          const act = { ...head, type: 'SetRocketRules', rules } as const;
          await mysql.operatorStore.carryOut(act, createSystemClock().wallMs());
          const made = await mysql.rocketRules.setBy(head.appCode, head.commandId);
          return assertDefined(made, 'rules that were set are not there');
        });
        printJsonOr(options, stored, () => `${app}: rules version ${stored.rulesVersion} stored.`);
      },
    );
  group
    .command('show')
    .description('show the newest rules, in the form that `rocket set` takes')
    .argument('<app>', 'app whose rooms they are about', idOf)
    .option('--json', 'print JSON, with the version')
    .action(async (app: string, options: { json?: boolean }, command: Command) => {
      const rules = await onMysql(command, 'rocket show', (mysql) =>
        mysql.rocketRules.current(app as AppCode),
      );
      printJsonOr(options, rules, () =>
        rules === null
          ? `${app} has no rocket.`
          : `${app}, rules version ${rules.rulesVersion}:\n${rocketRulesText(rules)}`,
      );
    });
}

function rulesOf(text: string): RocketRulesBody {
  const { rules, faults } = readRocketRules(text);
  if (rules === null)
    throw new InvalidArgumentError(`The rules are refused: ${faults.join('; ')}.`);
  return rules;
}
