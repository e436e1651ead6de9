/** What every TokenVerifier must do. */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/ports/room-api.ts';
import type { TokenVerdict, TokenVerifier } from '../../../src/ports/token-verifier.ts';

/** Claims of a token; `exp` in seconds. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A verifier, and who signs for it. */
export interface TokenVerifierFixture {
  readonly verifier: TokenVerifier;
  /** What the verifier's clock shows. */
  readonly nowMs: number;
  /** Signs as the verifier expects it. */
  sign(claims: TokenClaims): Promise<string>;
  /** Signs with a key that the verifier does not know. */
  signByStranger(claims: TokenClaims): Promise<string>;
  /** Sets the verifier's clock. */
  moveTo(wallMs: number): void;
  /** What a verifier says whose keys cannot be had, about a token that is good. */
  verifyWithoutKeys(claims: TokenClaims): Promise<TokenVerdict>;
}

/** Declares the suite. */
export function tokenVerifierContract(
  name: string,
  makeFixture: () => Promise<TokenVerifierFixture>,
): void {
  describe(`TokenVerifier contract: ${name}`, () => {
    const claimsAt = (nowMs: number, claims: TokenClaims = {}): TokenClaims => {
      const expires = Math.floor(nowMs / 1_000) + 60;
      const all = { app_code: 'app1', role: 'user', sub: 'u1', exp: expires, ...claims };
      return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    };
    const refused = { kind: 'refused', fault: expect.any(String) };

    it.each([
      { appCode: 'app1', subject: 'u-1_a', role: 'user' },
      { appCode: 'app.2:x', subject: 'svc.backend:1', role: 'service' },
      { appCode: 'app1', subject: 'ops.alice', role: 'operator' },
    ] satisfies Caller[])('names the caller: $role', async (caller) => {
      const { verifier, sign, nowMs } = await makeFixture();
      const claims = { app_code: caller.appCode, sub: caller.subject, role: caller.role };
      const token = await sign(claimsAt(nowMs, claims));
      expect(await verifier.verify(token)).toMatchObject({ kind: 'valid', caller });
    });

    it('judges expiry by its own clock', async () => {
      const { verifier, sign, moveTo, nowMs } = await makeFixture();
      const token = await sign(claimsAt(nowMs));
      moveTo(nowMs + 55_000);
      expect(await verifier.verify(token)).toMatchObject({ kind: 'valid' });
      moveTo(nowMs + 70_000);
      expect(await verifier.verify(token)).toEqual(refused);
      moveTo(nowMs);
      expect(await verifier.verify(token)).toMatchObject({ kind: 'valid' });
    });

    it('says to the millisecond from when on it refuses the token', async () => {
      const { verifier, sign, moveTo, nowMs } = await makeFixture();
      const token = await sign(claimsAt(nowMs));
      const verdict = await verifier.verify(token);
      const expiresAtMs = verdict.kind === 'valid' ? verdict.expiresAtMs : 0;
      moveTo(expiresAtMs - 1);
      expect(await verifier.verify(token)).toMatchObject({ kind: 'valid', expiresAtMs });
      moveTo(expiresAtMs);
      expect(await verifier.verify(token)).toEqual(refused);
    });

    it.each(['exp', 'sub', 'app_code', 'role'])('refuses a token without %s', async (claim) => {
      const { verifier, sign, nowMs } = await makeFixture();
      const token = await sign(claimsAt(nowMs, { [claim]: undefined }));
      expect(await verifier.verify(token)).toEqual(refused);
    });

    it.each([
      { app_code: 'a b' },
      { app_code: 7 },
      { app_code: '' },
      { role: 'admin' },
      { role: 7 },
      { sub: 'user.with.dots' },
      { sub: '' },
      { sub: 'x'.repeat(33) },
    ])('refuses claims that are no ids of ours: %o', async (claims) => {
      const { verifier, sign, nowMs } = await makeFixture();
      const token = await sign(claimsAt(nowMs, claims));
      expect(await verifier.verify(token)).toEqual(refused);
    });

    it('refuses a token of a stranger, and one that was changed', async () => {
      const { verifier, sign, signByStranger, nowMs } = await makeFixture();
      const claims = claimsAt(nowMs);
      expect(await verifier.verify(await signByStranger(claims))).toEqual(refused);
      const mine = (await sign(claims)).split('.');
      const others = (await sign({ ...claims, sub: 'u2' })).split('.');
      const mixed = [...others.slice(0, -1), mine.at(-1)].join('.');
      expect(await verifier.verify(mixed)).toEqual(refused);
    });

    it('refuses what is no token, whatever it is', async () => {
      const { verifier } = await makeFixture();
      for (const text of ['', '.', '..', 'x', 'a.b', 'a.b.c', 'é.é.é', '\0', 'x'.repeat(20_000)]) {
        expect(await verifier.verify(text)).toEqual(refused);
      }
    });

    it('never repeats the token in what it says', async () => {
      const { verifier, sign, signByStranger, nowMs } = await makeFixture();
      const claims = claimsAt(nowMs, { role: 'admin' });
      for (const token of [await sign(claims), await signByStranger(claims)]) {
        const said = JSON.stringify(await verifier.verify(token));
        for (const part of token.split('.')) expect(said).not.toContain(part);
      }
    });

    it('says nothing about a token while it has no keys', async () => {
      const { verifyWithoutKeys, nowMs } = await makeFixture();
      expect(await verifyWithoutKeys(claimsAt(nowMs))).toEqual({
        kind: 'unreachable',
        cause: expect.any(String),
      });
    });
  });
}
