/** What every Timers must do, told by the clock that runs them. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';

/** Timers, their clock, and the way to let time pass for both. */
export interface TimersFixture {
  readonly timers: Timers;
  readonly clock: Clock;
  /** Lets so much time pass and everything run that falls due by then. */
  pass(ms: number): Promise<void>;
}

/** Declares the suite. */
export function timersContract(name: string, makeFixture: () => TimersFixture): void {
  describe(`Timers contract: ${name}`, () => {
    it('runs a timer once, in a later turn and never early by the monotonic clock', async () => {
      const { timers, clock, pass } = makeFixture();
      const early: number[] = [];
      let ran = 0;
      // Odd fractions and many tries: a clock that rounds shows itself in some of them.
      for (let timer = 0; timer < 200; timer += 1) {
        const delayMs = (timer % 40) * 0.37;
        const dueMs = clock.monoMs() + delayMs;
        timers.after(delayMs, () => {
          ran += 1;
          if (clock.monoMs() < dueMs) early.push(dueMs - clock.monoMs());
        });
      }
      expect(ran).toBe(0);
      await pass(60);
      expect(ran).toBe(200);
      expect(early).toEqual([]);
      await pass(60);
      expect(ran).toBe(200);
    });

    it('runs timers in the order of their times, and of their setting when those are equal', async () => {
      const { timers, pass } = makeFixture();
      const order: string[] = [];
      timers.after(60, () => order.push('60'));
      timers.after(20, () => order.push('20'));
      timers.after(40, () => order.push('40 a'));
      timers.after(40, () => order.push('40 b'));
      timers.after(0, () => order.push('0'));
      await pass(120);
      expect(order).toEqual(['0', '20', '40 a', '40 b', '60']);
    });

    it('takes a delay below zero for none', async () => {
      const { timers, clock, pass } = makeFixture();
      const setMs = clock.monoMs();
      let ranMs: number | null = null;
      timers.after(-5, () => (ranMs = clock.monoMs()));
      expect(ranMs).toBeNull();
      await pass(20);
      expect(ranMs).toBeGreaterThanOrEqual(setMs);
    });

    it('does not take a very long delay for none', async () => {
      const { timers, pass } = makeFixture();
      let ran = 0;
      const cancel = timers.after(40 * 24 * 3_600_000, () => (ran += 1));
      await pass(30);
      cancel();
      expect(ran).toBe(0);
    });

    it('never runs a timer that was cancelled, and cancels harmlessly twice or late', async () => {
      const { timers, pass } = makeFixture();
      const order: string[] = [];
      const cancel = timers.after(20, () => order.push('cancelled'));
      const cancelRan = timers.after(10, () => order.push('ran'));
      timers.after(10, () => cancel());
      await pass(60);
      cancel();
      cancelRan();
      await pass(20);
      expect(order).toEqual(['ran']);
    });

    it('runs a timer that was set by another', async () => {
      const { timers, pass } = makeFixture();
      const order: string[] = [];
      timers.after(10, () => {
        order.push('first');
        timers.after(10, () => order.push('second'));
      });
      await pass(80);
      expect(order).toEqual(['first', 'second']);
    });

    it('sleeps for its time', async () => {
      const { timers, clock, pass } = makeFixture();
      const startedMs = clock.monoMs();
      let sleptMs: number | null = null;
      const sleeping = timers.sleep(30).then(() => (sleptMs = clock.monoMs() - startedMs));
      await pass(5);
      expect(sleptMs).toBeNull();
      await pass(100);
      await sleeping;
      expect(sleptMs).toBeGreaterThanOrEqual(30);
    });

    it('ends a sleep at once and without a throw when its signal aborts', async () => {
      const { timers } = makeFixture();
      const abort = new AbortController();
      const sleeping = timers.sleep(3_600_000, abort.signal);
      abort.abort();
      expect(await sleeping).toBeUndefined();
      expect(await timers.sleep(3_600_000, abort.signal)).toBeUndefined();
    });

    it('leaves nothing on a signal after a sleep that it did not end', async () => {
      const { timers, pass } = makeFixture();
      const listeners = new Set<unknown>();
      const signal = {
        aborted: false,
        addEventListener: (_: string, listener: unknown) => listeners.add(listener),
        removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
      } as unknown as AbortSignal;
      const sleeping = timers.sleep(5, signal);
      expect(listeners.size).toBe(1);
      await pass(50);
      await sleeping;
      expect(listeners.size).toBe(0);
    });
  });
}
