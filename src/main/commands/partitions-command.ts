/** `roomcell partitions`: who owns which partition of the commands topic, as MySQL says. */
import type { Command } from 'commander';
import { onMysql } from './on-mysql.ts';
import { printJsonOr, tableOf } from './print.ts';

/** Adds the command. */
export function addPartitionsCommand(program: Command): void {
  program
    .command('partitions')
    .description('list owner, epoch and applied offset of every partition')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { owners, topic } = await onMysql(command, 'partitions', async (mysql, topics) => {
        return { owners: await mysql.partitionStore.readOwners(), topic: topics.commands };
      });
      printJsonOr(options, owners, () =>
        owners.length === 0
          ? `No partition of ${topic} was ever owned.`
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
