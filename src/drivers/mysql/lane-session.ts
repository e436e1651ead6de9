/**
 * The one connection of a commit lane. It holds the lane's name lock from its first moment, by which
 * a successor finds it (architecture section 2) and by which the lane itself finds what is left of
 * its own former connection.
 */
import { writerLockName } from '../../protocol/lock-name.ts';
import { laneSession } from './connection-settings.ts';
import type { MysqlServerSettings, SessionLimits } from './connection-settings.ts';
import { MysqlError, toMysqlError } from './mysql-errors.ts';
import { openSession } from './session.ts';
import type { MysqlSession } from './session.ts';

/** How long the former connection may take to end after KILL. */
const formerEndSeconds = 2;

/** Whose name lock to take. */
export interface WriterIdentity {
  readonly incarnation: string;
  readonly lane: number;
}

/**
 * Opens a lane's connection, ending the lane's former one first. Throws MysqlError.
 *
 * Scenario 1: the lane's connection breaks in mid-transaction and the server has not noticed; the
 * old session still holds fence rows, and its COMMIT may still be on its way. The name lock is held
 * by exactly that session, so it is ended by the lock and not by a remembered number, which after a
 * restart of the server may be somebody else's. A session's locks go after its transaction, so
 * holding the name means: the old transaction is over. Test: "a lane that lost its connection ends
 * its own old one before it goes on".
 */
export async function openLaneSession(
  server: MysqlServerSettings,
  identity: WriterIdentity,
  limits: SessionLimits = laneSession,
): Promise<MysqlSession> {
  const lockName = writerLockName(server.database, identity.incarnation, identity.lane);
  return openNamedSession(server, lockName, limits);
}

/** Opens a connection that holds `lockName`, ending the one that holds it so far. Throws MysqlError. */
export async function openNamedSession(
  server: MysqlServerSettings,
  lockName: string,
  limits: SessionLimits,
): Promise<MysqlSession> {
  const session = await openSession(server, limits);
  try {
    if (await takeLock(session, lockName, 0)) return session;
    await endHolder(session, lockName);
    if (await takeLock(session, lockName, formerEndSeconds)) return session;
  } catch (thrown) {
    session.destroy();
    throw toMysqlError(thrown);
  }
  session.destroy();
  const message = `the former connection still holds ${lockName}`;
  throw new MysqlError({ sort: 'lockWait', errno: 0, key: null, message });
}

/** What became of an attempt to end a lane's connection. */
export type EndedHolder = 'ended' | 'nobody' | 'notPermitted';

/** Ends the connection that holds `lockName`, if there is one. Throws MysqlError. */
export async function endHolder(session: MysqlSession, lockName: string): Promise<EndedHolder> {
  const rows = await session.rows('SELECT IS_USED_LOCK(?) AS holder', [lockName]);
  const holder = rows[0]?.['holder'] ?? null;
  if (holder === null) return 'nobody';
  try {
    await session.run(`KILL ${BigInt(String(holder))}`);
    return 'ended';
  } catch (thrown) {
    const error = toMysqlError(thrown);
    // It ended between the two statements.
    if (error.sort === 'noSuchThread') return 'nobody';
    // Another user's connection: its wait_timeout has to free what it holds.
    if (error.sort === 'denied') return 'notPermitted';
    throw error;
  }
}

async function takeLock(
  session: MysqlSession,
  lockName: string,
  waitSeconds: number,
): Promise<boolean> {
  const rows = await session.rows('SELECT GET_LOCK(?, ?) AS held', [lockName, waitSeconds]);
  return String(rows[0]?.['held']) === '1';
}
