/**
 * The copy of the room list on Redis, on a connection and behind a breaker of its own: a slow page
 * must not hold up leases, nor the other way round.
 */
import type { Redis } from 'ioredis';
import type { AppCode, RoomId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { Random } from '../../ports/random.ts';
import { copiesMax } from '../../ports/room-list-cache.ts';
import type {
  CachedListQuery,
  CachedPage,
  CopyOutcome,
  ListStamp,
  PassEnd,
  RoomCopy,
  RoomListCache,
} from '../../ports/room-list-cache.ts';
import { cursorOf, listPageSizeOf, roomIdsMax } from '../../ports/room-queries.ts';
import type { BreakerSettings } from './breaker.ts';
import { entryOfText, textOfEntry } from './list-entry-text.ts';
import { rangeOf } from './list-place.ts';
import {
  claimPassesScript,
  endPassScript,
  pageScript,
  putScript,
  readyScript,
  stampScript,
} from './list-scripts.ts';
import { RedisCaller, type Told } from './redis-caller.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';
import type { RedisScript } from './redis-script.ts';

/** Times in ms. */
export interface RedisRoomListCacheSettings {
  readonly redis: RedisSettings;
  /** Bound of a page; MySQL is asked after it. */
  readonly readBudgetMs: number;
  /** Bound of every other call. Default 1,000. */
  readonly writeBudgetMs?: number;
  readonly breaker?: BreakerSettings;
}

const defaultWriteBudgetMs = 1_000;
const lifeBytes = 8;

class RedisRoomListCache implements RoomListCache {
  private readonly settings: RedisRoomListCacheSettings;
  private readonly random: Random;
  private readonly client: Redis;
  private readonly caller: RedisCaller;
  private readonly writeBudgetMs: number;

  constructor(settings: RedisRoomListCacheSettings, deps: RedisDeps & { readonly random: Random }) {
    this.settings = settings;
    this.random = deps.random;
    this.writeBudgetMs = settings.writeBudgetMs ?? defaultWriteBudgetMs;
    this.client = createRedisClient(settings.redis, 'room list', deps);
    this.caller = new RedisCaller(this.client, deps, settings.breaker);
  }

  async page(query: CachedListQuery): Promise<CachedPage> {
    const { from, until } = rangeOf(query);
    const size = String(listPageSizeOf(query.pageSize));
    const { readBudgetMs } = this.settings;
    const told = await this.tell(pageScript, query.appCode, [from, until, size], readBudgetMs);
    if (told.kind === 'unreachable') return told;
    if (told.word !== 'page') return { kind: told.word as 'not_ready' | 'damaged' };
    const entries = told.rest.flatMap((text) => entryOfText(text) ?? []);
    // A text of another release: it is read where every release can read it.
    if (entries.length < told.rest.length) return { kind: 'damaged' };
    const last = entries.at(-1);
    return { kind: 'page', entries, next: last === undefined ? null : cursorOf(last) };
  }

  async stamp(appCode: AppCode): Promise<ListStamp | null> {
    const told = await this.tell(stampScript, appCode, [this.random.hex(lifeBytes, 'list life')]);
    return told.kind === 'told' ? { life: told.word, at: Number(told.rest[0]) } : null;
  }

  async put(appCode: AppCode, stamp: ListStamp, rooms: readonly RoomCopy[]): Promise<CopyOutcome> {
    assert(rooms.length <= copiesMax, 'too many rooms in one copy', { rooms: rooms.length });
    const copies = rooms.flatMap(({ roomId, entry }) => [
      roomId,
      entry?.status === 'active' ? textOfEntry(entry) : '',
    ]);
    const told = await this.tell(putScript, appCode, [stamp.life, String(stamp.at), ...copies]);
    return told.kind === 'told' ? (told.word as 'stored' | 'too_late') : 'unreachable';
  }

  async endPass(appCode: AppCode, begun: ListStamp, readyForMs: number): Promise<PassEnd> {
    const args = [begun.life, String(begun.at), String(roomIdsMax), String(readyForMs)];
    for (;;) {
      const told = await this.tell(endPassScript, appCode, args);
      if (told.kind === 'unreachable') return told;
      if (told.word !== 'left_behind') return { kind: told.word as 'ready' | 'too_late' };
      // None left behind: only rooms that are not listed went, and there may be more of them.
      if (told.rest.length === 0) continue;
      return { kind: 'left_behind', roomIds: told.rest as readonly RoomId[] };
    }
  }

  async isReady(appCode: AppCode): Promise<boolean | null> {
    const told = await this.tell(readyScript, appCode, []);
    return told.kind === 'told' ? told.word === 'ready' : null;
  }

  async claimPasses(holder: string, ttlMs: number): Promise<boolean> {
    const keys = [`${this.settings.redis.keyPrefix}room:list:passes`];
    const call = { keys, args: [holder, String(ttlMs)] };
    const told = await this.caller.tell(claimPassesScript, call, this.writeBudgetMs);
    return told.kind === 'told' && told.word === 'held';
  }

  stop(): Promise<void> {
    closeRedisClient(this.client);
    return Promise.resolve();
  }

  private tell(
    script: RedisScript,
    appCode: AppCode,
    args: readonly string[],
    budgetMs = this.writeBudgetMs,
  ): Promise<Told> {
    // The braces make the app the hash slot of all its keys; app codes hold none.
    const base = `${this.settings.redis.keyPrefix}room:list:{${appCode}}:`;
    const names = ['facts', 'ready', 'order', 'entries', 'stamps'];
    return this.caller.tell(
      script,
      { keys: names.map((name) => `${base}${name}`), args },
      budgetMs,
    );
  }
}

/** Makes the cache and begins to connect; until that stands, everything is `unreachable`. */
export function createRedisRoomListCache(
  settings: RedisRoomListCacheSettings,
  deps: RedisDeps & { readonly random: Random },
): RoomListCache {
  return new RedisRoomListCache(settings, deps);
}
