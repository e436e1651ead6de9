/** A key space of a test file's own on the shared Redis; never flushes anything of others. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { deleteKeys } from '../../scripts/stack/redis-server.ts';

/** See the file header. */
export interface RedisSpace {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly keyPrefix: string;
  /** An observer outside of all drivers. */
  readonly observer: Redis;
  /** Deletes every key of this space, as a flush or a failover to an empty replica would. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** Where Redis is comes from ROOMCELL_REDIS_URL, by default this machine. */
export function openRedisSpace(): RedisSpace {
  const url = process.env['ROOMCELL_REDIS_URL'] ?? 'redis://127.0.0.1:6379';
  const { hostname, port } = new URL(url);
  const keyPrefix = `roomcell_t_${randomBytes(4).toString('hex')}:`;
  const observer = new Redis(url);
  return {
    url,
    host: hostname,
    port: Number(port === '' ? '6379' : port),
    keyPrefix,
    observer,
    empty: () => deleteKeys(url, keyPrefix),
    async close() {
      await deleteKeys(url, keyPrefix);
      observer.disconnect();
    },
  };
}
