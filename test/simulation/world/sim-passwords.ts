/**
 * Room passwords of a run. The twin in memory answers on a later turn of the event loop, which a run
 * does not have: here the time that a hash takes is the run's.
 */
import { hash } from 'node:crypto';
import type { Timers } from '../../../src/ports/timers.ts';
import type { Passwords } from '../../../src/ports/passwords.ts';
import type { Latency } from './latency.ts';

/** See the file header. */
export function simPasswords(thread: {
  readonly timers: Timers;
  readonly latency: Latency;
}): Passwords {
  const { timers, latency } = thread;
  return {
    async hash(password, { appCode, roomId, commandId }) {
      await timers.sleep(latency.drawMs());
      return encoded(password, digest([appCode, roomId, commandId].join('\0')));
    },
    async verify(password, encodedHash) {
      await timers.sleep(latency.drawMs());
      return encoded(password, encodedHash.split('$')[1] ?? '') === encodedHash;
    },
  };
}

function encoded(password: string, salt: string): string {
  return `sim$${salt}$${digest(`${salt}\0${password}`)}`;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}
