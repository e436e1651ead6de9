/**
 * Wake-ups of rockets in one sorted set of Redis, by their time. Every cell looks and takes those of
 * rooms that it owns; nothing is popped, because a room is awake only when its owner has it.
 */
import type { RoomKey } from '../../domain/ids.ts';
import {
  rocketWakeKeptMs,
  rocketWakesMax,
  type RocketLaunchScheduler,
  type RocketWake,
} from '../../ports/rocket-scheduler.ts';
import { RedisCaller } from './redis-caller.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';

/** Where the set is. */
export interface RedisRocketSchedulerSettings {
  readonly redis: RedisSettings;
  /** Longest call. Default 500. */
  readonly budgetMs?: number;
}

class RedisRocketScheduler implements RocketLaunchScheduler {
  private readonly client: ReturnType<typeof createRedisClient>;
  private readonly caller: RedisCaller;
  private readonly key: string;
  private readonly budgetMs: number;

  constructor(settings: RedisRocketSchedulerSettings, deps: RedisDeps) {
    this.client = createRedisClient(settings.redis, 'rocket-scheduler', deps);
    this.caller = new RedisCaller(this.client, deps);
    this.key = `${settings.redis.keyPrefix}rocket-wakes`;
    this.budgetMs = settings.budgetMs ?? 500;
  }

  async schedule(wake: RocketWake): Promise<boolean> {
    const answers = await this.caller.pipeline((pipeline) => {
      // NX: of two adapters, and of a repeat, the first one's word stands.
      pipeline.zadd(this.key, 'NX', wake.launchAtMs, memberOf(wake));
      pipeline.zremrangebyrank(this.key, rocketWakesMax, -1);
    }, this.budgetMs);
    return answers.kind === 'answered' && answers.replies.every((reply) => 'value' in reply);
  }

  async due(nowMs: number, limit: number): Promise<readonly RocketWake[]> {
    const answers = await this.caller.pipeline((pipeline) => {
      pipeline.zremrangebyscore(this.key, '-inf', nowMs - rocketWakeKeptMs);
      pipeline.zrangebyscore(this.key, '-inf', nowMs, 'WITHSCORES', 'LIMIT', 0, limit);
    }, this.budgetMs);
    if (answers.kind !== 'answered') return [];
    const [, found] = answers.replies;
    return found !== undefined && 'value' in found ? wakesOf(found.value) : [];
  }

  async done(wake: RocketWake): Promise<void> {
    await this.caller.pipeline((pipeline) => {
      pipeline.zrem(this.key, memberOf(wake));
    }, this.budgetMs);
  }

  stop(): Promise<void> {
    closeRedisClient(this.client);
    return Promise.resolve();
  }
}

/** The round stands in front: a room key holds every other character. */
function memberOf({ roundNo, roomKey }: RocketWake): string {
  return `${roundNo} ${roomKey}`;
}

/** Members and times in turn; what is not ours is passed over. */
function wakesOf(value: unknown): readonly RocketWake[] {
  const texts = Array.isArray(value) ? value.map(String) : [];
  const wakes: RocketWake[] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const member = /^(\d+) (.+)$/su.exec(texts[at] ?? '');
    const launchAtMs = Number(texts[at + 1]);
    if (member === null || !Number.isFinite(launchAtMs)) continue;
    const [, roundNo = '', roomKey = ''] = member;
    wakes.push({ roundNo: BigInt(roundNo), roomKey: roomKey as RoomKey, launchAtMs });
  }
  return wakes;
}

/** Makes the scheduler and begins to connect. */
export function createRedisRocketScheduler(
  settings: RedisRocketSchedulerSettings,
  deps: RedisDeps,
): RocketLaunchScheduler {
  return new RedisRocketScheduler(settings, deps);
}
