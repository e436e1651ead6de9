/** The boards on Redis, on a connection and behind a breaker of their own. */
import type { Redis } from 'ioredis';
import { assert } from '../../kernel/assert.ts';
import type { BoardSum } from '../../ports/board-sums.ts';
import { boardSumsMax, rebuildSilenceMs } from '../../ports/room-gift-leaderboard.ts';
import type {
  Board,
  BoardOutcome,
  BoardPage,
  BoardQuery,
  RoomGiftLeaderboard,
} from '../../ports/room-gift-leaderboard.ts';
import { listPageSizeOf } from '../../ports/room-queries.ts';
import { digitsOf, memberOf, sumOfMember } from './board-place.ts';
import {
  addToRebuildScript,
  beginRebuildScript,
  boardPageScript,
  endRebuildScript,
  raiseScript,
} from './board-scripts.ts';
import type { BreakerSettings } from './breaker.ts';
import { RedisCaller, type Told } from './redis-caller.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';
import type { RedisScript } from './redis-script.ts';

/** Times in ms. */
export interface RedisRoomGiftLeaderboardSettings {
  readonly redis: RedisSettings;
  /** Bound of a page. */
  readonly readBudgetMs: number;
  /** Bound of every other call. Default 1,000. */
  readonly writeBudgetMs?: number;
  readonly breaker?: BreakerSettings;
}

const defaultWriteBudgetMs = 1_000;
const silence = String(rebuildSilenceMs);

class RedisRoomGiftLeaderboard implements RoomGiftLeaderboard {
  private readonly settings: RedisRoomGiftLeaderboardSettings;
  private readonly client: Redis;
  private readonly caller: RedisCaller;

  constructor(settings: RedisRoomGiftLeaderboardSettings, deps: RedisDeps) {
    this.settings = settings;
    this.client = createRedisClient(settings.redis, 'boards', deps);
    this.caller = new RedisCaller(this.client, deps, settings.breaker);
  }

  async page({ after, pageSize, ...board }: BoardQuery): Promise<BoardPage> {
    const from = after === null ? '-' : `(${memberOf(after)}`;
    const size = String(listPageSizeOf(pageSize));
    const { readBudgetMs } = this.settings;
    const told = await this.tell(boardPageScript, board, [from, size], readBudgetMs);
    if (told.kind === 'unreachable') return told;
    const [before, ...members] = told.rest;
    const places = members.flatMap((member) => sumOfMember(member) ?? []);
    const firstRank = Number(before) + 1;
    return { kind: 'page', places: places.map((sum, at) => ({ ...sum, rank: firstRank + at })) };
  }

  async raise(
    board: Board,
    sums: readonly BoardSum[],
    keptForMs: number | null,
  ): Promise<Exclude<BoardOutcome, 'lost'>> {
    if (sums.length === 0) return 'stored';
    const args = [lifeOf(keptForMs), silence, ...roomsOf(sums)];
    const told = await this.tell(raiseScript, board, args);
    return told.kind === 'told' ? 'stored' : 'unreachable';
  }

  beginRebuild(board: Board, rebuildId: string): Promise<BoardOutcome> {
    return this.write(beginRebuildScript, board, [rebuildId, silence]);
  }

  addToRebuild(board: Board, rebuildId: string, sums: readonly BoardSum[]): Promise<BoardOutcome> {
    return this.write(addToRebuildScript, board, [rebuildId, silence, ...roomsOf(sums)]);
  }

  endRebuild(board: Board, rebuildId: string, keptForMs: number | null): Promise<BoardOutcome> {
    return this.write(endRebuildScript, board, [rebuildId, lifeOf(keptForMs)]);
  }

  stop(): Promise<void> {
    closeRedisClient(this.client);
    return Promise.resolve();
  }

  private async write(
    script: RedisScript,
    board: Board,
    args: readonly string[],
  ): Promise<BoardOutcome> {
    const told = await this.tell(script, board, args);
    return told.kind === 'told' ? (told.word as 'stored' | 'lost') : 'unreachable';
  }

  private tell(
    script: RedisScript,
    { appCode, period }: Board,
    args: readonly string[],
    budgetMs = this.settings.writeBudgetMs ?? defaultWriteBudgetMs,
  ): Promise<Told> {
    // The braces make the app the hash slot of all keys of its boards; app codes hold none.
    const base = `${this.settings.redis.keyPrefix}room:board:{${appCode}}:${period.name}:`;
    const keys = ['order', 'digits', 'rebuild', 'next-order', 'next-digits'];
    return this.caller.tell(script, { keys: keys.map((key) => `${base}${key}`), args }, budgetMs);
  }
}

function roomsOf(sums: readonly BoardSum[]): readonly string[] {
  assert(sums.length <= boardSumsMax, 'too many rooms in one write', { rooms: sums.length });
  return sums.flatMap(({ roomId, coins }) => [roomId, digitsOf(coins)]);
}

function lifeOf(keptForMs: number | null): string {
  return keptForMs === null ? '' : String(Math.max(1, Math.ceil(keptForMs)));
}

/** Makes them and begins to connect; until that stands, everything is `unreachable`. */
export function createRedisRoomGiftLeaderboard(
  settings: RedisRoomGiftLeaderboardSettings,
  deps: RedisDeps,
): RoomGiftLeaderboard {
  return new RedisRoomGiftLeaderboard(settings, deps);
}
