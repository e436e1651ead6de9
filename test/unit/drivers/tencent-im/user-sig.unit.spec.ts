/** Signatures of Tencent Cloud IM against values that other implementations made. */
import { describe, expect, it } from 'vitest';
import { decodeUserSig, signUserSig, verifyUserSig } from '../../../../src/drivers/user-sig.ts';

/** The vendor's public demonstration key. */
const key = '5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e';
const sdkAppId = 1_400_000_000;
const timeSeconds = 1_700_000_000;

describe('UserSig', () => {
  it.each([
    ['xiaojun', 15_552_000, 'LvA7d/Iw7gSsnskvVzBDPOCCDbuNCw4GHwTC0bip+B4='],
    ['administrator', 86_400, 'yLAe+w7WUeUuqbV9h/TX78u21oTGi+i9Zp1u3PpnY60='],
  ])('of %s holds the known signature', (identifier, expireSeconds, signature) => {
    const userSig = signUserSig(key, { sdkAppId, identifier, timeSeconds, expireSeconds });
    expect(decodeUserSig(userSig)).toEqual({
      'TLS.ver': '2.0',
      'TLS.identifier': identifier,
      'TLS.sdkappid': sdkAppId,
      'TLS.time': timeSeconds,
      'TLS.expire': expireSeconds,
      'TLS.sig': signature,
    });
    expect(userSig).toMatch(/^[A-Za-z0-9*_-]+$/);
  });

  it('that another implementation packed is read and verified', () => {
    const foreign =
      'eJyrVgrxCdYrSy1SslIy0jNQ0gHzM1NS80oy0zLBwhWZiflZpXlQqeKU7MSCgswUJStDEwMogMiUZOamKlkZmqOK' +
      'plYUZBaBxE1NTY3gosWZ6UpWSj5ljuYp*p7l5unBxXnF2WVhVU4uAf7Ozi5JpX7O5SbuHuUhzgZJmQXaTia2SrUA' +
      'ohcx8g__';
    const expected = { sdkAppId, identifier: 'xiaojun' };
    expect(verifyUserSig(key, foreign, expected, timeSeconds)).toEqual({ ok: true, userBuf: null });
  });

  it('is refused when expired, foreign, forged or broken', () => {
    const fields = { sdkAppId, identifier: 'admin', timeSeconds, expireSeconds: 100 };
    const good = signUserSig(key, fields);
    const fault = (userSig: string, app: number, identifier: string, now: number) => {
      const verdict = verifyUserSig(key, userSig, { sdkAppId: app, identifier }, now);
      return verdict.ok ? 'fine' : verdict.fault;
    };
    expect(fault(good, sdkAppId, 'admin', timeSeconds + 99)).toBe('fine');
    expect(fault(good, sdkAppId, 'admin', timeSeconds + 100)).toBe('expired');
    expect(fault(good, 7, 'admin', timeSeconds)).toBe('another app');
    expect(fault(good, sdkAppId, 'root', timeSeconds)).toBe('another identifier');
    const forged = signUserSig('another key', fields);
    expect(fault(forged, sdkAppId, 'admin', timeSeconds)).toBe('signed with another key');
    expect(fault('not a signature', sdkAppId, 'admin', timeSeconds)).toBe('it cannot be unpacked');
    expect(fault('', sdkAppId, 'admin', timeSeconds)).toBe('it cannot be unpacked');
  });
});
