import { describe, expect, it } from 'vitest';
import { Breaker } from '../../../../src/drivers/redis/breaker.ts';

function rig() {
  let nowMs = 0;
  let openings = 0;
  const clock = { wallMs: () => nowMs, monoMs: () => nowMs };
  const breaker = new Breaker(clock, () => (openings += 1));
  return {
    breaker,
    pass: (ms: number) => (nowMs += ms),
    openings: () => openings,
    /** One call that fails, if it is allowed. */
    failOnce(): boolean {
      const isAllowed = breaker.allows();
      if (isAllowed) breaker.failed();
      return isAllowed;
    },
  };
}

describe('breaker', () => {
  it('opens at the third failure in a row, for five seconds, and says so once', () => {
    const { breaker, pass, openings, failOnce } = rig();
    expect([failOnce(), failOnce()]).toEqual([true, true]);
    expect(breaker.allows()).toBe(true);
    breaker.failed();
    expect(breaker.allows()).toBe(false);
    pass(4_999);
    expect(breaker.allows()).toBe(false);
    pass(1);
    expect(breaker.allows()).toBe(true);
    expect(openings()).toBe(1);
  });

  it('counts only failures in a row', () => {
    const { breaker, failOnce } = rig();
    failOnce();
    failOnce();
    expect(breaker.allows()).toBe(true);
    breaker.succeeded();
    failOnce();
    failOnce();
    expect(breaker.isOpen).toBe(false);
  });

  it('lets one trial through after the pause; its end decides', () => {
    const { breaker, pass, openings, failOnce } = rig();
    [1, 2, 3].forEach(failOnce);
    pass(5_000);
    expect(breaker.allows()).toBe(true);
    expect(breaker.allows(), 'a second trial beside the first').toBe(false);
    breaker.failed();
    expect(breaker.allows()).toBe(false);
    pass(5_000);
    expect(breaker.allows()).toBe(true);
    breaker.succeeded();
    expect([breaker.allows(), breaker.allows()]).toEqual([true, true]);
    expect(openings()).toBe(1);
  });

  it('is not held open by late failures of calls made before it opened', () => {
    const { breaker, pass } = rig();
    for (let call = 0; call < 5; call += 1) breaker.allows();
    for (let call = 0; call < 3; call += 1) breaker.failed();
    pass(4_000);
    breaker.failed();
    breaker.failed();
    pass(1_000);
    expect(breaker.allows()).toBe(true);
  });
});
