/** `roomcell dead-letters list|replay`: records that nobody could execute, and how one is sent again. */
import type { Command } from 'commander';
import type { UserId } from '../../domain/ids.ts';
import { createKafkaCommandSink } from '../../drivers/kafka/kafka-command-sink.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { createSystemTimers } from '../../drivers/system/system-timers.ts';
import { appendAgain } from '../../gateway/operators/dead-letters.ts';
import type { RecordPlace } from '../../ports/replay-store.ts';
import { exitCodes } from '../exit-codes.ts';
import { kafkaSettingsOf } from '../server-drivers.ts';
import { CommandFault } from './command-fault.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadOf, countOf, mandatory, offsetOf, operatorOf } from './operator-options.ts';
import { oneLine, printJsonOr, tableOf, timeOf } from './print.ts';
import { quietLog, quietMetrics } from './quiet-ports.ts';
import { readServerConfig } from './read-config.ts';

const shownUsually = 100;

/** Adds the group. */
export function addDeadLettersCommands(program: Command): void {
  const group = program
    .command('dead-letters')
    .description('records of the commands topic that nobody could execute');
  group
    .command('list')
    .description('list them by partition and offset')
    .option('--limit <count>', 'most letters', countOf, shownUsually)
    .option('--json', 'print JSON')
    .action(
      async (options: { readonly limit: number; readonly json?: boolean }, command: Command) => {
        const letters = await onMysql(command, 'dead-letters list', ({ replayStore }) =>
          replayStore.deadLetters(null, options.limit),
        );
        const shown = letters.map(({ record, ...letter }) => ({
          ...letter,
          valueBytes: record?.value.length ?? null,
        }));
        printJsonOr(options, shown, () =>
          shown.length === 0
            ? 'No record was set aside.'
            : tableOf([
                ['partition', 'offset', 'since', 'reason', 'bytes', 'sent again', 'detail'],
                ...shown.map((letter) => [
                  letter.partition,
                  letter.offset,
                  timeOf(letter.createdAtMs),
                  letter.reason,
                  letter.valueBytes ?? 'not kept',
                  letter.replayedAtMs === 0 ? '' : `by ${letter.replayedBy}`,
                  oneLine(letter.detail),
                ]),
              ]),
        );
      },
    );
  addReplay(group);
}

interface ReplayOptions extends RecordPlace {
  readonly as: UserId;
}

function addReplay(group: Command): void {
  group
    .command('replay')
    .description('append the record to its partition again, for nobody who waits')
    .addOption(mandatory('--partition <id>', 'the partition').argParser(Number))
    .addOption(mandatory('--offset <offset>', 'where the record lies').argParser(offsetOf))
    .addOption(mandatory('--as <operator>', 'who says so, for the audit').argParser(operatorOf))
    .addHelpText(
      'after',
      '\nExample:\n  $ roomcell dead-letters replay --partition 3 --offset 57 --as kim',
    )
    .action(async ({ partition, offset, as }: ReplayOptions, command: Command) => {
      const { config } = readServerConfig(command, 'dead-letters replay');
      const newOffset = await onMysql(command, 'dead-letters replay', async (mysql, topics) => {
        const clock = createSystemClock();
        const outcome = await mysql.operatorStore.carryOut(
          { ...actHeadOf(as), type: 'ReplayDeadLetter', partition, offset },
          clock.wallMs(),
        );
        if (outcome !== 'done') {
          throw new CommandFault(exitCodes.failed, [
            `No record that could be sent again was set aside at ${partition}/${offset}.`,
          ]);
        }
        const sink = createKafkaCommandSink(
          { kafka: kafkaSettingsOf(config, 'roomcell-cli'), topic: topics.commands },
          { log: quietLog, metrics: quietMetrics, clock, timers: createSystemTimers() },
        );
        await sink.start();
        try {
          return await appendAgain({ ...mysql, commandSink: sink }, { partition, offset });
        } finally {
          await sink.stop();
        }
      });
      console.log(`It lies at ${partition}/${newOffset} now.`);
    });
}
