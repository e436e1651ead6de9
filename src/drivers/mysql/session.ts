/**
 * One connection to the database, and the only file that opens any. Every session is READ COMMITTED
 * (read back, not hoped for), strict, UTF-8 and UTC, and every statement has a time limit after
 * which the connection is destroyed.
 *
 * Hazards of the library that end here: session settings are lost on a reconnect, so there is no
 * reconnect, only a new session; BIGINT would be rounded above 2^53, so it arrives as text;
 * `destroy` of the library only half-closes its socket, so the socket is ours.
 */
import net from 'node:net';
import mysql from 'mysql2';
import type { Connection } from 'mysql2';
import type { MysqlServerSettings, SessionLimits } from './connection-settings.ts';
import { sqlMode } from './connection-settings.ts';
import { MysqlError, ownTimeLimit, toMysqlError } from './mysql-errors.ts';

/** One row by column name. BIGINT and DECIMAL arrive as texts, so that no digit is lost. */
export type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

type SqlValues = Parameters<typeof mysql.format>[1];

/** What one statement answered. `rows` is empty for a write, `affected` is 0 for a read. */
export interface StatementResult {
  readonly rows: readonly Row[];
  /** Rows that the WHERE found, changed or not. */
  readonly affected: number;
  readonly insertId: bigint;
}

/** One statement; `values` are escaped into the `?` of its text. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The answers of a packet of statements, up to and without the one that failed. */
export interface PacketResult {
  readonly results: readonly StatementResult[];
  /** Null: all statements ran. Otherwise the statement at index `results.length` failed. */
  readonly error: MysqlError | null;
}

/** Opens, sets up and verifies a session, or throws MysqlError. `database` null: select none. */
export async function openSession(
  server: MysqlServerSettings,
  limits: SessionLimits,
  options: { readonly withDatabase?: boolean } = {},
): Promise<MysqlSession> {
  const socket = net.connect({ host: server.host, port: server.port, noDelay: true });
  const connection = mysql.createConnection({
    stream: socket,
    user: server.user,
    password: server.password,
    ...(options.withDatabase === false ? {} : { database: server.database }),
    ...(server.tls === null ? {} : { ssl: server.tls }),
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    multipleStatements: limits.multipleStatements,
    connectTimeout: limits.openMs,
  });
  const session = new MysqlSession(connection, socket, limits.queryMs);
  const opened = Promise.all([session.connected, setUp(session, limits)]);
  try {
    await withinLimit(opened, limits.openMs, `opening a connection to ${server.host}`);
    return session;
  } catch (thrown) {
    session.destroy();
    throw toMysqlError(thrown);
  }
}

/** See the file header. One statement or packet at a time; the caller waits for each. */
export class MysqlSession {
  /** Resolves when the server let us in. */
  readonly connected: Promise<void>;
  /** The server's number of this connection, as KILL takes it; 0 before `connected`. */
  threadId = 0;
  /** `max_allowed_packet` of the server, in bytes. */
  packetBytesMax = 0;
  /** False from the moment the connection is known to be unusable. */
  alive = true;
  private readonly connection: Connection;
  private readonly socket: net.Socket;
  private readonly queryMs: number;
  /** Whoever waits for an answer: usually one, two when a keep-alive word is under way. */
  private readonly waiting = new Set<(error: MysqlError) => void>();

  constructor(connection: Connection, socket: net.Socket, queryMs: number) {
    this.connection = connection;
    this.socket = socket;
    this.queryMs = queryMs;
    this.connected = new Promise((resolve, reject) => {
      connection.once('connect', () => {
        this.threadId = connection.threadId;
        resolve();
      });
      // The library reports a lost connection here when the running command has no callback, and
      // an idle connection's end too; without a listener it would end the process.
      connection.on('error', (error) => {
        this.fail(toMysqlError(error));
        reject(toMysqlError(error));
      });
      connection.on('end', () => this.fail(lost('the server closed the connection')));
      socket.on('close', () => this.fail(lost('the connection was closed')));
    });
    // Whoever opens the session awaits it; a failure after that must not count as unhandled.
    this.connected.catch(() => undefined);
  }

  /** Runs one statement; throws MysqlError. `values` are escaped into the `?` of the text. */
  async run(
    sql: string,
    values: readonly unknown[] = [],
    limitMs = this.queryMs,
  ): Promise<StatementResult> {
    const { results, error } = await this.packet(textOf({ sql, values }), limitMs);
    if (error !== null) throw error;
    return results[0] ?? noResult;
  }

  /**
   * Runs statements one after another for one way to the server and back; one answer each. What the first
   * that fails was told is thrown: those before it have happened, none behind it. Outside a transaction each
   * commits by itself, before the next one begins. Needs a session that takes several in a packet.
   */
  async runAll(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const { results, error } = await this.tryAll(statements);
    if (error !== null) throw error;
    return statements.map((_, at) => results[at] ?? noResult);
  }

  /** The same as a `packet`: the one that failed is part of the answer, and nothing is thrown. */
  tryAll(statements: readonly Statement[]): Promise<PacketResult> {
    return this.packet(statements.map(textOf).join('; '));
  }

  /** Runs one statement and answers its rows. */
  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.run(sql, values)).rows;
  }

  /**
   * Sends statements in one packet. Never throws: which statement failed is part of the answer. The
   * server stops at the first failing one.
   */
  packet(sql: string, limitMs = this.queryMs): Promise<PacketResult> {
    if (!this.alive) return Promise.resolve({ results: [], error: lost('not connected') });
    const oversize = this.oversizeOf(sql);
    if (oversize !== null) return Promise.resolve({ results: [], error: oversize });
    return new Promise((resolve) => {
      const statements = new StatementCollector();
      let error: MysqlError | null = null;
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(abort);
        resolve({ results: statements.results, error });
      };
      const abort = (cause: MysqlError): void => {
        error = cause;
        end();
      };
      this.waiting.add(abort);
      const timer = setTimeout(() => {
        const cause = ownTimeLimit('a statement', limitMs);
        this.fail(cause);
      }, limitMs);
      const query = this.connection.query({ sql });
      query.on('fields', (fields: unknown) => statements.begin(fields !== undefined));
      query.on('result', (result: unknown) => statements.take(result));
      query.on('error', (cause) => {
        error = toMysqlError(cause);
      });
      query.on('end', end);
    });
  }

  /** Ends the connection at once; the server rolls an open transaction back when it notices. */
  destroy(): void {
    this.fail(lost('the connection was destroyed'));
  }

  /** Says goodbye, so that the server frees the connection now and not when it notices. */
  async end(limitMs = 1_000): Promise<void> {
    if (!this.alive) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.connection.end();
    try {
      await withinLimit(closed, limitMs, 'closing a connection');
    } catch {
      // A server that does not answer the goodbye is left: the socket goes either way.
    }
    this.destroy();
  }

  /**
   * A server answers a packet above its limit by closing the connection, often before the answer
   * can be read: so it is refused here. A UTF-16 unit makes at most three bytes.
   */
  private oversizeOf(sql: string): MysqlError | null {
    if (this.packetBytesMax === 0 || sql.length * 3 + 1 <= this.packetBytesMax) return null;
    const bytes = Buffer.byteLength(sql) + 1;
    return bytes <= this.packetBytesMax ? null : tooLarge(bytes, this.packetBytesMax);
  }

  private fail(error: MysqlError): void {
    const wasAlive = this.alive;
    this.alive = false;
    for (const abort of this.waiting) abort(error);
    if (!wasAlive) return;
    this.connection.destroy();
    this.socket.destroy();
  }
}

function textOf({ sql, values }: Statement): string {
  return values.length === 0 ? sql : mysql.format(sql, [...values] as SqlValues);
}

/**
 * Gathers the answers of a packet: a write answers once, a read answers fields and then rows. An
 * error right after a read is counted as the next statement's: whoever asks which one failed (the commit
 * lane) has reads that take no locks and meet no data error, and for an ended connection it makes no
 * difference.
 */
class StatementCollector {
  readonly results: { rows: Row[]; affected: number; insertId: bigint; read: boolean }[] = [];

  begin(isRead: boolean): void {
    this.results.push({ rows: [], affected: 0, insertId: 0n, read: isRead });
  }

  take(result: unknown): void {
    const last = this.results.at(-1);
    if (last === undefined) return;
    if (last.read) {
      last.rows.push(result as Row);
      return;
    }
    const header = result as { affectedRows: number; insertId: number | string };
    last.affected = Number(header.affectedRows);
    last.insertId = BigInt(header.insertId);
  }
}

async function setUp(session: MysqlSession, limits: SessionLimits): Promise<void> {
  await session.connected;
  await session.run('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await session.run(
    `SET SESSION autocommit = 1, time_zone = '+00:00', sql_mode = '${sqlMode}', ` +
      `innodb_lock_wait_timeout = ${limits.lockWaitSeconds}, wait_timeout = ${limits.silentSeconds}`,
  );
  // The name of the isolation variable differs: MySQL knows transaction_isolation, MariaDB 10.11
  // tx_isolation, newer MariaDB both. SHOW does not mind the absent one.
  const rows = await session.rows(
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation', " +
      "'sql_mode', 'innodb_lock_wait_timeout', 'wait_timeout', 'max_allowed_packet')",
  );
  const values = new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  const isolation = values.get('transaction_isolation') ?? values.get('tx_isolation');
  expectSetting('isolation level', isolation, 'READ-COMMITTED');
  // The servers write the words in an order of their own.
  const inOrder = (mode: string): string => mode.split(',').sort().join();
  expectSetting('sql_mode', inOrder(values.get('sql_mode') ?? ''), inOrder(sqlMode));
  const lockWait = values.get('innodb_lock_wait_timeout');
  expectSetting('innodb_lock_wait_timeout', lockWait, String(limits.lockWaitSeconds));
  expectSetting('wait_timeout', values.get('wait_timeout'), String(limits.silentSeconds));
  session.packetBytesMax = Number(values.get('max_allowed_packet') ?? 0);
}

function expectSetting(name: string, seen: string | undefined, wanted: string): void {
  if (seen === wanted) return;
  const message = `the session's ${name} is ${String(seen)} though ${wanted} was set`;
  throw new MysqlError({ sort: 'other', errno: 0, key: null, message });
}

async function withinLimit<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(ownTimeLimit(what, limitMs)), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function lost(message: string): MysqlError {
  return new MysqlError({ sort: 'lost', errno: 0, key: null, message });
}

function tooLarge(bytes: number, most: number): MysqlError {
  const message = `a packet of ${bytes} bytes is above max_allowed_packet, ${most}`;
  return new MysqlError({ sort: 'data', errno: 1153, key: null, message });
}

const noResult: StatementResult = { rows: [], affected: 0, insertId: 0n };
