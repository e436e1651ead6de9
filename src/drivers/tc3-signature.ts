/**
 * Signatures of Tencent's server interface (TC3-HMAC-SHA256): made by the RTC client, checked by its
 * stand-in, and so beside the drivers' folders. The clock is a parameter.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature binds. `host` as the header says it, `body` byte for byte as it is sent. */
export interface Tc3Request {
  readonly service: string;
  readonly host: string;
  readonly action: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** An account of the interface. */
export interface Tc3Account {
  readonly secretId: string;
  readonly secretKey: string;
}

/** The content type that every request has, as it is signed. */
export const tc3ContentType = 'application/json; charset=utf-8';
/** How far a request's time may be from the vendor's. */
const clockSkewSeconds = 300;
const method = 'TC3-HMAC-SHA256';
const signedHeaders = 'content-type;host;x-tc-action';

/** The value of the header `Authorization`. */
export function tc3Authorization(account: Tc3Account, request: Tc3Request): string {
  const scope = `${dateOf(request.timestampSeconds)}/${request.service}/tc3_request`;
  const credential = `Credential=${account.secretId}/${scope}`;
  const signature = tc3Signature(account.secretKey, request);
  return `${method} ${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

/** The vendor's code for what is wrong with a signed request; null when it is good. */
export function tc3Fault(
  account: Tc3Account,
  request: Tc3Request,
  authorization: string,
  nowSeconds: number,
): string | null {
  if (!authorization.includes(`Credential=${account.secretId}/`)) {
    return 'AuthFailure.SecretIdNotFound';
  }
  const ageSeconds = nowSeconds - request.timestampSeconds;
  if (!(Math.abs(ageSeconds) <= clockSkewSeconds)) return 'AuthFailure.SignatureExpire';
  const given = Buffer.from(authorization);
  const right = Buffer.from(tc3Authorization(account, request));
  const isRight = given.length === right.length && timingSafeEqual(given, right);
  return isRight ? null : 'AuthFailure.SignatureFailure';
}

/** Hex of SHA-256 over the canonical form of the request, which is what is signed of it. */
export function tc3RequestHash({ host, action, body }: Tc3Request): string {
  const headers =
    `content-type:${tc3ContentType}\nhost:${host}\n` + `x-tc-action:${action.toLowerCase()}\n`;
  return sha256(`POST\n/\n\n${headers}\n${signedHeaders}\n${sha256(body)}`);
}

/** The signature, in hex. */
export function tc3Signature(secretKey: string, request: Tc3Request): string {
  const { service, timestampSeconds } = request;
  const date = dateOf(timestampSeconds);
  const scope = `${date}/${service}/tc3_request`;
  const text = `${method}\n${timestampSeconds}\n${scope}\n${tc3RequestHash(request)}`;
  const ofDate = hmac(`TC3${secretKey}`, date);
  const ofService = hmac(ofDate, service);
  return hmac(hmac(ofService, 'tc3_request'), text).toString('hex');
}

function dateOf(seconds: number): string {
  // A time that no date has comes from outside only, and matches no signature of ours.
  return Number.isFinite(seconds) ? new Date(seconds * 1000).toISOString().slice(0, 10) : '';
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
