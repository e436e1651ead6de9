/**
 * The name locks that processes hold on their MySQL connections. Named locks are server-wide, hence the
 * database name in them: two deployments on one server must not meet.
 */
import { createHash } from 'node:crypto';

const digestHexDigits = 40;

/**
 * Held by a commit lane, by which a successor finds the connection of a frozen owner and ends it: `rc:` and
 * 40 hex digits of SHA-256 over database, incarnation and lane number, joined by NUL: 43 characters, and 64
 * are allowed. Both sides compute it; it is a wire format between releases.
 */
export function writerLockName(database: string, incarnation: string, lane: number): string {
  return lockName(database, incarnation, `${lane}`);
}

/**
 * Held by a cell's process for as long as it lives, by which the next process under its node's name sees
 * that it is dead. Of the same form, with `node` in place of the lane number.
 */
export function nodeLockName(database: string, incarnation: string): string {
  return lockName(database, incarnation, 'node');
}

function lockName(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('\0'), 'utf8').digest('hex');
  return `rc:${digest.slice(0, digestHexDigits)}`;
}
