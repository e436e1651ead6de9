/**
 * Memory twin of the token verifier: claims in JSON under a MAC, for one process that signs and
 * checks. No JWT: no other service can read or make these tokens.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Caller } from '../../ports/room-api.ts';
import type { TokenVerdict, TokenVerifier } from '../../ports/token-verifier.ts';

/** Claims as they are signed; nothing is checked before `verify`. `exp` is in seconds. */
export type MemoryTokenClaims = Readonly<Record<string, unknown>>;

const tokenLengthMax = 8_192;

/** See the file header. */
export class MemoryTokenVerifier implements TokenVerifier {
  /** While false, no key can be had: every token ends `unreachable`. */
  hasKeys = true;
  private readonly secret: string;
  private readonly clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.secret = secret;
    this.clock = clock;
  }

  verify(token: string): Promise<TokenVerdict> {
    return Promise.resolve(this.verdictOf(token));
  }

  private verdictOf(token: string): TokenVerdict {
    if (token.length > tokenLengthMax) return refused('token too long');
    const [body, mac, ...more] = token.split('.');
    if (body === undefined || mac === undefined || more.length > 0) {
      return refused('token malformed');
    }
    if (!this.hasKeys) return { kind: 'unreachable', cause: 'the keys cannot be read' };
    const given = Buffer.from(mac, 'base64url');
    const expected = macOf(this.secret, body);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return refused('token signed by nobody we know');
    }
    const text = Buffer.from(body, 'base64url').toString('utf8');
    return this.callerOf((JSON.parse(text) ?? {}) as MemoryTokenClaims);
  }

  private callerOf(claims: MemoryTokenClaims): TokenVerdict {
    const { exp, sub: subject, app_code: appCode, role } = claims;
    if (typeof exp !== 'number') return refused('claim exp is missing');
    if (this.clock.wallMs() >= exp * 1_000) return refused('token expired');
    if (typeof appCode !== 'string' || wideIdFault(appCode) !== null) {
      return refused('claim app_code is malformed');
    }
    if (!isRole(role)) return refused('claim role is none of ours');
    if (typeof subject !== 'string') return refused('claim sub is missing');
    const subjectFault = role === 'user' ? userIdFault(subject) : wideIdFault(subject);
    if (subjectFault !== null) return refused('claim sub is malformed');
    return { kind: 'valid', caller: { appCode, subject, role }, expiresAtMs: exp * 1_000 };
  }
}

/** A token that a verifier of the same secret accepts, if its claims are good. */
export function signMemoryToken(secret: string, claims: MemoryTokenClaims): string {
  const body = Buffer.from(JSON.stringify(claims), 'utf8').toString('base64url');
  return `${body}.${macOf(secret, body).toString('base64url')}`;
}

function macOf(secret: string, body: string): Buffer {
  return createHmac('sha256', secret).update(body, 'utf8').digest();
}

function isRole(role: unknown): role is Caller['role'] {
  return role === 'user' || role === 'service' || role === 'operator';
}

function refused(fault: string): TokenVerdict {
  return { kind: 'refused', fault };
}
