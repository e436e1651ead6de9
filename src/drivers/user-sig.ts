/**
 * UserSig of Tencent Cloud, version 2.0, for IM and RTC: signs (the IM client, RTC tickets) and
 * verifies (the stand-ins). It lies beside the drivers' folders because both sides of the wire need
 * it. The clock is a parameter.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';

/** What a signature binds. Times are whole seconds since 1970. */
export interface UserSigFields {
  readonly sdkAppId: number;
  readonly identifier: string;
  readonly timeSeconds: number;
  readonly expireSeconds: number;
  /** Bound as well, and carried along: the rights of an RTC ticket (`private-map-key.ts`). */
  readonly userBuf?: Uint8Array;
}

/** What verifying found; `fault` is for logs and never holds the key. */
export type UserSigVerdict =
  | { readonly ok: true; readonly userBuf: Uint8Array | null }
  | { readonly ok: false; readonly fault: string };

/** Longest unpacked text; a real one has about 200 bytes, and the packed form comes from outside. */
const textBytesMax = 4_096;

/** Signs with the app's secret key, which is used as text. */
export function signUserSig(key: string, fields: UserSigFields): string {
  const text = JSON.stringify({
    'TLS.ver': '2.0',
    'TLS.identifier': fields.identifier,
    'TLS.sdkappid': fields.sdkAppId,
    'TLS.time': fields.timeSeconds,
    'TLS.expire': fields.expireSeconds,
    ...(fields.userBuf === undefined ? {} : { 'TLS.userbuf': base64Of(fields.userBuf) }),
    'TLS.sig': signature(key, fields),
  });
  return urlForm(deflateSync(Buffer.from(text, 'utf8')).toString('base64'));
}

/** The JSON inside a UserSig, unverified; null when there is none. */
export function decodeUserSig(userSig: string): Readonly<Record<string, unknown>> | null {
  try {
    const packed = Buffer.from(base64Form(userSig), 'base64');
    const text = inflateSync(packed, { maxOutputLength: textBytesMax }).toString('utf8');
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // Not packed, not JSON, or too large: nothing that we would have signed.
    return null;
  }
}

/** Checks signature, owner and expiry. */
export function verifyUserSig(
  key: string,
  userSig: string,
  expected: { readonly sdkAppId: number; readonly identifier: string },
  nowSeconds: number,
): UserSigVerdict {
  const value = decodeUserSig(userSig);
  if (value === null) return { ok: false, fault: 'it cannot be unpacked' };
  const carried = value['TLS.userbuf'];
  const userBuf = typeof carried === 'string' ? Buffer.from(carried, 'base64') : null;
  const fields: UserSigFields = {
    sdkAppId: Number(value['TLS.sdkappid']),
    identifier: String(value['TLS.identifier']),
    timeSeconds: Number(value['TLS.time']),
    expireSeconds: Number(value['TLS.expire']),
    ...(userBuf === null ? {} : { userBuf }),
  };
  if (fields.sdkAppId !== expected.sdkAppId) return { ok: false, fault: 'another app' };
  if (fields.identifier !== expected.identifier) return { ok: false, fault: 'another identifier' };
  const given = Buffer.from(String(value['TLS.sig']), 'base64');
  const right = Buffer.from(signature(key, fields), 'base64');
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    return { ok: false, fault: 'signed with another key' };
  }
  if (fields.timeSeconds + fields.expireSeconds <= nowSeconds) {
    return { ok: false, fault: 'expired' };
  }
  return { ok: true, userBuf };
}

function signature(key: string, fields: UserSigFields): string {
  const text =
    `TLS.identifier:${fields.identifier}\nTLS.sdkappid:${fields.sdkAppId}\n` +
    `TLS.time:${fields.timeSeconds}\nTLS.expire:${fields.expireSeconds}\n` +
    (fields.userBuf === undefined ? '' : `TLS.userbuf:${base64Of(fields.userBuf)}\n`);
  return createHmac('sha256', key).update(text, 'utf8').digest('base64');
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function urlForm(base64: string): string {
  return base64.replace(/\+/g, '*').replace(/\//g, '-').replace(/=/g, '_');
}

function base64Form(urlText: string): string {
  return urlText.replace(/\*/g, '+').replace(/-/g, '/').replace(/_/g, '=');
}
