/** Where the servers of a bench are, from the stack's own environment variables. */
import type { ConnectionOptions } from 'mysql2/promise';
import type { KafkaDeps, KafkaSettings } from '../src/drivers/kafka/kafka-settings.ts';
import { createSystemClock } from '../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../src/drivers/system/system-timers.ts';
import type { Log } from '../src/ports/log.ts';

/** Settings for drivers and plain connections. */
export interface BenchServers {
  readonly kafka: KafkaSettings;
  readonly deps: KafkaDeps;
  readonly mysqlOptions: ConnectionOptions;
}

const silent = (): void => undefined;
const tell: Log['warn'] = (fields, message) => console.log(message, fields);
const quietLog: Log = {
  debug: silent,
  info: silent,
  warn: tell,
  error: tell,
  child: () => quietLog,
};

/** Reads them. */
export function benchServers(env: NodeJS.ProcessEnv): BenchServers {
  const brokers = (env['ROOMCELL_KAFKA_BROKERS'] ?? '').split(',');
  return {
    kafka: { brokers, clientId: 'roomcell-bench' },
    deps: {
      log: quietLog,
      metrics: { count: silent, gauge: silent, observeMs: silent },
      clock: createSystemClock(),
      timers: createSystemTimers(),
    },
    mysqlOptions: {
      host: env['ROOMCELL_MYSQL_HOST'] ?? '127.0.0.1',
      port: Number(env['ROOMCELL_MYSQL_PORT'] ?? 3306),
      user: env['ROOMCELL_MYSQL_USER'] ?? 'root',
      password: env['ROOMCELL_MYSQL_PASSWORD'] ?? '',
      database: env['ROOMCELL_MYSQL_DATABASE'] ?? '',
      supportBigNumbers: true,
      bigNumberStrings: true,
    },
  };
}
