/**
 * Bearer tokens as JWTs: HS256 with a shared secret, or RS256/ES256 with a key set from a file or an
 * address. Claims: `app_code`, `sub`, `role`, `exp`; all four must be there. The algorithms are
 * fixed by the kind of key, so that a public key can never be used as a shared secret.
 */
import { readFile } from 'node:fs/promises';
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey } from 'jose';
import { userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Caller } from '../../ports/room-api.ts';
import type { TokenVerdict, TokenVerifier } from '../../ports/token-verifier.ts';

/** Where the keys come from. A secret has at least `secretBytesMin` bytes. */
export type TokenKeys =
  | { readonly kind: 'hs256'; readonly secret: string }
  | { readonly kind: 'jwksFile'; readonly path: string }
  | { readonly kind: 'jwksUrl'; readonly url: string };

/** Shorter secrets can be guessed from one token. */
export const secretBytesMin = 32;
/** Our clock and the issuer's may differ by this much. */
const clockToleranceS = 5;
/** A real token is below 2 KB; a longer text is not even parsed. */
const tokenLengthMax = 8_192;
const keysTimeoutMs = 3_000;
const keysCooldownMs = 30_000;
const keysMaxAgeMs = 600_000;

/**
 * A good token is believed again for this long without looking at its signature: a caller sends the
 * same one with every call. A key that was taken out of a key set is refused that much later.
 */
const rememberMs = 30_000;
/** Tokens remembered; when there are more, all are forgotten and looked at again. */
const rememberedMax = 50_000;

interface Remembered {
  readonly verdict: TokenVerdict;
  readonly fromMs: number;
  readonly untilMs: number;
}

const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };

type Verify = (token: string, nowMs: number) => Promise<JWTPayload>;

/** Reads the key file, if that is where the keys are; throws when keys or secret are unusable. */
export async function createTokenVerifier(keys: TokenKeys, clock: Clock): Promise<TokenVerifier> {
  const verify = await verifyWith(keys);
  const remembered = new Map<string, Remembered>();
  return {
    async verify(token) {
      if (token.length > tokenLengthMax) return { kind: 'refused', fault: 'token too long' };
      const nowMs = clock.wallMs();
      const known = remembered.get(token);
      // A wall clock that was set back is no reason to believe: the token may not be valid yet.
      if (known !== undefined && nowMs >= known.fromMs && nowMs < known.untilMs) {
        return known.verdict;
      }
      try {
        const claims = await verify(token, nowMs);
        const verdict = callerOf(claims);
        if (remembered.size >= rememberedMax) remembered.clear();
        const untilMs = Math.min(nowMs + rememberMs, expiryOf(claims));
        remembered.set(token, { verdict, fromMs: nowMs, untilMs });
        return verdict;
      } catch (thrown) {
        return faultOf(thrown);
      }
    },
  };
}

async function verifyWith(keys: TokenKeys): Promise<Verify> {
  if (keys.kind === 'hs256') {
    const secret = new TextEncoder().encode(keys.secret);
    if (secret.length < secretBytesMin) {
      throw new Error(`the HS256 secret has fewer than ${secretBytesMin} bytes`);
    }
    // Once: handed over as bytes, it would be made into a key again with every token.
    const key = await globalThis.crypto.subtle.importKey('raw', secret, hmacSha256, false, [
      'verify',
    ]);
    return async (token, nowMs) =>
      (await jwtVerify(token, key, { ...claimRules(nowMs), algorithms: ['HS256'] })).payload;
  }
  const getKey = await keySet(keys);
  return async (token, nowMs) =>
    (await jwtVerify(token, getKey, { ...claimRules(nowMs), algorithms: ['RS256', 'ES256'] }))
      .payload;
}

async function keySet(keys: Exclude<TokenKeys, { kind: 'hs256' }>): Promise<JWTVerifyGetKey> {
  if (keys.kind === 'jwksFile') {
    const text = await readFile(keys.path, 'utf8');
    return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  }
  return createRemoteJWKSet(new URL(keys.url), {
    timeoutDuration: keysTimeoutMs,
    cooldownDuration: keysCooldownMs,
    cacheMaxAge: keysMaxAgeMs,
  });
}

function claimRules(nowMs: number) {
  return {
    currentDate: new Date(nowMs),
    clockTolerance: clockToleranceS,
    requiredClaims: ['exp', 'sub', 'app_code', 'role'],
  };
}

/** A good signature over odd claims is still refused: the claims become ids. */
function callerOf(claims: JWTPayload): TokenVerdict {
  const { sub: subject = '', app_code: appCode, role } = claims;
  if (typeof appCode !== 'string' || wideIdFault(appCode) !== null) {
    return { kind: 'refused', fault: 'claim app_code is malformed' };
  }
  if (!isRole(role)) return { kind: 'refused', fault: 'claim role is none of ours' };
  // A user's subject is its user id; services and operators have names of their own.
  const subjectFault = role === 'user' ? userIdFault(subject) : wideIdFault(subject);
  if (subjectFault !== null) return { kind: 'refused', fault: 'claim sub is malformed' };
  return { kind: 'valid', caller: { appCode, subject, role }, expiresAtMs: expiryOf(claims) };
}

/** The tolerance is granted to the end of a token as to its beginning. */
function expiryOf({ exp = 0 }: JWTPayload): number {
  return (exp + clockToleranceS) * 1_000;
}

function isRole(role: unknown): role is Caller['role'] {
  return role === 'user' || role === 'service' || role === 'operator';
}

/** Sentences of our own: texts of the library may repeat parts of the token. */
function faultOf(thrown: unknown): TokenVerdict {
  if (thrown instanceof errors.JWTExpired) return { kind: 'refused', fault: 'token expired' };
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    return { kind: 'refused', fault: `claim ${thrown.claim} is missing or not valid now` };
  }
  if (thrown instanceof errors.JOSEAlgNotAllowed) {
    return { kind: 'refused', fault: 'token signed with another algorithm' };
  }
  const isKeySetAway =
    thrown instanceof errors.JWKSTimeout || !(thrown instanceof errors.JOSEError);
  // The library's plain JOSEError is what a key set answers with another status than 200.
  if (isKeySetAway || thrown.code === 'ERR_JOSE_GENERIC') {
    return { kind: 'unreachable', cause: 'the key set cannot be read' };
  }
  return { kind: 'refused', fault: 'token malformed or signed by nobody we know' };
}
