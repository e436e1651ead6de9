import { describe, expect, it } from 'vitest';
import { settleWithin } from '../../../../src/drivers/settle-within.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { ManualTime } from '../../../support/manual-time.ts';

describe('settle within', () => {
  it('answers how the work ended', async () => {
    const time = new ManualTime();
    const failure = new Error('no');
    expect(await settleWithin(time, Promise.resolve(7), 10)).toEqual({ kind: 'done', value: 7 });
    expect(await settleWithin(time, Promise.reject(failure), 10)).toEqual({
      kind: 'failed',
      error: failure,
    });
  });

  it('goes on at its limit when the work never ends', async () => {
    const time = new ManualTime();
    const settled = settleWithin(time, new Promise(() => undefined), 250);
    await time.advance(249);
    expect(await Promise.race([settled, Promise.resolve('still waiting')])).toBe('still waiting');
    await time.advance(1);
    expect(await settled).toEqual({ kind: 'timeout' });
  });
});

describe('system timers', () => {
  it('end a sleep at once when its signal aborts, before or during it', async () => {
    const timers = createSystemTimers();
    const abort = new AbortController();
    const sleeping = timers.sleep(60_000, abort.signal);
    abort.abort();
    await sleeping;
    await timers.sleep(60_000, abort.signal);
  });

  it('do not fire at once for a delay beyond what a timer can hold', () => {
    const timers = createSystemTimers();
    let isFired = false;
    const cancel = timers.after(Number.MAX_SAFE_INTEGER, () => (isFired = true));
    return timers.sleep(5).then(() => {
      expect(isFired).toBe(false);
      cancel();
    });
  });
});

describe('system random', () => {
  it('draws fractions in [0, 1) and hex of the asked length', () => {
    const random = createSystemRandom();
    for (let draw = 0; draw < 1_000; draw += 1) {
      const fraction = random.fraction('test');
      expect(fraction).toBeGreaterThanOrEqual(0);
      expect(fraction).toBeLessThan(1);
    }
    expect(random.hex(16, 'test')).toMatch(/^[0-9a-f]{32}$/);
  });
});
