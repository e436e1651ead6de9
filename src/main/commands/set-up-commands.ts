/** `roomcell migrate` and `roomcell topics`: what a deployment needs before its first start. */
import type { Command } from 'commander';
import { ensureTopics } from '../../drivers/kafka/topics.ts';
import type { TopicFinding } from '../../drivers/log-client/topic-plan.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { createSystemTimers } from '../../drivers/system/system-timers.ts';
import { exitCodes } from '../exit-codes.ts';
import { topicPlanOf } from '../foundation.ts';
import { kafkaSettingsOf, migrateNow, mysqlServerOf } from '../server-drivers.ts';
import { orFault } from './command-fault.ts';
import { quietLog, quietMetrics } from './quiet-ports.ts';
import { readServerConfig } from './read-config.ts';
import { printJsonOr } from './print.ts';

/** A command must not wait for ever for a broker that is away. */
const brokerWaitMs = 10_000;

/** Adds both commands. */
export function addSetUpCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the tables up to date (safe to run on many nodes at once)')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { config } = readServerConfig(command, 'migrate');
      const applied = await orFault('migrate', () => migrateNow(mysqlServerOf(config)));
      printJsonOr(options, { applied }, () =>
        applied.length === 0 ? 'The tables are up to date.' : `Applied: ${applied.join(', ')}`,
      );
    });
  program
    .command('topics')
    .description('create missing topics and compare the others with the configuration')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }, command: Command) => {
      const { config } = readServerConfig(command, 'topics');
      const report = await orFault('topics', () =>
        ensureTopics(
          kafkaSettingsOf(config, 'roomcell-cli'),
          topicPlanOf(config),
          {
            log: quietLog,
            metrics: quietMetrics,
            clock: createSystemClock(),
            timers: createSystemTimers(),
          },
          AbortSignal.timeout(brokerWaitMs),
        ),
      );
      printJsonOr(options, report, () =>
        [
          ...Object.entries(report.partitionCounts).map(([topic, count]) => {
            const isNew = report.created.includes(topic) ? ' (created)' : '';
            return `${topic}: ${count} partitions${isNew}`;
          }),
          ...report.findings.map(sentenceOf),
        ].join('\n'),
      );
      if (report.findings.length > 0) process.exitCode = exitCodes.failed;
    });
}

function sentenceOf(finding: TopicFinding): string {
  return finding.kind === 'partitionCount'
    ? `${finding.topic}: differs, ${finding.planned} partitions are configured`
    : `${finding.topic}: message.timestamp.type is ${finding.found}, but must be LogAppendTime`;
}
