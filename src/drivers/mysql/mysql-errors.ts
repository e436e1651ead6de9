/**
 * The one table that says what an error of MySQL or MariaDB means. Everything above it branches on
 * the sort, never on numbers or texts. Numbers are the servers' own; those marked (MariaDB) or
 * (MySQL) exist in one of the two only.
 */
import { Failure } from '../../kernel/failure.ts';

/** What an error means for whoever ran the statement. */
export type MysqlErrorSort =
  /** The server rolled the transaction back; all of it may be tried again. */
  | 'deadlock'
  /** A lock was not granted in time. The transaction is still open: roll it back. */
  | 'lockWait'
  /** A unique key has this value already; `key` names it. */
  | 'duplicate'
  /** The data itself is refused; trying again meets the same answer. */
  | 'data'
  /** The server takes no writes now. */
  | 'readOnly'
  /** No connection is to be had. */
  | 'tooMany'
  /** No room on disk, or the storage engine failed. */
  | 'storage'
  /** Login or privilege. */
  | 'denied'
  /** There is no connection with this id. */
  | 'noSuchThread'
  /** Somebody ended the statement, the connection or the server. */
  | 'killed'
  /** The connection is gone and nobody knows what the server did last. */
  | 'lost'
  /** A statement ran longer than it may, at the server or by our own clock. */
  | 'timeLimit'
  /** Anything else: a fault of ours or of the schema. */
  | 'other';

/** The table. `test/unit/drivers/mysql-errors.unit.spec.ts` reads it back row by row. */
export const sortByErrno: Readonly<Record<number, MysqlErrorSort>> = {
  1020: 'deadlock', // ER_CHECKREAD (MariaDB, innodb_snapshot_isolation)
  1213: 'deadlock', // ER_LOCK_DEADLOCK
  1614: 'deadlock', // ER_XA_RBDEADLOCK
  3101: 'deadlock', // ER_TRANSACTION_ROLLBACK_DURING_COMMIT (MySQL, group replication)
  1205: 'lockWait', // ER_LOCK_WAIT_TIMEOUT
  3572: 'lockWait', // ER_LOCK_NOWAIT (MySQL)
  1062: 'duplicate', // ER_DUP_ENTRY
  1586: 'duplicate', // ER_DUP_ENTRY_WITH_KEY_NAME
  1048: 'data', // ER_BAD_NULL_ERROR
  1118: 'data', // ER_TOO_BIG_ROWSIZE
  1153: 'data', // ER_NET_PACKET_TOO_LARGE; the server closes the connection too
  1264: 'data', // ER_WARN_DATA_OUT_OF_RANGE
  1265: 'data', // WARN_DATA_TRUNCATED
  1292: 'data', // ER_TRUNCATED_WRONG_VALUE
  1300: 'data', // ER_INVALID_CHARACTER_STRING
  1301: 'data', // ER_WARN_ALLOWED_PACKET_OVERFLOWED
  1364: 'data', // ER_NO_DEFAULT_FOR_FIELD
  1366: 'data', // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
  1367: 'data', // ER_ILLEGAL_VALUE_FOR_TYPE
  1406: 'data', // ER_DATA_TOO_LONG
  1452: 'data', // ER_NO_REFERENCED_ROW_2
  1526: 'data', // ER_NO_PARTITION_FOR_GIVEN_VALUE
  1690: 'data', // ER_DATA_OUT_OF_RANGE
  3140: 'data', // ER_INVALID_JSON_TEXT (MySQL)
  3819: 'data', // ER_CHECK_CONSTRAINT_VIOLATED (MySQL)
  3854: 'data', // ER_CANNOT_CONVERT_STRING (MySQL)
  4025: 'data', // ER_CONSTRAINT_FAILED (MariaDB)
  1290: 'readOnly', // ER_OPTION_PREVENTS_STATEMENT: --read-only
  1792: 'readOnly', // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836: 'readOnly', // ER_READ_ONLY_MODE
  3100: 'readOnly', // ER_RUN_HOOK_ERROR (MySQL, group replication refuses the write)
  1040: 'tooMany', // ER_CON_COUNT_ERROR
  1203: 'tooMany', // ER_TOO_MANY_USER_CONNECTIONS
  1226: 'tooMany', // ER_USER_LIMIT_REACHED
  3: 'storage', // EE_WRITE
  28: 'storage', // no space left on device
  1021: 'storage', // ER_DISK_FULL
  1026: 'storage', // ER_ERROR_ON_WRITE
  1030: 'storage', // ER_GET_ERRNO
  1114: 'storage', // ER_RECORD_FILE_FULL
  1180: 'storage', // ER_ERROR_DURING_COMMIT
  1206: 'storage', // ER_LOCK_TABLE_FULL
  1044: 'denied', // ER_DBACCESS_DENIED_ERROR
  1045: 'denied', // ER_ACCESS_DENIED_ERROR
  1095: 'denied', // ER_KILL_DENIED_ERROR
  1142: 'denied', // ER_TABLEACCESS_DENIED_ERROR
  1227: 'denied', // ER_SPECIFIC_ACCESS_DENIED_ERROR
  1698: 'denied', // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
  1094: 'noSuchThread', // ER_NO_SUCH_THREAD
  1053: 'killed', // ER_SERVER_SHUTDOWN
  1317: 'killed', // ER_QUERY_INTERRUPTED; the connection may live on
  1927: 'killed', // ER_CONNECTION_KILLED (MariaDB)
  3168: 'killed', // ER_SERVER_ISNT_AVAILABLE (MySQL)
  3169: 'killed', // ER_SESSION_WAS_KILLED (MySQL)
  4031: 'killed', // ER_CLIENT_INTERACTION_TIMEOUT (MySQL): wait_timeout passed
  1152: 'lost', // ER_ABORTING_CONNECTION
  1158: 'lost', // ER_NET_READ_ERROR
  1159: 'lost', // ER_NET_READ_INTERRUPTED
  1160: 'lost', // ER_NET_ERROR_ON_WRITE
  1161: 'lost', // ER_NET_WRITE_INTERRUPTED
  1184: 'lost', // ER_NEW_ABORTING_CONNECTION
  1969: 'timeLimit', // ER_STATEMENT_TIMEOUT (MariaDB)
  3024: 'timeLimit', // ER_QUERY_TIMEOUT (MySQL)
};

/** Why a statement, or the opening of a connection, failed. */
export class MysqlError extends Error {
  readonly sort: MysqlErrorSort;
  /** The server's number; 0 when no server answered. */
  readonly errno: number;
  /** For `duplicate`: the bare name of the key, without the table that MySQL puts in front. */
  readonly key: string | null;

  constructor(fields: {
    sort: MysqlErrorSort;
    errno: number;
    key: string | null;
    message: string;
    cause?: unknown;
  }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'MysqlError';
    this.sort = fields.sort;
    this.errno = fields.errno;
    this.key = fields.key;
  }
}

/** A limit of our own passed: `what` names what was waited for. */
export function ownTimeLimit(what: string, limitMs: number): MysqlError {
  const message = `${what} did not end within ${limitMs} ms`;
  return new MysqlError({ sort: 'timeLimit', errno: 0, key: null, message });
}

/** Sorts whatever mysql2 handed out. Idempotent. */
export function toMysqlError(thrown: unknown): MysqlError {
  if (thrown instanceof MysqlError) return thrown;
  const { errno, code, message } = fieldsOf(thrown);
  // Node's own errors (ECONNRESET, EPIPE …) carry negative numbers, mysql2's (PROTOCOL_…) none.
  if (errno <= 0) {
    const text = code === '' ? message : `${code}: ${message}`;
    return new MysqlError({ sort: 'lost', errno: 0, key: null, message: text, cause: thrown });
  }
  const sort = sortByErrno[errno] ?? 'other';
  const key = sort === 'duplicate' ? keyNameIn(message) : null;
  return new MysqlError({ sort, errno, key, message: `${errno} ${message}`, cause: thrown });
}

/**
 * The failure for callers of the pool: Retry for whatever may pass, Reject for data that no retry
 * will make fit.
 */
export function toFailure(thrown: unknown, what: string): Failure {
  if (thrown instanceof Failure) return thrown;
  const error = toMysqlError(thrown);
  const facts = { what, sort: error.sort, errno: String(error.errno) };
  if (error.sort === 'data') {
    return new Failure('reject', 'DATA_REFUSED', `${what}: ${error.message}`, {
      facts,
      cause: error,
    });
  }
  return new Failure('retry', 'UNAVAILABLE', `${what}: ${error.message}`, {
    facts,
    retryAfterMs: retryAfterMs,
    cause: error,
  });
}

/** A first guess for callers that have no backoff of their own. */
const retryAfterMs = 500;

/** MySQL writes `for key 'table.key'`, MariaDB `for key 'key'`; the value before may hold quotes. */
function keyNameIn(message: string): string | null {
  const match = /for key '(?:[^'.]*\.)?([^'.]+)'[^']*$/.exec(message);
  return match?.[1] ?? null;
}

function fieldsOf(thrown: unknown): { errno: number; code: string; message: string } {
  if (!(thrown instanceof Error)) return { errno: 0, code: '', message: String(thrown) };
  const { errno, code } = thrown as { errno?: unknown; code?: unknown };
  return {
    errno: typeof errno === 'number' ? errno : 0,
    code: typeof code === 'string' ? code : '',
    message: thrown.message,
  };
}
