/**
 * The name lock that a commit lane holds on its MySQL connection, by which a successor finds the
 * connection of a frozen owner and ends it. Named locks are server-wide, hence the database name in
 * it: two deployments on one server must not end each other's connections.
 */
import { createHash } from 'node:crypto';

const digestHexDigits = 40;

/**
 * `rc:` and 40 hex digits of SHA-256 over database, incarnation and lane number, joined by NUL: 43
 * characters, and 64 are allowed. Both sides compute it; it is a wire format between releases.
 */
export function writerLockName(database: string, incarnation: string, lane: number): string {
  const name = `${database}\0${incarnation}\0${lane}`;
  const digest = createHash('sha256').update(name, 'utf8').digest('hex');
  return `rc:${digest.slice(0, digestHexDigits)}`;
}
