/**
 * Makes the ioredis clients. Here ioredis never queues, never sends a command twice and never gives
 * up reconnecting; and no caller relies on it to settle a call, because a command in flight when the
 * connection drops may never settle (its issue 2193): every call goes through `settleWithin`.
 */
import { Redis } from 'ioredis';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Timers } from '../../ports/timers.ts';

/** Where Redis is and which keys are ours. */
export interface RedisSettings {
  /** `redis://[user:password@]host:port[/db]` or `rediss://…`. */
  readonly url: string;
  /** In front of every key and channel, so that deployments and test runs can share a server. */
  readonly keyPrefix: string;
  /** Shown in CLIENT LIST. */
  readonly connectionName?: string;
}

/** Ports that every Redis driver takes. */
export interface RedisDeps {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timers: Timers;
}

const reconnectDelayMaxMs = 1_000;
const connectTimeoutMs = 2_000;

/** A client that is connecting already. `role` names it in the log. */
export function createRedisClient(settings: RedisSettings, role: string, deps: RedisDeps): Redis {
  const client = new Redis(settings.url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Not what bounds a call here; a number would only make ioredis flush its queues now and then.
    maxRetriesPerRequest: null,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), reconnectDelayMaxMs),
    // A replica that was the primary until a moment ago: connect again and find the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(settings.connectionName === undefined ? {} : { connectionName: settings.connectionName }),
  });
  tellOutages(client, role, deps.log);
  return client;
}

/** Closes at once; calls in flight are ended by their own limits. */
export function closeRedisClient(client: Redis): void {
  client.disconnect();
}

/** Says once that Redis is away and once that it is back. */
function tellOutages(client: Redis, role: string, log: Log): void {
  let isAway = false;
  client.on('error', (error: unknown) => {
    // ioredis emits this for every failed try; without a listener it would print each of them.
    if (isAway) return;
    isAway = true;
    log.warn({ role, error: String(error) }, 'Redis cannot be reached; going on without it');
  });
  client.on('ready', () => {
    if (isAway) log.info({ role }, 'Redis can be reached again');
    isAway = false;
  });
}
