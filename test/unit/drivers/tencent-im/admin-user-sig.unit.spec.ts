/** When the admin's signature is made anew. */
import { describe, expect, it } from 'vitest';
import { AdminUserSig } from '../../../../src/drivers/tencent-im/admin-user-sig.ts';
import { decodeUserSig } from '../../../../src/drivers/user-sig.ts';
import { SteppedTime } from '../../../support/stepped-time.ts';

const hourMs = 3_600_000;
const account = { sdkAppId: 1_400_000_001, identifier: 'administrator', secretKey: 'k'.repeat(32) };

describe('the admin’s signature', () => {
  it('is kept for a day and made anew well before it expires', () => {
    const time = new SteppedTime();
    const userSig = new AdminUserSig(account, time);
    const first = userSig.get();
    time.advance(24 * hourMs);
    expect(userSig.get()).toBe(first);
    time.advance(1);
    const second = userSig.get();
    expect(second).not.toBe(first);
    const { 'TLS.time': timeSeconds, 'TLS.expire': expireSeconds } = decodeUserSig(second) ?? {};
    expect(timeSeconds).toBe(Math.floor(time.wallMs() / 1_000));
    expect(expireSeconds).toBe(48 * 3_600);
  });

  it('is made anew after a refusal', () => {
    const time = new SteppedTime();
    const userSig = new AdminUserSig(account, time);
    const first = userSig.get();
    time.advance(5_000);
    expect(userSig.get()).toBe(first);
    userSig.drop();
    expect(userSig.get()).not.toBe(first);
  });

  it('is made anew when the clock was set back: it would begin in the future', () => {
    let nowMs = 1_700_000_000_000;
    const userSig = new AdminUserSig(account, { wallMs: () => nowMs, monoMs: () => 0 });
    const first = userSig.get();
    nowMs -= 10_000;
    expect(userSig.get()).not.toBe(first);
  });
});
