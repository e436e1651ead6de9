/** The simulation itself: what it does to a process, when a run ends, and how a case is made small. */
import { describe, expect, it } from 'vitest';
import { shrink } from './batch/shrink.ts';
import { Kernel } from './kernel/kernel.ts';
import { SimRandom } from './kernel/sim-random.ts';
import { caseOf } from './plan/sim-case.ts';
import { missedFloors } from './run/sometimes.ts';
import { gatedPort } from './world/gated-port.ts';
import { PodGate } from './world/pod-gate.ts';

function newKernel(): Kernel {
  return new Kernel(new SimRandom(1, 'ties'));
}

/** A process that notes what reaches it. */
function newProcess(kernel: Kernel) {
  const gate = new PodGate(kernel.timersOf('process'), new SimRandom(1, 'process'));
  const seen: string[] = [];
  const note = (what: string) => (): void =>
    void seen.push(`${what} at ${Math.floor(kernel.nowMs)}`);
  return { gate, timers: gate.timers(1), seen, note };
}

describe('the kernel', () => {
  it('tells a run in which nothing can happen any more from one that is over', async () => {
    const stuck = newKernel();
    stuck.timersOf('somebody').after(1, () => undefined);
    expect(await stuck.run(100)).toBe('deadlock');
    const over = newKernel();
    over.timersOf('somebody').after(1, () => over.end());
    expect(await over.run(100)).toBe('done');
    const endless = newKernel();
    const again = (): void => void endless.timersOf('somebody').after(1, again);
    again();
    expect(await endless.run(100)).toBe('tooManyEvents');
  });

  it('lets every promise go on before the next event', async () => {
    const kernel = newKernel();
    const order: string[] = [];
    const timers = kernel.timersOf('somebody');
    timers.after(1, () => {
      void (async () => {
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        order.push('promises');
      })();
    });
    timers.after(1.5, () => order.push('next event'));
    await kernel.run(100);
    expect(order).toEqual(['promises', 'next event']);
  });

  it('rejects with what an event throws', async () => {
    const kernel = newKernel();
    kernel.timersOf('somebody').after(1, () => {
      throw new Error('a fault of the process');
    });
    await expect(kernel.run(100)).rejects.toThrow('a fault of the process');
  });
});

describe('a process', () => {
  it('gets nothing any more once it is killed: no timer, no answer, no call out', async () => {
    const kernel = newKernel();
    const { gate, timers, seen, note } = newProcess(kernel);
    const world = kernel.timersOf('world');
    let asked = 0;
    const port = gatedPort({ ask: () => ((asked += 1), world.sleep(10)) }, gate);
    timers.after(10, note('timer'));
    void port.ask().then(note('answer'));
    world.after(5, () => {
      gate.kill();
      timers.after(1, note('new timer'));
      void port.ask().then(note('second answer'));
    });
    await kernel.run(100);
    expect([seen, asked]).toEqual([[], 1]);
  });

  it('gets what came while it was frozen at the thaw, timers in the order of their times', async () => {
    const kernel = newKernel();
    const { gate, timers, seen, note } = newProcess(kernel);
    const world = kernel.timersOf('world');
    for (const delayMs of [30, 10, 20]) timers.after(delayMs, note(`timer ${delayMs}`));
    void gate.through(world.sleep(15)).then(note('answer'));
    const cancel = timers.after(25, note('cancelled timer'));
    world.after(5, () => gate.freeze());
    world.after(40, cancel);
    world.after(1_000, () => gate.thaw());
    await kernel.run(100);
    expect(seen).toHaveLength(4);
    expect(seen.every((line) => / at 100[0-2]$/.test(line))).toBe(true);
    const order = seen.filter((line) => line.startsWith('timer')).map((line) => line.slice(6, 8));
    expect(order).toEqual(['10', '20', '30']);
  });

  it('makes its calls only when it is awake', async () => {
    const kernel = newKernel();
    const { gate, seen, note } = newProcess(kernel);
    const port = gatedPort({ ask: async () => note('call')() }, gate);
    const world = kernel.timersOf('world');
    world.after(1, () => gate.freeze());
    world.after(2, () => void port.ask());
    world.after(50, () => gate.thaw());
    await kernel.run(100);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/call at 5\d/);
  });
});

describe('making a case small', () => {
  it('keeps what the broken promise needs, and nothing else', async () => {
    const simCase = caseOf(6);
    const needed = simCase.faults[3];
    const neededCall = simCase.workload.calls[5];
    if (needed === undefined || neededCall === undefined) throw new Error('the case is too small');
    const small = await shrink(
      simCase,
      async ({ faults, workload }) =>
        faults.includes(needed) && workload.calls.includes(neededCall),
      () => undefined,
    );
    expect(small.faults).toEqual([needed]);
    expect(small.firings).toEqual([]);
    expect(small.workload.calls).toEqual([neededCall]);
    expect([small.options.cells, small.options.gateways, small.options.partitions]).toEqual([
      1, 1, 1,
    ]);
  });
});

describe('the list of what must have happened', () => {
  it('names what many runs have not seen', () => {
    expect(missedFloors(new Map())).toContain('a fenced commit');
    expect(missedFloors(new Map())).toContain('fault killCell');
    expect(missedFloors(new Map([['cell_commit_ms|fenced', 1]]))).not.toContain('a fenced commit');
  });
});
