/**
 * The stack's addresses as environment variables, and back.
 */
import type { MysqlTarget, RedisTarget } from './stack-types.ts';

/** The addresses of a stack, without its life. */
export interface StackAddresses {
  readonly kafkaBrokers: string[];
  readonly mysql: MysqlTarget;
  readonly redis: RedisTarget;
}

/** The ROOMCELL_… variables that lead a process to these addresses. */
export function envOf({ kafkaBrokers, mysql, redis }: StackAddresses): Record<string, string> {
  return {
    ROOMCELL_KAFKA_BROKERS: kafkaBrokers.join(','),
    ROOMCELL_MYSQL_HOST: mysql.host,
    ROOMCELL_MYSQL_PORT: String(mysql.port),
    ROOMCELL_MYSQL_USER: mysql.user,
    ROOMCELL_MYSQL_PASSWORD: mysql.password,
    ROOMCELL_MYSQL_DATABASE: mysql.database,
    ROOMCELL_REDIS_URL: redis.url,
    ROOMCELL_REDIS_KEY_PREFIX: redis.keyPrefix,
  };
}

/** The addresses that such variables name, or the names of those that are missing. */
export function addressesOf(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly addresses: StackAddresses } | { readonly missing: string[] } {
  const names = Object.keys(envOf(NOWHERE)).filter((name) => name !== 'ROOMCELL_MYSQL_PASSWORD');
  const missing = names.filter((name) => (environment[name] ?? '') === '');
  if (missing.length > 0) return { missing };
  const read = (name: string): string => environment[name] ?? '';
  return {
    addresses: {
      kafkaBrokers: read('ROOMCELL_KAFKA_BROKERS').split(','),
      mysql: {
        host: read('ROOMCELL_MYSQL_HOST'),
        port: Number(read('ROOMCELL_MYSQL_PORT')),
        user: read('ROOMCELL_MYSQL_USER'),
        password: read('ROOMCELL_MYSQL_PASSWORD'),
        database: read('ROOMCELL_MYSQL_DATABASE'),
      },
      redis: { url: read('ROOMCELL_REDIS_URL'), keyPrefix: read('ROOMCELL_REDIS_KEY_PREFIX') },
    },
  };
}

const NOWHERE: StackAddresses = {
  kafkaBrokers: [],
  mysql: { host: '', port: 0, user: '', password: '', database: '' },
  redis: { url: '', keyPrefix: '' },
};
