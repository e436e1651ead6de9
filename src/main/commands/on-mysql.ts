/** Runs one step of a command on the configured database and lets the connections go. */
import type { Command } from 'commander';
import { createMysqlDrivers, type MysqlDrivers } from '../../drivers/mysql/mysql-drivers.ts';
import { topicNames, type TopicNames } from '../../protocol/topics.ts';
import { mysqlServerOf } from '../server-drivers.ts';
import { orFault } from './command-fault.ts';
import { readServerConfig } from './read-config.ts';

/** Throws CommandFault: the configuration is refused, the server is away, or the step failed. */
export async function onMysql<T>(
  command: Command,
  what: string,
  run: (mysql: MysqlDrivers, topics: TopicNames) => Promise<T>,
): Promise<T> {
  const { config } = readServerConfig(command, what);
  const topics = topicNames(config.kafka.topicPrefix);
  const mysql = createMysqlDrivers({
    server: mysqlServerOf(config),
    commandsTopic: topics.commands,
    repliesTopic: topics.replies,
  });
  return orFault(what, () => run(mysql, topics)).finally(() => mysql.close());
}
