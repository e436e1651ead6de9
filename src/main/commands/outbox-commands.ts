/** `roomcell outbox list|replay|dismiss`: rows of the outbox, and what becomes of those that failed. */
import { Option, type Command } from 'commander';
import type { AppCode, EventId, RoomId, UserId } from '../../domain/ids.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { createSystemTimers } from '../../drivers/system/system-timers.ts';
import { outboxStatuses, replayRowsMax } from '../../ports/replay-store.ts';
import type { OutboxFilter, OutboxStatus } from '../../ports/replay-store.ts';
import { destinations, type Destination } from '../../protocol/topics.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadOf, appOf, countOf, mandatory, offsetOf, operatorOf } from './operator-options.ts';
import { oneLine, printJsonOr, tableOf, timeOf } from './print.ts';

const shownUsually = 100;
const perSecondUsually = 100;
const secondMs = 1_000;

interface FilterOptions {
  readonly app: AppCode;
  readonly room?: string;
  readonly event?: string;
  readonly to?: Destination;
  readonly type?: string;
  readonly before?: bigint;
  readonly json?: boolean;
}

/** Adds the group. */
export function addOutboxCommands(program: Command): void {
  const group = program.command('outbox').description('rows of the outbox of an app');
  addList(group);
  addReplay(group);
  addDismiss(group);
}

function addList(group: Command): void {
  withFilter(group.command('list'))
    .description('list rows in one state, oldest first')
    .addOption(
      new Option('--status <status>', 'the state').choices(outboxStatuses).default('failed'),
    )
    .option('--after <row>', 'only rows behind this one', offsetOf, 0n)
    .option('--limit <count>', 'most rows', countOf, shownUsually)
    .addHelpText('after', '\nExample:\n  $ roomcell outbox list --app demo --to im')
    .action(
      async (
        options: FilterOptions & {
          readonly status: OutboxStatus;
          readonly after: bigint;
          readonly limit: number;
        },
        command: Command,
      ) => {
        const { status, after, limit } = options;
        const rows = await onMysql(command, 'outbox list', ({ replayStore }) =>
          replayStore.outboxRows(filterOf(options), status, after, limit),
        );
        printJsonOr(options, rows, () =>
          rows.length === 0
            ? `No row of ${options.app} is ${status}.`
            : tableOf([
                ['row', 'since', 'room', 'event', 'type', 'to', 'tries', 'last error'],
                ...rows.map((row) => [
                  row.rowId,
                  timeOf(row.createdAtMs),
                  row.roomId,
                  row.eventId,
                  row.eventType,
                  row.destination,
                  row.retryCount,
                  oneLine(row.lastError),
                ]),
              ]),
        );
      },
    );
}

interface ActOptions extends FilterOptions {
  readonly as: UserId;
  readonly limit: number;
  readonly perSecond: number;
  readonly dryRun?: boolean;
}

function addReplay(group: Command): void {
  const replay = withFilter(group.command('replay'))
    .description('let failed rows begin anew, oldest first, under their own event ids')
    .addHelpText('after', '\nExample:\n  $ roomcell outbox replay --app demo --to im --as kim');
  actingOn(replay, 'ReplayOutbox', { done: 'begin anew', dry: 'would begin anew' });
}

function addDismiss(group: Command): void {
  const dismiss = withFilter(group.command('dismiss'))
    .description('give failed rows up for good, oldest first: what waits behind them goes on')
    .addHelpText(
      'after',
      '\nExample:\n  $ roomcell outbox dismiss --app demo --event <id> --as kim',
    );
  actingOn(dismiss, 'DismissOutbox', { done: 'are given up', dry: 'would be given up' });
}

/** What is said of the rows, and of those that a dry run only counts. */
interface ActWords {
  readonly done: string;
  readonly dry: string;
}

function actingOn(command: Command, type: 'ReplayOutbox' | 'DismissOutbox', words: ActWords): void {
  command
    .addOption(mandatory('--as <operator>', 'who says so, for the audit').argParser(operatorOf))
    .option('--limit <count>', 'most rows', countOf, replayRowsMax)
    .option('--per-second <count>', 'most rows in a second', countOf, perSecondUsually)
    .option('--dry-run', 'only count, up to 1,000')
    .action(async (options: ActOptions) => {
      const rows =
        options.dryRun === true
          ? await counted(options, command)
          : await actedOn(options, type, command);
      const what = options.dryRun === true ? words.dry : words.done;
      printJsonOr(options, { rows }, () => `${rows} rows ${what}.`);
    });
}

async function counted(options: ActOptions, command: Command): Promise<number> {
  const rows = await onMysql(command, `outbox ${command.name()}`, ({ replayStore }) =>
    replayStore.outboxRows(filterOf(options), 'failed', 0n, options.limit),
  );
  return rows.length;
}

/** One act per second, each with its row in the audit, until nothing is left that fits. */
function actedOn(
  options: ActOptions,
  type: 'ReplayOutbox' | 'DismissOutbox',
  command: Command,
): Promise<number> {
  const filter = filterOf(options);
  const [clock, timers] = [createSystemClock(), createSystemTimers()];
  return onMysql(command, `outbox ${command.name()}`, async ({ operatorStore, replayStore }) => {
    let total = 0;
    while (total < options.limit) {
      const limit = Math.min(options.perSecond, options.limit - total, replayRowsMax);
      const { commandId, operatorId } = actHeadOf(options.as);
      await operatorStore.carryOut(
        { ...filter, commandId, operatorId, type, limit },
        clock.wallMs(),
      );
      const rows = await replayStore.replayedRows(options.app, commandId);
      total += rows;
      if (rows < limit) break;
      if (total < options.limit) await timers.sleep(secondMs);
    }
    return total;
  });
}

function withFilter(command: Command): Command {
  return command
    .addOption(mandatory('--app <app>', 'the app').argParser(appOf))
    .option('--room <room>', 'only of this room')
    .option('--event <id>', 'only of this event')
    .addOption(new Option('--to <destination>', 'only for this one').choices(destinations))
    .option('--type <type>', 'only of this event type')
    .option('--before <ms>', 'only rows stored before this time', offsetOf)
    .option('--json', 'print JSON');
}

function filterOf({ app, room, event, to, type, before }: FilterOptions): OutboxFilter {
  return {
    appCode: app,
    roomId: (room ?? '') as RoomId | '',
    eventId: (event ?? '') as EventId | '',
    destination: to ?? '',
    eventType: type ?? '',
    createdBeforeMs: Number(before ?? 0n),
  };
}
