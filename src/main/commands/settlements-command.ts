/** `roomcell settlements`: debits that wait for the wallet to take them back. */
import type { Command } from 'commander';
import type { ListedSettlement } from '../../ports/settlement-store.ts';
import { onMysql } from './on-mysql.ts';
import { oneLine, printJsonOr, tableOf, timeOf } from './print.ts';

/** Rows shown at most, the oldest first. */
const shownMax = 100;

/** Adds the command. */
export function addSettlementsCommand(program: Command): void {
  program
    .command('settlements')
    .description(`count open voids and list the oldest, at most ${shownMax}`)
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const found = await onMysql(command, 'settlements', async ({ settlementStore }) => {
        const backlog = await settlementStore.backlog();
        return { ...backlog, rows: await settlementStore.listOpen(shownMax) };
      });
      printJsonOr(options, found, () =>
        found.oldestCreatedAtMs === null
          ? 'No debit waits to be given back.'
          : `${found.open} open, the oldest since ${timeOf(found.oldestCreatedAtMs)}:\n` +
            tableOfRows(found.rows),
      );
    });
}

function tableOfRows(rows: readonly ListedSettlement[]): string {
  return tableOf([
    ['since', 'app', 'room', 'command', 'payer', 'reason', 'tries', 'next try', 'last error'],
    ...rows.map((row) => [
      timeOf(row.createdAtMs),
      row.appCode,
      row.roomId,
      row.commandId,
      row.payerUserId,
      row.reason,
      row.tries,
      row.nextTryAtMs === 0 ? 'at once' : timeOf(row.nextTryAtMs),
      oneLine(row.lastError),
    ]),
  ]);
}
