/** `roomcell drain`: takes a cell out of the group before its process is taken away. */
import { InvalidArgumentError, type Command } from 'commander';
import { wideIdFault, type UserId } from '../../domain/ids.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFault } from './command-fault.ts';
import { onMysql } from './on-mysql.ts';
import { actHeadOf, mandatory, operatorOf } from './operator-options.ts';

interface DrainOptions {
  readonly node: string;
  readonly as: UserId;
}

/** Adds the command. */
export function addDrainCommand(program: Command): void {
  program
    .command('drain')
    .description('have a cell finish what it has in hand and give everything up; its process stays')
    .addOption(mandatory('--node <id>', 'the node, as `partitions` shows it').argParser(nodeOf))
    .addOption(mandatory('--as <operator>', 'who says so, for the audit').argParser(operatorOf))
    .addHelpText('after', '\nExample:\n  roomcell drain --node cell-a --as kim')
    .action(async ({ node, as }: DrainOptions, command: Command) => {
      const outcome = await onMysql(command, 'drain', ({ operatorStore }) =>
        operatorStore.carryOut(
          {
            ...actHeadOf(as),
            type: 'DrainNode',
            nodeId: node,
          },
          createSystemClock().wallMs(),
        ),
      );
      if (outcome !== 'done') {
        throw new CommandFault(exitCodes.failed, [`No living cell has the name ${node}.`]);
      }
      console.log(
        `${node} gives everything up within seconds. \`roomcell partitions\` shows it; ` +
          'then stop its process.',
      );
    });
}

function nodeOf(text: string): string {
  const fault = wideIdFault(text);
  if (fault !== null) throw new InvalidArgumentError(`a name of a node: ${fault}`);
  return text;
}
