/** Bearer tokens: who is let in, and as whom. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { issueDevelopmentToken } from '../../../../src/drivers/jwt/development-token.ts';
import { createTokenVerifier } from '../../../../src/drivers/jwt/token-verifier.ts';
import type { Caller } from '../../../../src/ports/room-api.ts';
import type { TokenVerifier } from '../../../../src/ports/token-verifier.ts';
import { tokenVerifierContract } from '../../../contract/suites/token-verifier-contract.ts';

const secret = 'a secret of thirty-two bytes or more';
const nowMs = 1_700_000_000_000;
const nowS = nowMs / 1_000;
const clockAt = (wallMs: number) => ({ wallMs: () => wallMs, monoMs: () => 0 });
const user: Caller = { appCode: 'app1', subject: 'u1', role: 'user' };

const hs256 = (atMs = nowMs) => createTokenVerifier({ kind: 'hs256', secret }, clockAt(atMs));

function signed(claims: Record<string, unknown>, key = secret): Promise<string> {
  const all = { app_code: 'app1', role: 'user', sub: 'u1', exp: nowS + 60, ...claims };
  const present = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(present)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(key));
}

async function faultOf(token: string, verifier?: TokenVerifier): Promise<string> {
  const verdict = await (verifier ?? (await hs256())).verify(token);
  return verdict.kind === 'refused' ? verdict.fault : verdict.kind;
}

describe('a development token', () => {
  test('names its caller until it expires', async () => {
    const token = await issueDevelopmentToken(secret, user, 60_000, clockAt(nowMs));
    expect(await (await hs256()).verify(token)).toMatchObject({ kind: 'valid', caller: user });
    const later = await hs256(nowMs + 66_000);
    expect(await faultOf(token, later)).toBe('token expired');
  });
});

describe('a token that comes with every call', () => {
  /** A verifier with a clock that can be set, and how often it looked at a signature. */
  async function watched(): Promise<{
    readonly verifier: TokenVerifier;
    readonly looks: () => number;
    readonly setClock: (wallMs: number) => void;
  }> {
    let wallMs = nowMs;
    const spy = vi.spyOn(globalThis.crypto.subtle, 'verify');
    spy.mockClear();
    const clock = { wallMs: () => wallMs, monoMs: () => 0 };
    return {
      verifier: await createTokenVerifier({ kind: 'hs256', secret }, clock),
      looks: () => spy.mock.calls.length,
      setClock: (ms) => {
        wallMs = ms;
      },
    };
  }

  test('is looked at once in half a minute', async () => {
    const { verifier, looks, setClock } = await watched();
    const token = await signed({});
    for (let calls = 0; calls < 5; calls += 1)
      expect((await verifier.verify(token)).kind).toBe('valid');
    expect(looks()).toBe(1);
    setClock(nowMs + 30_000);
    expect((await verifier.verify(token)).kind).toBe('valid');
    expect(looks()).toBe(2);
  });

  test('of whatever caller costs one look and no new key', async () => {
    const { verifier, looks } = await watched();
    const keys = vi.spyOn(globalThis.crypto.subtle, 'importKey');
    const tokens = await Promise.all(['u1', 'u2', 'u3'].map((sub) => signed({ sub })));
    keys.mockClear();
    for (const token of tokens) expect((await verifier.verify(token)).kind).toBe('valid');
    expect(looks()).toBe(3);
    expect(keys).not.toHaveBeenCalled();
  });

  test('is refused from the moment on at which it expires', async () => {
    const { verifier, setClock } = await watched();
    const token = await signed({ exp: nowS + 10 });
    expect((await verifier.verify(token)).kind).toBe('valid');
    setClock(nowMs + 14_999);
    expect((await verifier.verify(token)).kind).toBe('valid');
    setClock(nowMs + 15_000);
    expect(await faultOf(token, verifier)).toBe('token expired');
  });

  test('is looked at again when the clock was set back', async () => {
    const { verifier, looks, setClock } = await watched();
    const token = await signed({ nbf: nowS - 3 });
    expect((await verifier.verify(token)).kind).toBe('valid');
    setClock(nowMs - 60_000);
    expect(await faultOf(token, verifier)).toContain('nbf');
    expect(looks()).toBe(2);
  });
});

describe('a token', () => {
  test('of another secret is refused', async () => {
    const token = await signed({}, 'another secret of thirty-two bytes or so');
    expect(await faultOf(token)).toContain('signed by nobody we know');
  });

  test('without a signature is refused', async () => {
    const [, body] = (await signed({})).split('.');
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await faultOf(`${header}.${body}.`)).not.toBe('valid');
  });

  test.each(['exp', 'sub', 'app_code', 'role'])('without %s is refused by name', async (claim) => {
    expect(await faultOf(await signed({ [claim]: undefined }))).toContain(`claim ${claim}`);
  });

  test.each([
    ['app_code', { app_code: 'a b' }],
    ['app_code', { app_code: 7 }],
    ['role', { role: 'admin' }],
    ['sub', { sub: 'user.with.dots' }],
  ])('with a malformed %s is refused', async (claim, claims) => {
    expect(await faultOf(await signed(claims))).toContain(claim);
  });

  test('that is not valid yet is refused', async () => {
    expect(await faultOf(await signed({ nbf: nowS + 60 }))).toContain('nbf');
  });

  test('of a service may have a subject that is no user id', async () => {
    const token = await signed({ role: 'service', sub: 'svc.backend:1' });
    expect(await (await hs256()).verify(token)).toMatchObject({ kind: 'valid' });
  });

  test.each(['', 'x', 'a.b.c', 'x'.repeat(9_000)])('that is none is refused: %#', async (text) => {
    expect(await faultOf(text)).toMatch(/token (malformed|too long)/);
  });

  test('fault texts never repeat the token', async () => {
    const token = await signed({ role: 'admin' });
    expect(await faultOf(token)).not.toContain(token.slice(0, 12));
  });
});

test('a secret that is too short is refused at the start', async () => {
  const short = createTokenVerifier({ kind: 'hs256', secret: 'short' }, clockAt(nowMs));
  await expect(short).rejects.toThrow('fewer than 32 bytes');
});

describe('a key set', () => {
  let folder = '';
  beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'roomcell-jwks-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function keySet(alg: 'RS256' | 'ES256') {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg, kid: 'k1', use: 'sig' };
    const file = path.join(folder, `${alg}.json`);
    writeFileSync(file, JSON.stringify({ keys: [jwk] }));
    const verifier = await createTokenVerifier({ kind: 'jwksFile', path: file }, clockAt(nowMs));
    const sign = (kid: string) =>
      new SignJWT({ app_code: 'app1', role: 'user' })
        .setProtectedHeader({ alg, kid })
        .setSubject('u1')
        .setExpirationTime(nowS + 60)
        .sign(privateKey);
    return { verifier, sign, publicJwk: jwk };
  }

  test.each(['RS256', 'ES256'] as const)('verifies %s tokens of its keys', async (alg) => {
    const { verifier, sign } = await keySet(alg);
    expect(await verifier.verify(await sign('k1'))).toMatchObject({ kind: 'valid', caller: user });
    expect(await faultOf(await sign('k2'), verifier)).toContain('nobody we know');
  });

  test('never takes a public key for a shared secret', async () => {
    const { verifier, publicJwk } = await keySet('RS256');
    const forged = await signed({}, JSON.stringify(publicJwk));
    expect(await faultOf(forged, verifier)).toBe('token signed with another algorithm');
  });

  test('that cannot be fetched says nothing about the token', async () => {
    const keys = { kind: 'jwksUrl', url: 'http://127.0.0.1:9/keys' } as const;
    const verifier = await createTokenVerifier(keys, clockAt(nowMs));
    const { sign } = await keySet('ES256');
    expect(await verifier.verify(await sign('k1'))).toMatchObject({ kind: 'unreachable' });
  });
});

/** The same suite over a shared secret and over a key set; both know how it is without keys. */
describe('the contract of the port', () => {
  const jwtOf = (claims: Record<string, unknown>, alg: string) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: 'k1' });
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  async function fixture(kind: 'secret' | 'key set') {
    let wallMs = nowMs;
    const clock = { wallMs: () => wallMs, monoMs: () => 0 };
    const [known, stranger] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
    const folder = mkdtempSync(path.join(tmpdir(), 'roomcell-jwks-'));
    const file = path.join(folder, 'keys.json');
    const jwk = { ...(await exportJWK(known.publicKey)), alg: 'ES256', kid: 'k1', use: 'sig' };
    writeFileSync(file, JSON.stringify({ keys: [jwk] }));
    const keySet = await createTokenVerifier({ kind: 'jwksFile', path: file }, clock);
    rmSync(folder, { recursive: true });
    const nowhere = { kind: 'jwksUrl', url: 'http://127.0.0.1:9/keys' } as const;
    const withoutKeys = await createTokenVerifier(nowhere, clock);
    const isSecret = kind === 'secret';
    const signWith = (
      claims: Record<string, unknown>,
      text: string,
      key: typeof known.privateKey,
    ) => (isSecret ? jwtOf(claims, 'HS256').sign(bytesOf(text)) : jwtOf(claims, 'ES256').sign(key));
    return {
      verifier: isSecret ? await createTokenVerifier({ kind: 'hs256', secret }, clock) : keySet,
      nowMs,
      sign: (claims: Record<string, unknown>) => signWith(claims, secret, known.privateKey),
      signByStranger: (claims: Record<string, unknown>) =>
        signWith(claims, 'another secret of thirty-two bytes or so', stranger.privateKey),
      moveTo: (ms: number) => void (wallMs = ms),
      verifyWithoutKeys: async (claims: Record<string, unknown>) =>
        withoutKeys.verify(await jwtOf(claims, 'ES256').sign(known.privateKey)),
    };
  }

  tokenVerifierContract('JWT with a shared secret', () => fixture('secret'));
  tokenVerifierContract('JWT with a key set', () => fixture('key set'));
});
