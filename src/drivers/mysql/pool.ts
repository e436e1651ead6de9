/**
 * Shared connections for everything but the commit lane. A session goes back only in the state in
 * which it was handed out (no open transaction, settings untouched); when that is in doubt it is
 * destroyed. Waiting is bounded in number and in time, so that a stalled database shows as refusals
 * and not as memory.
 */
import { Failure } from '../../kernel/failure.ts';
import type { MysqlServerSettings, PoolLimits, SessionLimits } from './connection-settings.ts';
import { MysqlError, ownTimeLimit, toFailure, toMysqlError } from './mysql-errors.ts';
import { openSession } from './session.ts';
import type { MysqlSession, Row, Statement, StatementResult } from './session.ts';

/** Tries of a transaction that met a deadlock or a lock wait, the first one included. */
const transactionTriesMax = 5;
/** Longest pause before the second try; doubles with each further one, drawn evenly from 0. */
const firstRetryPauseMs = 10;

interface Waiter {
  readonly give: (session: MysqlSession) => void;
  readonly refuse: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * See the file header. `rows`, `run` and `transaction` throw Failure only: Retry `UNAVAILABLE`, or
 * Reject `DATA_REFUSED` when the database refuses the values themselves.
 */
export class MysqlPool {
  private readonly server: MysqlServerSettings;
  private readonly session: SessionLimits;
  private readonly limits: PoolLimits;
  private readonly idle: MysqlSession[] = [];
  private readonly waiters: Waiter[] = [];
  /** Sessions that exist or are being opened. */
  private opened = 0;
  private closed = false;

  constructor(server: MysqlServerSettings, session: SessionLimits, limits: PoolLimits) {
    this.server = server;
    this.session = session;
    this.limits = limits;
  }

  /** Sessions in use, at rest, and callers waiting: for metrics and tests. */
  get counts(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const idle = this.idle.length;
    return { busy: this.opened - idle, idle, waiting: this.waiters.length };
  }

  /** One autocommit read. `what` names the call in the failure's message. */
  async rows(what: string, sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.run(what, sql, values)).rows;
  }

  /** One autocommit statement. */
  async run(what: string, sql: string, values: readonly unknown[] = []): Promise<StatementResult> {
    try {
      return await this.withSession((session) => session.run(sql, values));
    } catch (thrown) {
      throw toFailure(thrown, what);
    }
  }

  /**
   * Runs `body` between BEGIN and COMMIT. A deadlock or a lock wait rolls back and runs `body`
   * again, so it must have no effect but its statements. A failure after COMMIT was sent is a Retry
   * too: whoever calls must be safe to repeat.
   */
  transaction<T>(what: string, body: (session: MysqlSession) => Promise<T>): Promise<T> {
    return this.whileTransient(what, (session) => oneTransaction(session, body));
  }

  /**
   * A transaction for two ways to the server and back: BEGIN with what it reads, then what `decide` makes of
   * the answers with COMMIT. The same holds as of `transaction`. Needs sessions that take several statements
   * in a packet.
   */
  twoStepTransaction<T>(what: string, reads: readonly Statement[], decide: Decide<T>): Promise<T> {
    return this.whileTransient(what, (session) => inTwoSteps(session, reads, decide));
  }

  private async whileTransient<T>(
    what: string,
    run: (session: MysqlSession) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withSession(run);
      } catch (thrown) {
        if (!isTransient(thrown) || attempt >= transactionTriesMax) throw toFailure(thrown, what);
        await pause(Math.random() * firstRetryPauseMs * 2 ** (attempt - 1));
      }
    }
  }

  /**
   * Lends a session for `body`, which must leave no transaction open and no setting changed. Throws
   * what `body` throws, unsorted: MysqlError from the session, for drivers that branch on the sort.
   */
  async withSession<T>(body: (session: MysqlSession) => Promise<T>): Promise<T> {
    const session = await this.acquire();
    try {
      return await body(session);
    } finally {
      this.release(session);
    }
  }

  /** Ends idle sessions and refuses from now on; sessions in use end when they come back. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of this.waiters.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.refuse(unavailable('the pool is closed'));
    }
    const resting = this.idle.splice(0);
    this.opened -= resting.length;
    await Promise.all(resting.map((session) => session.end()));
  }

  private async acquire(): Promise<MysqlSession> {
    if (this.closed) throw unavailable('the pool is closed');
    for (;;) {
      const session = this.idle.pop();
      if (session === undefined) break;
      if (session.alive) return session;
      // Ended by the server while it rested (wait_timeout, restart): not worth a word.
      this.opened -= 1;
    }
    if (this.opened < this.limits.connections) return this.open();
    if (this.waiters.length >= this.limits.waiting) {
      throw unavailable(`${this.limits.waiting} callers wait for a connection already`);
    }
    return this.wait();
  }

  private wait(): Promise<MysqlSession> {
    return new Promise((give, refuse) => {
      const timer = setTimeout(() => {
        this.waiters.splice(this.waiters.indexOf(waiter), 1);
        refuse(ownTimeLimit('waiting for a free connection', this.limits.acquireMs));
      }, this.limits.acquireMs);
      const waiter: Waiter = { give, refuse, timer };
      this.waiters.push(waiter);
    });
  }

  private async open(): Promise<MysqlSession> {
    this.opened += 1;
    try {
      return await openSession(this.server, this.session);
    } catch (thrown) {
      this.opened -= 1;
      // Whoever waits for one of `opened` sessions must not wait for one that never came.
      this.serveNext();
      throw thrown;
    }
  }

  private release(session: MysqlSession): void {
    if (!session.alive || this.closed) {
      this.opened -= 1;
      if (session.alive) session.destroy();
      this.serveNext();
      return;
    }
    const waiter = this.waiters.shift();
    if (waiter === undefined) {
      this.idle.push(session);
      return;
    }
    clearTimeout(waiter.timer);
    waiter.give(session);
  }

  /** There is room for one more session: opens it for whoever waits longest. */
  private serveNext(): void {
    if (this.closed || this.opened >= this.limits.connections) return;
    const waiter = this.waiters.shift();
    if (waiter === undefined) return;
    clearTimeout(waiter.timer);
    this.open().then(waiter.give, (thrown: unknown) => waiter.refuse(toMysqlError(thrown)));
  }
}

async function oneTransaction<T>(
  session: MysqlSession,
  body: (session: MysqlSession) => Promise<T>,
): Promise<T> {
  await session.run('START TRANSACTION');
  let answer: T;
  try {
    answer = await body(session);
  } catch (thrown) {
    await rollBack(session);
    throw thrown;
  }
  try {
    await session.run('COMMIT');
  } catch (thrown) {
    // Whether it committed is unknown when no answer came; a refused COMMIT leaves it open. Either
    // way the session must not go back into the pool.
    session.destroy();
    throw thrown;
  }
  return answer;
}

/** What a transaction writes, once it has read, and what its caller hears when that is committed. */
export type Decide<T> = (read: readonly StatementResult[]) => {
  readonly writes: readonly Statement[];
  readonly answer: T;
};

async function inTwoSteps<T>(
  session: MysqlSession,
  reads: readonly Statement[],
  decide: Decide<T>,
): Promise<T> {
  let step: ReturnType<Decide<T>>;
  try {
    const [, ...read] = await session.runAll([plain('START TRANSACTION'), ...reads]);
    step = decide(read);
  } catch (thrown) {
    await rollBack(session);
    throw thrown;
  }
  const { results, error } = await session.tryAll([...step.writes, plain('COMMIT')]);
  if (error === null) return step.answer;
  // As above: only a write that was refused leaves a transaction that can be rolled back for certain.
  if (results.length < step.writes.length) await rollBack(session);
  else session.destroy();
  throw error;
}

function plain(sql: string): Statement {
  return { sql, values: [] };
}

/**
 * Leaves no transaction open: a session that cannot be rolled back is destroyed, and its transaction
 * ends with it (A6: a dirty session would carry it to the next caller).
 */
async function rollBack(session: MysqlSession): Promise<void> {
  try {
    await session.run('ROLLBACK');
  } catch {
    session.destroy();
  }
}

function isTransient(thrown: unknown): boolean {
  return thrown instanceof MysqlError && (thrown.sort === 'deadlock' || thrown.sort === 'lockWait');
}

function unavailable(message: string): Failure {
  return new Failure('retry', 'UNAVAILABLE', message, { retryAfterMs: 100 });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
