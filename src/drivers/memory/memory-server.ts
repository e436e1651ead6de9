/**
 * What a database server is beside its tables: connections, name locks, row locks, and the bad days
 * that a test or a simulation brings about. Time passes only by the injected ports.
 */
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { MemorySession, type MemoryTransaction } from './memory-session.ts';
import { RowLocks } from './row-locks.ts';

/** The ports whose calls can be made to fail one by one; the commit lane has faults of its own. */
export type MemoryPort =
  | 'partitions'
  | 'rooms'
  | 'snapshots'
  | 'queries'
  | 'replySlots'
  | 'schemas'
  | 'outbox'
  | 'settlements'
  | 'catalogue'
  | 'rocketRules'
  | 'boardSums'
  | 'robots'
  | 'operators'
  | 'retention'
  | 'nodes';

/** How the next call of one port goes wrong. Both end in Retry, so a caller cannot tell them apart. */
export interface PortFault {
  readonly port: MemoryPort;
  /** `refused`: nothing was done. `answerLost`: it was done, and nobody heard of it. */
  readonly kind: 'refused' | 'answerLost';
}

/**
 * What the server takes. `full` refuses new connections; callers of pooled ports count as new ones,
 * while on a real server a pool's open connections go on. `readOnly` refuses writes. `down` refuses
 * everything.
 */
export type ServerMode = 'up' | 'readOnly' | 'full' | 'down';

/** What a server stands on. */
export interface ServerSurroundings {
  /** The server's own clock: leases of reply slots are judged by it. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long each way between a client and the server takes. Absent: no time. */
  readonly latencyMs?: () => number;
}

/** For one call of a pooled port: then it is a Retry. The driver's `pooledSession.queryMs`. */
export const callLimitMs = 5_000;
/** Lock wait of pooled ports. The driver's `pooledSession.lockWaitSeconds`. */
export const pooledLockWaitMs = 3_000;

const retryAfterMs = 500;

/** See the file header. */
export class MemoryServer {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly locks: RowLocks;
  /** Everybody's open transactions. */
  readonly transactions = new Set<MemoryTransaction>();
  /** Faults of calls to come; the first one for its port is taken. */
  readonly faults: PortFault[] = [];
  mode: ServerMode = 'up';
  /** The answers of calls with this name come so much later: a plan gone wrong, a slow disk. */
  late: { readonly what: string; readonly ms: number } | null = null;
  /** Whether clients may end other clients' connections. */
  mayKill = true;
  private readonly database: MemoryDatabase;
  private readonly latencyMs: () => number;
  private readonly sessions = new Set<MemorySession>();
  private readonly nameLocks = new Map<string, MemorySession>();
  private thawed: Deferred<void> | null = null;

  constructor(database: MemoryDatabase, surroundings: ServerSurroundings) {
    this.database = database;
    this.clock = surroundings.clock;
    this.timers = surroundings.timers;
    this.latencyMs = surroundings.latencyMs ?? (() => 0);
    this.locks = new RowLocks(this.timers);
  }

  /** From now on nothing is answered, and nothing done: what arrives is done at `thaw`, in order. */
  freeze(): void {
    this.thawed ??= createDeferred<void>();
  }

  thaw(): void {
    this.thawed?.resolve();
    this.thawed = null;
  }

  /**
   * The server stops and starts: connections, locks and open transactions are gone. `commitsLost`:
   * so many of the last commits too, as a server loses them that flushes late (lazy flush); whoever
   * was told of them was told a lie, and a check of the whole must notice.
   */
  crash(options: { readonly commitsLost?: number } = {}): void {
    for (const session of [...this.sessions]) session.end();
    for (const transaction of [...this.transactions]) transaction.rollBack();
    this.database.takeBackCommits(options.commitsLost ?? 0);
    this.thaw();
  }

  /** Opens a connection, or throws Retry. */
  connect(): MemorySession {
    if (this.mode === 'down' || this.mode === 'full') throw unavailable('connecting', this.mode);
    const session = new MemorySession(this.database, (ended) => this.forget(ended));
    this.sessions.add(session);
    return session;
  }

  /** The connection takes a name by which others find it; its holder until now is ended first. */
  takeName(session: MemorySession, name: string): void {
    this.nameLocks.get(name)?.end();
    this.nameLocks.set(name, session);
  }

  /** The connection of that name. */
  named(name: string): MemorySession | undefined {
    return this.nameLocks.get(name);
  }

  /** KILLs the connection of that name; false when there is none or KILL is not permitted. */
  kill(name: string): boolean {
    const session = this.nameLocks.get(name);
    if (session === undefined || !this.mayKill) return false;
    session.end();
    return true;
  }

  /** The way to the server and its turn there: resolves when it takes the next word. */
  async reached(): Promise<void> {
    await this.way();
  }

  /** Null: no way to go, and it takes the next word at once. */
  private way(): Promise<void> | null {
    const travelMs = this.latencyMs();
    if (travelMs <= 0 && this.thawed === null) return null;
    return this.longWay(travelMs);
  }

  private async longWay(travelMs: number): Promise<void> {
    if (travelMs > 0) await this.timers.sleep(travelMs);
    while (this.thawed !== null) await this.thawed.promise;
  }

  /** Whether the way to the server ended before the limit of a call; no limit is set for none. */
  private async reachedInTime(): Promise<boolean> {
    const way = this.way();
    if (way !== null) return this.within(way, callLimitMs);
    // A turn all the same: nobody's call may be done before it has returned.
    await Promise.resolve();
    return true;
  }

  /** One call of a pooled port. `work` is done as a whole or not at all, unless it waits for locks. */
  async call<T>(
    port: MemoryPort,
    what: string,
    access: 'read' | 'write',
    work: () => T | Promise<T>,
  ): Promise<T> {
    const fault = this.takeFault(port);
    if (fault?.kind === 'refused') throw unavailable(what, 'refused by a fault');
    if (!(await this.reachedInTime())) {
      throw unavailable(what, `no answer within ${callLimitMs} ms`);
    }
    if (this.mode === 'down' || this.mode === 'full') throw unavailable(what, this.mode);
    if (this.mode === 'readOnly' && access === 'write') throw unavailable(what, this.mode);
    const answer = await work();
    if (this.late?.what === what) await this.timers.sleep(this.late.ms);
    const isAnswered = await this.reachedInTime();
    if (!isAnswered || fault?.kind === 'answerLost') throw unavailable(what, 'the answer is lost');
    return answer;
  }

  /** Whether `done` comes before the limit. */
  within(done: Promise<unknown>, limitMs: number, timers: Timers = this.timers): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const cancel = timers.after(limitMs, () => resolve(false));
      done.then(
        () => {
          cancel();
          resolve(true);
        },
        (cause: unknown) => {
          cancel();
          reject(cause instanceof Error ? cause : new Error(String(cause)));
        },
      );
    });
  }

  private takeFault(port: MemoryPort): PortFault | undefined {
    if (this.faults.length === 0) return undefined;
    const at = this.faults.findIndex((fault) => fault.port === port);
    return at < 0 ? undefined : this.faults.splice(at, 1)[0];
  }

  private forget(session: MemorySession): void {
    this.sessions.delete(session);
    for (const [name, holder] of this.nameLocks) {
      if (holder === session) this.nameLocks.delete(name);
    }
  }
}

/** What every port throws while the server cannot be used. */
export function unavailable(what: string, cause: string): Failure {
  return new Failure('retry', 'UNAVAILABLE', `${what}: ${cause}`, {
    facts: { what },
    retryAfterMs,
  });
}
