/**
 * Redis for the run: one that answers already, or a `redis-server` of the machine. The run has a
 * key prefix of its own, and its keys are deleted at the end.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram, freePort } from './machine.ts';
import { startOwnServer } from './own-server.ts';
import type { MissingPiece, ServerControl } from './stack-types.ts';
import type { Watchdog } from './watchdog.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const SCAN_COUNT = 1_000;
const DEFAULT_URL = 'redis://127.0.0.1:6379';
const MISSING_REDIS: MissingPiece = {
  what: 'Redis: none answers, and no redis-server is installed',
  howToInstall:
    'Debian, Ubuntu: apt-get install redis-server · macOS: brew install redis · or set ' +
    'ROOMCELL_REDIS_URL',
};

type Environment = Readonly<Record<string, string | undefined>>;

/** How the run will get its Redis. */
export type RedisSource =
  | { readonly kind: 'answering'; readonly url: string }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'missing'; readonly piece: MissingPiece };

/** Looks what there is. A server named by the environment is never silently replaced by another. */
export async function findRedis(environment: Environment, ownOnly: boolean): Promise<RedisSource> {
  if (!ownOnly) {
    const named = environment['ROOMCELL_REDIS_URL'];
    const url = named ?? DEFAULT_URL;
    try {
      await pingRedis(url);
      return { kind: 'answering', url };
    } catch (error) {
      if (named !== undefined) {
        // Without its password, which the URL may carry.
        const what = `Redis at ${new URL(url).host} (ROOMCELL_REDIS_URL): ${String(error)}`;
        return { kind: 'missing', piece: { what, howToInstall: 'start it, or unset it' } };
      }
    }
  }
  const program = findProgram('redis-server', 'valkey-server');
  return program === undefined
    ? { kind: 'missing', piece: MISSING_REDIS }
    : { kind: 'program', program };
}

/** Starts `program` without persistence and promises that it answers on a port of its own. */
export async function startRedis(
  program: string,
  runFolder: string,
  watchdog: Watchdog,
): Promise<{ url: string; control: ServerControl }> {
  const folder = join(runFolder, 'redis');
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const control = await startOwnServer(
    {
      name: 'Redis',
      command: program,
      arguments: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--appendonly', 'no'],
      ],
      folder,
      logFile: join(folder, 'server.log'),
      probe: () => pingRedis(url),
    },
    watchdog,
  );
  return { url, control };
}

/** Resolves when Redis at `url` answers. */
export async function pingRedis(url: string): Promise<void> {
  await withRedis(url, (redis) => redis.ping());
}

/** Deletes every key that begins with `keyPrefix`. */
export async function deleteKeys(url: string, keyPrefix: string): Promise<void> {
  await withRedis(url, async (redis) => {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `${keyPrefix}*`, 'COUNT', SCAN_COUNT);
      if (keys.length > 0) await redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  });
}

async function withRedis<T>(url: string, task: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // ioredis reports a refused connection here as well as by rejecting; without a listener it prints.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await task(redis);
  } finally {
    redis.disconnect();
  }
}
