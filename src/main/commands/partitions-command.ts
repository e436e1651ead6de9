/** `roomcell partitions`: who owns which partition of the commands topic, and how one goes on. */
import type { Command } from 'commander';
import type { UserId } from '../../domain/ids.ts';
import {
  stopChoices,
  stopUnder,
  type PartitionStopState,
  type StopChoice,
  type StoppedPartition,
} from '../../ports/partition-stops.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFault } from './command-fault.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadOf, mandatory, offsetOf, operatorOf, usage } from './operator-options.ts';
import { printJsonOr, tableOf } from './print.ts';

/** Adds the command. */
export function addPartitionsCommand(program: Command): void {
  const group = program
    .command('partitions')
    .description('show who owns which partition, and say how one that stands still goes on');
  addAccept(group);
  group
    .command('list', { isDefault: true })
    .description('list owner, epoch, applied offset and state of every partition')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { rows, topic } = await onMysql(command, 'partitions', async (mysql, topics) => {
        const [owners, stops] = [
          await mysql.partitionStore.readOwners(),
          await mysql.partitionStops.read(),
        ];
        const rows = owners.map((owner) => ({ ...owner, stop: stopUnder(stops, owner) }));
        return { rows, topic: topics.commands };
      });
      printJsonOr(options, rows, () =>
        rows.length === 0
          ? `No partition of ${topic} was ever owned.`
          : tableOf([
              ['partition', 'epoch', 'owner', 'address', 'applied', 'state'],
              ...rows.map((row) => [
                row.partition,
                row.epoch,
                row.ownerNodeId,
                row.advertiseAddr,
                row.appliedOffset,
                row.stop === null ? (row.released ? 'released' : 'owned') : stopText(row.stop),
              ]),
            ]),
      );
    });
}

interface AcceptOptions {
  readonly partition: number;
  readonly state: PartitionStopState;
  readonly expected: bigint;
  readonly choice: StopChoice;
  readonly replayUntil: bigint;
  readonly as: UserId;
}

function addAccept(group: Command): void {
  const states = Object.keys(stopChoices);
  const choices = [...new Set(Object.values(stopChoices).flat())];
  group
    .command('accept')
    .description('say how a partition goes on that stands still, as `partitions list` shows it')
    .addOption(mandatory('--partition <id>', 'the partition').argParser(Number))
    .addOption(mandatory('--state <state>', 'what it stands still for').choices(states))
    .addOption(mandatory('--expected <offset>', 'the offset in its state').argParser(offsetOf))
    .addOption(mandatory('--choice <choice>', 'what is done').choices(choices))
    .addOption(mandatory('--as <operator>', 'who says so, for the audit').argParser(operatorOf))
    .option('--replay-until <offset>', 'with replay: the last offset replayed', offsetOf, -1n)
    .addHelpText('after', examples)
    .action(async (options: AcceptOptions, command: Command) => {
      const { partition, state, expected, choice, replayUntil } = options;
      if (!stopChoices[state].includes(choice)) {
        throw usage(`${state} can be answered with: ${stopChoices[state].join(', ')}`);
      }
      if (choice === 'replay' && replayUntil < expected) {
        throw usage('replay needs --replay-until, not below the expected offset');
      }
      const outcome = await onMysql(command, 'partitions accept', ({ operatorStore }) =>
        operatorStore.carryOut(
          {
            ...actHeadOf(options.as),
            type: 'AcceptState',
            ...{ partition, state, expectedOffset: expected, choice, replayUntil },
          },
          createSystemClock().wallMs(),
        ),
      );
      if (outcome !== 'done') {
        throw new CommandFault(exitCodes.failed, [
          `Partition ${partition} does not stand still as ${state}@${expected}.`,
        ]);
      }
      console.log(
        `Partition ${partition} goes on by ${choice} as soon as its owner has read this.`,
      );
    });
}

const examples = `
Examples:
  roomcell partitions accept --partition 3 --state GAP --expected 57 --choice skip --as kim
  roomcell partitions accept --partition 3 --state DB_REWOUND --expected 57 --choice replay \\
    --replay-until 90 --as kim`;
function stopText({ state, expectedOffset, acceptance }: StoppedPartition): string {
  return `${state}@${expectedOffset}${acceptance === null ? '' : ` (${acceptance.choice})`}`;
}
