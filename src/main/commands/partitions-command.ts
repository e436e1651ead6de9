/** `roomcell partitions`: who owns which partition of the commands topic, as MySQL says. */
import type { Command } from 'commander';
import { createMysqlDrivers } from '../../drivers/mysql/mysql-drivers.ts';
import { topicNames } from '../../protocol/topics.ts';
import { mysqlServerOf } from '../wiring-context.ts';
import { orFault } from './command-fault.ts';
import { printJsonOr, tableOf } from './print.ts';
import { readConfig } from './read-config.ts';

/** Adds the command. */
export function addPartitionsCommand(program: Command): void {
  program
    .command('partitions')
    .description('list owner, epoch and applied offset of every partition')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { config } = readConfig(command, []);
      const topics = topicNames(config.kafka.topicPrefix);
      const mysql = createMysqlDrivers({
        server: mysqlServerOf(config),
        commandsTopic: topics.commands,
        repliesTopic: topics.replies,
      });
      const owners = await orFault('partitions', () => mysql.partitionStore.readOwners()).finally(
        () => mysql.close(),
      );
      printJsonOr(options, owners, () =>
        owners.length === 0
          ? `No partition of ${topics.commands} was ever owned.`
          : tableOf([
              ['partition', 'epoch', 'owner', 'address', 'applied', 'state'],
              ...owners.map((row) => [
                row.partition,
                row.epoch,
                row.ownerNodeId,
                row.advertiseAddr,
                row.appliedOffset,
                row.released ? 'released' : 'owned',
              ]),
            ]),
      );
    });
}
