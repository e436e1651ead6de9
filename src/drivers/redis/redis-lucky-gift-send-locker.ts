/**
 * The users' locks on Redis, one key each: SET NX with a time to live, compared before it is freed.
 * Without an answer in time the gift goes on unlocked.
 */
import type { Redis } from 'ioredis';
import type { AppCode, UserId } from '../../domain/ids.ts';
import type { LockOutcome, LuckyGiftSendLocker } from '../../ports/lucky-gift-send-locker.ts';
import { RedisCaller } from './redis-caller.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';
import { redisScript, type RedisScript } from './redis-script.ts';

/** Bound of one call. */
const withinMs = 250;

/** KEYS: the lock. ARGV: token, time to live in ms. */
const takeScript = redisScript(`
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 'busy' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'taken'
`);

/** KEYS: the lock. ARGV: token. Compare and delete. */
const releaseScript = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 'ok'
`);

class RedisLuckyGiftSendLocker implements LuckyGiftSendLocker {
  private readonly client: Redis;
  private readonly caller: RedisCaller;
  private readonly keyPrefix: string;

  constructor(settings: RedisSettings, deps: RedisDeps) {
    this.keyPrefix = settings.keyPrefix;
    this.client = createRedisClient(settings, 'lucky-gift', deps);
    this.caller = new RedisCaller(this.client, deps);
  }

  async take(appCode: AppCode, userId: UserId, token: string, ttlMs: number): Promise<LockOutcome> {
    const answer = await this.run(takeScript, appCode, userId, [token, String(ttlMs)]);
    return answer === 'taken' || answer === 'busy' ? answer : 'away';
  }

  async release(appCode: AppCode, userId: UserId, token: string): Promise<void> {
    await this.run(releaseScript, appCode, userId, [token]);
  }

  stop(): Promise<void> {
    closeRedisClient(this.client);
    return Promise.resolve();
  }

  /** The script's answer; null: none came. */
  private async run(
    script: RedisScript,
    appCode: AppCode,
    userId: UserId,
    args: readonly string[],
  ): Promise<unknown> {
    const keys = [`${this.keyPrefix}lucky:send:${appCode}:${userId}`];
    const answers = await this.caller.runScript(script, [{ keys, args }], withinMs);
    const reply = answers.kind === 'answered' ? answers.replies[0] : undefined;
    return reply === undefined || 'error' in reply ? null : reply.value;
  }
}

/** Makes it and begins to connect; until that stands, every lock is `away`. */
export function createRedisLuckyGiftSendLocker(
  settings: RedisSettings,
  deps: RedisDeps,
): LuckyGiftSendLocker {
  return new RedisLuckyGiftSendLocker(settings, deps);
}
