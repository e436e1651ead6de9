/**
 * Room passwords with scrypt, encoded as `scrypt$N$r$p$salt$hash` (base64url). The salt is an HMAC of
 * (app, room, command id) under a secret of the deployment: two rooms never share one, and a second
 * try of the same command carries the same bytes, so that its payload is the same command.
 *
 * Each computation takes some tens of milliseconds of a thread and 16 MB; few run at once, some may
 * wait, the rest is told GATEWAY_BUSY.
 */
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { PasswordOrigin, Passwords } from '../../ports/passwords.ts';

/** Costs of new hashes, and how many computations there may be. */
export interface ScryptSettings {
  /** Of the deployment, the same on every gateway; at least `secretBytesMin` bytes. */
  readonly secret: string;
  /** CPU and memory cost: a power of two. */
  readonly cost?: number;
  readonly runningMax?: number;
  readonly waitingMax?: number;
}

/** Shorter secrets would let salts be precomputed. */
export const secretBytesMin = 32;
/** Lower than for an account: a room's password is shared by everybody in it, and joins are many. */
const defaultCost = 2 ** 14;
const blockSize = 8;
const parallelization = 1;
const saltBytes = 16;
const hashBytes = 32;
/** Half of the default thread pool: DNS and files need the other half. */
const defaultRunningMax = 2;
const defaultWaitingMax = 64;
const busyRetryMs = 500;
/** Bound of a stored cost, so that a damaged row cannot ask for gigabytes. */
const costMax = 2 ** 17;
const bytesPerBlock = 128;

/** Salt and hash have one length: a hash that was cut short must not match by what is left of it. */
const encodedForm = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

interface Parameters {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

/** Throws when the secret is too short. */
export function createScryptPasswords(settings: ScryptSettings): Passwords {
  if (Buffer.byteLength(settings.secret) < secretBytesMin) {
    throw new Error(`the password secret has fewer than ${secretBytesMin} bytes`);
  }
  const cost = settings.cost ?? defaultCost;
  const turn = createTurns(
    settings.runningMax ?? defaultRunningMax,
    settings.waitingMax ?? defaultWaitingMax,
  );
  return {
    async hash(password, origin) {
      const parameters = { cost, blockSize, parallelization };
      const salt = saltOf(settings.secret, origin);
      const hash = await turn(() => derive(password, salt, hashBytes, parameters));
      const costs = `${cost}$${blockSize}$${parallelization}`;
      return `scrypt$${costs}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
    },
    async verify(password, encodedHash) {
      const { salt, hash, parameters } = decode(encodedHash);
      const given = await turn(() => derive(password, salt, hash.length, parameters));
      return timingSafeEqual(given, hash);
    },
  };
}

function saltOf(secret: string, { appCode, roomId, commandId }: PasswordOrigin): Buffer {
  // NUL occurs in no id: different origins never give the same text.
  const origin = ['room-password', appCode, roomId, commandId].join('\0');
  return createHmac('sha256', secret).update(origin, 'utf8').digest().subarray(0, saltBytes);
}

function decode(encodedHash: string) {
  const [, cost, block, parallel, salt = '', hash = ''] = encodedForm.exec(encodedHash) ?? [];
  const parameters: Parameters = {
    cost: Number(cost),
    blockSize: Number(block),
    parallelization: Number(parallel),
  };
  const isOurs =
    isPowerOfTwo(parameters.cost) &&
    parameters.cost <= costMax &&
    parameters.blockSize === blockSize &&
    parameters.parallelization === parallelization;
  if (!isOurs) {
    throw new Failure('corrupt', 'INTERNAL', 'a stored password hash is not of our form');
  }
  return {
    parameters,
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
}

function isPowerOfTwo(cost: number): boolean {
  return cost > 1 && Number.isInteger(Math.log2(cost));
}

/** Equal texts in different Unicode forms are one password. */
function derive(
  password: string,
  salt: Buffer,
  length: number,
  parameters: Parameters,
): Promise<Buffer> {
  const { cost, blockSize: r, parallelization: p } = parameters;
  const options: ScryptOptions = { N: cost, r, p, maxmem: 2 * bytesPerBlock * cost * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** Runs at most `runningMax` at once and lets `waitingMax` wait, in order. */
function createTurns(runningMax: number, waitingMax: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= runningMax) {
      if (waiting.length >= waitingMax) throw busy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody can slip in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function busy(): Failure {
  return new Failure('retry', 'GATEWAY_BUSY', 'too many passwords are being checked', {
    facts: { produced: 'no' },
    retryAfterMs: busyRetryMs,
  });
}
