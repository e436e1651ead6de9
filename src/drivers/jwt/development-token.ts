/** Tokens for development: what `roomcell token` prints. Needs the HS256 secret of the deployment. */
import { SignJWT } from 'jose';
import type { Clock } from '../../ports/clock.ts';
import type { Caller } from '../../ports/room-api.ts';

/** A signed token of this caller, valid from now for `ttlMs` (whole seconds). */
export function issueDevelopmentToken(
  secret: string,
  caller: Caller,
  ttlMs: number,
  clock: Clock,
): Promise<string> {
  const nowS = Math.floor(clock.wallMs() / 1_000);
  return new SignJWT({ app_code: caller.appCode, role: caller.role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(caller.subject)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + Math.floor(ttlMs / 1_000))
    .sign(new TextEncoder().encode(secret));
}
