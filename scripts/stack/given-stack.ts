/**
 * The stack that configuration gives (ROOMCELL_STACK=given): nothing is started. The run still gets
 * a database and a key prefix of its own, unless configuration names these as well; what it names
 * is used as it is and never removed.
 */
import { createDatabase, dropDatabases, findMysql } from './mysql-server.ts';
import { deleteKeys, findRedis } from './redis-server.ts';
import { newRunNames } from './run-names.ts';
import { serverVariables } from './stack-choice.ts';
import { envOf } from './stack-env.ts';
import { unavailableBecause, type MissingPiece, type Stack } from './stack-types.ts';

/** Promises a stack over the given servers; rejects when one is not named or does not answer. */
export async function startGivenStack(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Stack> {
  const unnamed = serverVariables.filter((name) => (environment[name] ?? '') === '');
  const missing: MissingPiece[] = unnamed.map((name) => ({
    what: `${name} is not set, though ROOMCELL_STACK=given`,
    howToInstall: 'set it',
  }));
  if (missing.length > 0) throw unavailableBecause(missing);
  const [mysqlSource, redisSource] = await Promise.all([
    findMysql(environment, false),
    findRedis(environment, false),
  ]);
  if (mysqlSource.kind === 'missing') missing.push(mysqlSource.piece);
  if (redisSource.kind === 'missing') missing.push(redisSource.piece);
  if (mysqlSource.kind !== 'answering' || redisSource.kind !== 'answering') {
    throw unavailableBecause(missing);
  }
  const names = newRunNames();
  const givenDatabase = environment['ROOMCELL_MYSQL_DATABASE'];
  const givenPrefix = environment['ROOMCELL_REDIS_KEY_PREFIX'];
  if (givenDatabase === undefined) await createDatabase(mysqlSource.account, names.database);
  const mysql = { ...mysqlSource.account, database: givenDatabase ?? names.database };
  const redis = { url: redisSource.url, keyPrefix: givenPrefix ?? names.keyPrefix };
  const kafkaBrokers = (environment['ROOMCELL_KAFKA_BROKERS'] ?? '').split(',');
  return {
    kind: 'given',
    description:
      `stack: given · Kafka ${kafkaBrokers.join(',')} · MySQL ${mysql.host}:${mysql.port}, ` +
      `database ${mysql.database} · Redis ${new URL(redis.url).host}, keys ${redis.keyPrefix}*`,
    kafkaBrokers,
    mysql,
    redis,
    env: envOf({ kafkaBrokers, mysql, redis }),
    kafka: undefined,
    mysqlServer: undefined,
    redisServer: undefined,
    async stop() {
      if (givenDatabase === undefined) await dropDatabases(mysql, names.database);
      if (givenPrefix === undefined) await deleteKeys(redis.url, names.keyPrefix);
    },
  };
}
