/** Virtual time keeps the contracts of clock and timers, and moves only when it is moved. */
import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { clockContract } from '../../../contract/suites/clock-contract.ts';
import { timersContract } from '../../../contract/suites/timers-contract.ts';

const fixture = () => {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  return { clock: time, timers: time, pass: (ms: number) => time.advance(ms) };
};
clockContract('virtual time', fixture);
timersContract('virtual time', fixture);

describe('virtual time', () => {
  it('runs each timer exactly at its time', async () => {
    const time = new VirtualTime();
    const ranAt: number[] = [];
    for (const delayMs of [30, 10.5, 20]) time.after(delayMs, () => ranAt.push(time.monoMs()));
    await time.advance(25);
    expect(ranAt).toEqual([10.5, 20]);
    expect(time.monoMs()).toBe(25);
    expect(time.nextDueMs).toBe(30);
    expect(time.pending).toBe(1);
  });

  it('stands still while promises run, and lets all of them run before it moves on', async () => {
    const time = new VirtualTime();
    const woken: number[] = [];
    const sleeper = async (): Promise<void> => {
      for (let nap = 0; nap < 3; nap += 1) {
        await time.sleep(10);
        for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
        woken.push(time.monoMs());
      }
    };
    const sleeping = sleeper();
    await time.advance(35);
    await sleeping;
    expect(woken).toEqual([10, 20, 30]);
  });

  it('breaks ties as it is told', () => {
    const picked: number[] = [];
    const time = new VirtualTime({
      pickTied: (count) => {
        picked.push(count);
        return count - 1;
      },
    });
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) time.after(10, () => order.push(name));
    time.after(5, () => order.push('alone'));
    while (time.step(10));
    expect(order).toEqual(['alone', 'c', 'b', 'a']);
    expect(picked).toEqual([3, 2]);
  });

  it('refuses a choice outside of the tie, and to run backwards', async () => {
    const time = new VirtualTime({ pickTied: () => 7 });
    time.after(1, () => undefined);
    time.after(1, () => undefined);
    expect(() => time.step(1)).toThrow('a tie is broken by an index into it');
    const other = new VirtualTime();
    await other.advance(5);
    expect(() => other.step(4)).toThrow('never runs backwards');
  });

  it('lets the wall clock jump without a timer or a duration noticing', async () => {
    const time = new VirtualTime({ startWallMs: 1_000_000 });
    let ran = 0;
    time.after(100, () => (ran += 1));
    time.jumpWall(3_600_000);
    expect([time.wallMs(), time.monoMs(), ran]).toEqual([4_600_000, 0, 0]);
    time.jumpWall(-3_600_500);
    await time.advance(100);
    expect([time.wallMs(), time.monoMs(), ran]).toEqual([999_600, 100, 1]);
  });
});
