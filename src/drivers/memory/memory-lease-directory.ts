/**
 * Memory twin of the lease directory: one node's connection to a server that lives in this process.
 * It has no breaker: a frozen server costs every call its budget.
 */
import { assert } from '../../kernel/assert.ts';
import type { RoomKey } from '../../domain/ids.ts';
import type { LeaseClaim, LeaseDirectory, LeaseVerdict } from '../../ports/lease-directory.ts';
import { parseLeaseToken } from '../../protocol/lease-token.ts';
import {
  ensureOwner,
  overwriteOwner,
  parseLease,
  releaseOwner,
  tokenOf,
  verifyOwner,
} from './memory-lease-scripts.ts';
import type { LeaseArgs, MemoryLeaseScript } from './memory-lease-scripts.ts';
import type { MemoryLeaseServer, ServerAnswer } from './memory-lease-server.ts';

/** Times in ms. */
export interface MemoryLeaseDirectorySettings {
  /** Node that claims for itself. */
  readonly nodeId: string;
  readonly leaseTtlMs: number;
  /** Age from which the next use renews a lease. Default: a third of the TTL. */
  readonly renewAfterMs?: number;
  /** Bound of the calls that name no budget of their own (routing, announcements). Default 250. */
  readonly lookupWithinMs?: number;
}

const defaultLookupWithinMs = 250;

/** See the file header. */
export class MemoryLeaseDirectory implements LeaseDirectory {
  private readonly settings: MemoryLeaseDirectorySettings;
  private readonly server: MemoryLeaseServer;
  private readonly lookupWithinMs: number;
  /** Whether the last request was answered. */
  private isAnswered = true;
  private isStopped = false;

  constructor(settings: MemoryLeaseDirectorySettings, server: MemoryLeaseServer) {
    this.settings = settings;
    this.server = server;
    this.lookupWithinMs = settings.lookupWithinMs ?? defaultLookupWithinMs;
  }

  ensure(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.runScript(ensureOwner, claims, budgetMs);
  }

  verify(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.runScript(verifyOwner, claims, budgetMs);
  }

  overwrite(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]> {
    return this.runScript(overwriteOwner, claims, budgetMs);
  }

  async release(claims: readonly LeaseClaim[], budgetMs: number): Promise<void> {
    await this.runScript(releaseOwner, claims, budgetMs);
  }

  async ownerOf(
    roomKey: RoomKey,
  ): Promise<{ readonly ownerNodeId: string; readonly token: string } | null> {
    const lease = parseLease(await this.read(roomKey));
    return lease === null ? null : { ownerNodeId: lease.owner, token: tokenOf(lease) };
  }

  async announceNode(nodeId: string, advertiseAddr: string, ttlMs: number): Promise<void> {
    await this.request(
      () => this.server.key(nodeKey(nodeId)).set(advertiseAddr, ttlMs),
      this.lookupWithinMs,
    );
  }

  addressOf(nodeId: string): Promise<string | null> {
    return this.read(nodeKey(nodeId));
  }

  isHealthy(): boolean {
    return this.isAnswered && !this.isStopped;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }

  private async runScript(
    script: MemoryLeaseScript,
    claims: readonly LeaseClaim[],
    budgetMs: number,
  ): Promise<readonly LeaseVerdict[]> {
    if (claims.length === 0) return [];
    const calls = claims.map((claim) => ({ name: claim.roomKey, args: this.argsOf(claim) }));
    const answer = await this.request(
      () => calls.map(({ name, args }) => script(this.server.key(name), args)),
      budgetMs,
    );
    return answer.kind === 'answered' ? answer.value : claims.map(() => answer);
  }

  private async read(name: string): Promise<string | null> {
    const answer = await this.request(() => this.server.read(name), this.lookupWithinMs);
    return answer.kind === 'answered' ? answer.value : null;
  }

  private async request<T>(work: () => T, budgetMs: number): Promise<ServerAnswer<T>> {
    if (this.isStopped) return { kind: 'unreachable', cause: 'stopped' };
    const answer = await this.server.request(work, budgetMs);
    this.isAnswered = answer.kind === 'answered';
    return answer;
  }

  private argsOf({ epoch, token }: LeaseClaim): LeaseArgs {
    assert(epoch >= 0n, 'an epoch is not negative', { epoch });
    const { nodeId, leaseTtlMs, renewAfterMs = Math.ceil(leaseTtlMs / 3) } = this.settings;
    const parts = parseLeaseToken(token);
    return {
      owner: nodeId,
      epoch,
      believed: parts?.epoch === epoch ? parts.counter : 0n,
      token,
      ttlMs: leaseTtlMs,
      renewBelowMs: leaseTtlMs - renewAfterMs,
    };
  }
}

function nodeKey(nodeId: string): string {
  return `room:node:${nodeId}`;
}
