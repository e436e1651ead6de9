/**
 * Memory twin of the passwords: quick, and therefore nothing for a deployment. It keeps the promises
 * of the port: the same bytes for the same origin, a bounded number of computations, damage is told.
 * Encoded as `memory$salt$hash` (base64url).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { PasswordOrigin, Passwords } from '../../ports/passwords.ts';

/** Secret and bound. */
export interface MemoryPasswordsSettings {
  /** Of the deployment, the same on every gateway. */
  readonly secret: string;
  /** Computations that may be under way; one more is told GATEWAY_BUSY. Default 64. */
  readonly underWayMax?: number;
}

const defaultUnderWayMax = 64;
const busyRetryMs = 500;
const saltBytes = 16;
const encodedForm = /^memory\$([\w-]{22})\$([\w-]{43})$/;

/** See the file header. */
export class MemoryPasswords implements Passwords {
  private readonly settings: MemoryPasswordsSettings;
  private underWay = 0;

  constructor(settings: MemoryPasswordsSettings) {
    this.settings = settings;
  }

  async hash(password: string, origin: PasswordOrigin): Promise<string> {
    const salt = saltOf(this.settings.secret, origin);
    const hash = await this.inTurn(() => derive(password, salt));
    return `memory$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  async verify(password: string, encodedHash: string): Promise<boolean> {
    const [, salt, hash] = encodedForm.exec(encodedHash) ?? [];
    if (salt === undefined || hash === undefined) {
      throw new Failure('corrupt', 'INTERNAL', 'a stored password hash is not of our form');
    }
    const given = await this.inTurn(() => derive(password, Buffer.from(salt, 'base64url')));
    return timingSafeEqual(given, Buffer.from(hash, 'base64url'));
  }

  /** On a later turn, as a thread's answer comes. */
  private async inTurn(work: () => Buffer): Promise<Buffer> {
    if (this.underWay >= (this.settings.underWayMax ?? defaultUnderWayMax)) throw busy();
    this.underWay += 1;
    try {
      await new Promise((resolve) => setImmediate(resolve));
      return work();
    } finally {
      this.underWay -= 1;
    }
  }
}

function saltOf(secret: string, { appCode, roomId, commandId }: PasswordOrigin): Buffer {
  const origin = [appCode, roomId, commandId].join('\0');
  return createHmac('sha256', secret).update(origin, 'utf8').digest().subarray(0, saltBytes);
}

/** Equal texts in different Unicode forms are one password. */
function derive(password: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(password.normalize('NFC'), 'utf8').digest();
}

function busy(): Failure {
  return new Failure('retry', 'GATEWAY_BUSY', 'too many passwords are being checked', {
    facts: { produced: 'no' },
    retryAfterMs: busyRetryMs,
  });
}
