/** `roomcell config check` and `roomcell config keys`. */
import { Option, type Command } from 'commander';
import { effectiveConfig, effectiveConfigYaml } from '../config/effective-config.ts';
import { keyTable } from '../config/key-table.ts';
import { roleNames, type RoleName } from '../role.ts';
import { printJsonOr, tableOf } from './print.ts';
import { readConfig } from './read-config.ts';

/** Adds the group. */
export function addConfigCommands(program: Command): void {
  const group = program.command('config').description('look at the configuration');
  group
    .command('check')
    .description('print the effective configuration without secrets, or everything wrong with it')
    .addOption(
      new Option('--role <role>', 'check what this role needs, too').choices([...roleNames, 'all']),
    )
    .option('--json', 'print JSON')
    .action((options: { role?: RoleName | 'all'; json?: boolean }, command: Command) => {
      const roles = options.role === 'all' ? roleNames : [options.role ?? []].flat();
      const { config } = readConfig(command, roles);
      printJsonOr(options, effectiveConfig(config), () => effectiveConfigYaml(config).trimEnd());
    });
  group
    .command('keys')
    .description('list every key with its variable, default and meaning')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      const rows = keyTable();
      printJsonOr(options, rows, () =>
        tableOf([
          ['key', 'kind', 'default', 'meaning'],
          ...rows.map((row) => [row.key, row.kind, row.fallback, row.about]),
        ]),
      );
    });
}
