/**
 * One connection at the memory database and the transaction that is open on it. Writes are kept
 * aside until COMMIT, so that nobody reads what may still be rolled back; row locks keep other
 * writers off meanwhile. Ending the connection, by whoever, rolls back.
 */
import { assert } from '../../kernel/assert.ts';
import type { CancelTimer } from '../../ports/timers.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { LockHolder } from './row-locks.ts';

/** A change of one row. Running it answers how to take it back. */
export type RowChange = () => () => void;

/** How a wait for a row ended; `deadlock`: the server has rolled the whole transaction back. */
export type LockAnswer = 'granted' | 'timedOut' | 'deadlock' | 'sessionEnded';

/** See the file header. */
export class MemoryTransaction implements LockHolder {
  /** False from COMMIT or ROLLBACK on, whoever said it. */
  isOpen = true;
  private readonly database: MemoryDatabase;
  private readonly staged: RowChange[] = [];
  private isVictim = false;

  constructor(database: MemoryDatabase) {
    this.database = database;
    database.server.transactions.add(this);
  }

  get changes(): number {
    return this.staged.length;
  }

  /** Waits for the row at most `limitMs`. After `timedOut` the transaction is still open. */
  async lock(key: string, limitMs: number): Promise<LockAnswer> {
    if (!this.isOpen) return this.isVictim ? 'deadlock' : 'sessionEnded';
    const how = await this.database.server.locks.acquire(this, key, limitMs);
    // Granted and then ended, before this went on: what counts is the end.
    if (this.isOpen && how !== 'ended') return how;
    return this.isVictim ? 'deadlock' : 'sessionEnded';
  }

  /** Writes when the transaction commits, if it ever does; the row must be locked or new. */
  stage(change: RowChange): void {
    this.staged.push(change);
  }

  /** Stores everything at once; false when the transaction is over already. */
  commit(): boolean {
    if (!this.isOpen) return false;
    this.database.commit(this.staged);
    this.close();
    return true;
  }

  rollBack(): void {
    if (this.isOpen) this.close();
  }

  chosenAsVictim(): void {
    this.isVictim = true;
    this.rollBack();
  }

  private close(): void {
    this.isOpen = false;
    this.database.server.transactions.delete(this);
    this.database.server.locks.releaseAll(this);
  }
}

/** See the file header. */
export class MemorySession {
  /** The server's view: false once the connection has ended. */
  alive = true;
  private readonly database: MemoryDatabase;
  private readonly onEnd: (session: MemorySession) => void;
  private open: MemoryTransaction | null = null;
  private cancelSilence: CancelTimer = () => undefined;

  constructor(database: MemoryDatabase, onEnd: (session: MemorySession) => void) {
    this.database = database;
    this.onEnd = onEnd;
  }

  /** BEGIN. A transaction that was left open is committed by it on a real server: not here. */
  begin(): MemoryTransaction {
    assert(this.alive, 'a connection that has ended begins nothing');
    assert(this.open === null || !this.open.isOpen, 'one transaction at a time');
    this.open = new MemoryTransaction(this.database);
    return this.open;
  }

  /** The client says nothing: after `limitMs` the server ends the connection (`wait_timeout`). */
  fallsSilent(limitMs: number): void {
    this.cancelSilence();
    this.cancelSilence = this.database.server.timers.after(limitMs, () => this.end());
  }

  /** The client said something. */
  isHeard(): void {
    this.cancelSilence();
  }

  /** KILL, a cut that the server noticed, a goodbye, a crash: the open transaction is rolled back. */
  end(): void {
    if (!this.alive) return;
    this.alive = false;
    this.cancelSilence();
    this.open?.rollBack();
    this.onEnd(this);
  }
}
