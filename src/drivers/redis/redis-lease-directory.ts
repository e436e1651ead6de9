/**
 * The lease directory on Redis: one pipeline per call, bounded, behind a breaker. Its answers are an
 * early warning; every one of them may be wrong, and a write is still safe.
 */
import type { Redis } from 'ioredis';
import { assert } from '../../kernel/assert.ts';
import type { RoomKey } from '../../domain/ids.ts';
import type { LeaseClaim, LeaseDirectory, LeaseVerdict } from '../../ports/lease-directory.ts';
import { parseLeaseToken } from '../../protocol/lease-token.ts';
import type { BreakerSettings } from './breaker.ts';
import {
  ensureOwnerScript,
  overwriteScript,
  parseLeaseValue,
  releaseScript,
  verifyOwnerScript,
} from './lease-scripts.ts';
import { RedisCaller } from './redis-caller.ts';
import type { Answers, Reply } from './redis-caller.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';
import type { RedisScript } from './redis-script.ts';

/** Times in ms. */
export interface RedisLeaseDirectorySettings {
  readonly redis: RedisSettings;
  /** Node that claims for itself. */
  readonly nodeId: string;
  /** Lease TTL. */
  readonly leaseTtlMs: number;
  /** Age from which the next use renews a lease. Default: a third of the TTL, and never more. */
  readonly renewAfterMs?: number;
  /** Bound of the calls that name no budget of their own (routing, announcements). Default 250. */
  readonly lookupWithinMs?: number;
  readonly breaker?: BreakerSettings;
}

const defaultLookupWithinMs = 250;

class RedisLeaseDirectory implements LeaseDirectory {
  private readonly settings: RedisLeaseDirectorySettings;
  private readonly client: Redis;
  private readonly caller: RedisCaller;
  private readonly lookupWithinMs: number;
  private isStopped = false;

  constructor(settings: RedisLeaseDirectorySettings, deps: RedisDeps) {
    this.settings = settings;
    this.lookupWithinMs = settings.lookupWithinMs ?? defaultLookupWithinMs;
    this.client = createRedisClient(settings.redis, 'lease', deps);
    this.caller = new RedisCaller(this.client, deps, settings.breaker);
  }

  ensure(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.run(ensureOwnerScript, claims, (claim) => this.claimArgs(claim), budgetMs);
  }

  verify(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.run(verifyOwnerScript, claims, (claim) => this.tokenArgs(claim), budgetMs);
  }

  overwrite(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.run(overwriteScript, claims, (claim) => this.claimArgs(claim), budgetMs);
  }

  async release(claims: readonly LeaseClaim[], budgetMs: number): Promise<void> {
    // A lease that is not released runs out by its TTL, and a higher epoch does not wait for that.
    await this.run(releaseScript, claims, (claim) => this.tokenArgs(claim), budgetMs);
  }

  async ownerOf(
    roomKey: RoomKey,
  ): Promise<{ readonly ownerNodeId: string; readonly token: string } | null> {
    const value = await this.read(this.leaseKey(roomKey));
    return parseLeaseValue(value);
  }

  async announceNode(nodeId: string, advertiseAddr: string, ttlMs: number): Promise<void> {
    // Unheard is harmless: readers fall back to the address in MySQL.
    await this.caller.pipeline(
      (pipeline) => pipeline.set(this.nodeKey(nodeId), advertiseAddr, 'PX', ttlMs),
      this.lookupWithinMs,
    );
  }

  addressOf(nodeId: string): Promise<string | null> {
    return this.read(this.nodeKey(nodeId));
  }

  isHealthy(): boolean {
    return !this.isStopped && this.client.status === 'ready' && !this.caller.isOpen;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    closeRedisClient(this.client);
    return Promise.resolve();
  }

  private async run(
    script: RedisScript,
    claims: readonly LeaseClaim[],
    argsOf: (claim: LeaseClaim) => readonly string[],
    budgetMs: number,
  ): Promise<readonly LeaseVerdict[]> {
    if (claims.length === 0) return [];
    const calls = claims.map((claim) => ({
      keys: [this.leaseKey(claim.roomKey)],
      args: argsOf(claim),
    }));
    const answers = await this.caller.runScript(script, calls, budgetMs);
    return claims.map((_, index) => verdictOf(answers, index));
  }

  private async read(key: string): Promise<string | null> {
    const answers = await this.caller.pipeline(
      (pipeline) => pipeline.get(key),
      this.lookupWithinMs,
    );
    const reply = answers.kind === 'answered' ? answers.replies[0] : undefined;
    if (reply === undefined || 'error' in reply) return null;
    return typeof reply.value === 'string' ? reply.value : null;
  }

  private claimArgs({ epoch, token }: LeaseClaim): readonly string[] {
    assert(epoch >= 0n, 'an epoch is not negative', { epoch });
    const { nodeId, leaseTtlMs, renewAfterMs = Math.ceil(leaseTtlMs / 3) } = this.settings;
    const believed = parseLeaseToken(token);
    const counter = believed?.epoch === epoch ? believed.counter : 0n;
    const renewBelowMs = leaseTtlMs - renewAfterMs;
    return [nodeId, String(epoch), String(counter), String(leaseTtlMs), String(renewBelowMs)];
  }

  private tokenArgs({ token }: LeaseClaim): readonly string[] {
    return [this.settings.nodeId, token];
  }

  private leaseKey(roomKey: RoomKey): string {
    return `${this.settings.redis.keyPrefix}${roomKey}`;
  }

  private nodeKey(nodeId: string): string {
    return `${this.settings.redis.keyPrefix}room:node:${nodeId}`;
  }
}

function verdictOf(answers: Answers, index: number): LeaseVerdict {
  if (answers.kind === 'unreachable') return answers;
  const reply: Reply | undefined = answers.replies[index];
  if (reply === undefined) return { kind: 'unreachable', cause: 'an answer is missing' };
  if ('error' in reply) return { kind: 'unreachable', cause: reply.error.message };
  const [kind, ownerNodeId = '', token = ''] = reply.value as [string, string?, string?];
  return kind === 'held' ? { kind: 'held', token } : { kind: 'foreign', ownerNodeId, token };
}

/** Makes the directory and begins to connect; until that stands, everything is `unreachable`. */
export function createRedisLeaseDirectory(
  settings: RedisLeaseDirectorySettings,
  deps: RedisDeps,
): LeaseDirectory {
  return new RedisLeaseDirectory(settings, deps);
}
