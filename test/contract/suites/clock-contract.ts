/** What every Clock must do. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/ports/clock.ts';

/** A clock and the way to let time pass on it. */
export interface ClockFixture {
  readonly clock: Clock;
  /** Lets at least so much time pass. */
  pass(ms: number): Promise<void>;
}

const readings = 200;
/** What the operating system may adjust a wall clock by while a test runs. */
const wallSlackMs = 5;

/** Declares the suite. */
export function clockContract(name: string, makeFixture: () => ClockFixture): void {
  describe(`Clock contract: ${name}`, () => {
    it('shows the wall time in whole milliseconds that a double holds exactly (CFG-16, NEW-2)', () => {
      const { clock } = makeFixture();
      for (let reading = 0; reading < readings; reading += 1) {
        expect(Number.isSafeInteger(clock.wallMs())).toBe(true);
      }
    });

    it('never runs backwards on the monotonic clock', async () => {
      const { clock, pass } = makeFixture();
      let last = clock.monoMs();
      for (let reading = 0; reading < readings; reading += 1) {
        const next = clock.monoMs();
        expect(next).toBeGreaterThanOrEqual(last);
        last = next;
      }
      await pass(1);
      expect(clock.monoMs()).toBeGreaterThan(last);
    });

    it('counts milliseconds on both clocks alike', async () => {
      const { clock, pass } = makeFixture();
      const from = read(clock);
      await pass(40);
      const to = read(clock);
      expect(to.earliestMs - from.earliestMs).toBeGreaterThanOrEqual(40);
      const passedMs = to.wallMs - from.wallMs;
      expect(passedMs).toBeGreaterThan(to.earliestMs - from.latestMs - wallSlackMs);
      expect(passedMs).toBeLessThan(to.latestMs - from.earliestMs + wallSlackMs);
    });
  });
}

/** A wall time and between which monotonic times it was read: the reader may be put to sleep. */
function read(clock: Clock) {
  const earliestMs = clock.monoMs();
  const wallMs = clock.wallMs();
  return { earliestMs, wallMs, latestMs: clock.monoMs() };
}
