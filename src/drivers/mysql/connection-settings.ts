/**
 * What every MySQL connection of the program is opened with. Limits are named here with their
 * defaults; `session.ts` is the only file that opens connections and applies them.
 */
import type { SslOptions } from 'mysql2';

/** Where the database is and who may use it. Works with MySQL 8.4 and MariaDB 10.11 or newer. */
export interface MysqlServerSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Null: no TLS. MySQL's default login then asks for the server's public key instead. */
  readonly tls: SslOptions | null;
}

/** Limits of one kind of connection. */
export interface SessionLimits {
  /** From the first SYN until the session is set up and verified. */
  readonly openMs: number;
  /**
   * For one query without an own limit. When it passes, the connection is destroyed: a frozen
   * server must not hang a caller.
   */
  readonly queryMs: number;
  /** `innodb_lock_wait_timeout`: at least 1, whole seconds (MySQL knows no less). */
  readonly lockWaitSeconds: number;
  /**
   * `wait_timeout`: the server ends a connection that is silent for this long, an open transaction
   * included. For writers this is what frees a frozen owner's rows where KILL is not permitted.
   */
  readonly silentSeconds: number;
  /** Statements separated by `;` in one packet: for the commit lane and the outbox alone. */
  readonly multipleStatements: boolean;
}

/** Limits of one pool. */
export interface PoolLimits {
  /** Open connections at most. */
  readonly connections: number;
  /** Callers that may wait for a connection; one more is refused at once. */
  readonly waiting: number;
  /** How long a caller waits before it is refused. */
  readonly acquireMs: number;
}

/** Readers and small writers: everything but the commit lane and takeovers. */
export const pooledSession: SessionLimits = {
  openMs: 5_000,
  queryMs: 5_000,
  lockWaitSeconds: 3,
  silentSeconds: 120,
  multipleStatements: false,
};

/** The outbox: its statements go several in a packet. */
export const outboxSession: SessionLimits = { ...pooledSession, multipleStatements: true };

/** Takeovers: the shortest lock wait there is, so that a frozen owner is noticed after a second. */
export const takeoverSession: SessionLimits = { ...pooledSession, lockWaitSeconds: 1 };

/** The commit lane; its queries carry limits of their own. */
export const laneSession: SessionLimits = {
  openMs: 3_000,
  queryMs: 3_000,
  lockWaitSeconds: 1,
  silentSeconds: 10,
  multipleStatements: true,
};

/**
 * The connection by whose name lock others see that a cell's process lives. It says a word with each
 * renewal of the node's name.
 */
export const nodeSession: SessionLimits = { ...laneSession, multipleStatements: false };

/** Migrations: a DDL statement on a big table may take long. */
export const migrationSession: SessionLimits = {
  openMs: 10_000,
  queryMs: 600_000,
  lockWaitSeconds: 30,
  silentSeconds: 3_600,
  multipleStatements: false,
};

/** The pool that most drivers share. */
export const defaultPoolLimits: PoolLimits = { connections: 10, waiting: 200, acquireMs: 2_000 };

/** The pool for takeovers: a rebalance asks for many at once, and each may wait for a lock. */
export const takeoverPoolLimits: PoolLimits = { connections: 4, waiting: 1_024, acquireMs: 30_000 };

/**
 * `sql_mode` of every session. Strict, because a silently cut value would pass as stored; without
 * NO_BACKSLASH_ESCAPES, because the escaping of texts relies on backslashes.
 */
export const sqlMode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';
