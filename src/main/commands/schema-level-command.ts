/** `roomcell schema-level`: what the deployment writes, and how an operator ends an upgrade. */
import type { Command } from 'commander';
import { schemaLevel } from '../../protocol/schema-levels.ts';
import { onMysql } from './on-mysql.ts';
import { printJsonOr } from './print.ts';

/** Adds the command and its subcommand. */
export function addSchemaLevelCommand(program: Command): void {
  const group = program
    .command('schema-level')
    .description('show the level above which nothing is written');
  group
    .command('show', { isDefault: true })
    .description('show the level of the deployment and of this release')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const level = await onMysql(command, 'schema-level', ({ schemaRegistry }) =>
        schemaRegistry.level(schemaLevel),
      );
      printJsonOr(options, { level, release: schemaLevel }, () => sentenceOf(level));
    });
  group
    .command('raise')
    .description('raise it to the level of this release; only when every node runs it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const level = await onMysql(command, 'schema-level raise', ({ schemaRegistry }) =>
        schemaRegistry.raiseLevel(schemaLevel),
      );
      printJsonOr(options, { level, release: schemaLevel }, () => sentenceOf(level));
    });
}

function sentenceOf(level: number): string {
  const both = `The deployment is at level ${level}, this release at ${schemaLevel}`;
  if (level < schemaLevel) {
    return `${both}: raise it with \`roomcell schema-level raise\` when every node runs this release.`;
  }
  return level === schemaLevel ? `${both}.` : `${both}: it is too old to own anything.`;
}
