/** What a process hears from outside while it is frozen. */
import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../src/drivers/memory/virtual-time.ts';
import { SimRandom } from '../../simulation/kernel/sim-random.ts';
import { gatedHandlers } from '../../simulation/world/gated-port.ts';
import { PodGate } from '../../simulation/world/pod-gate.ts';

const count = 20;

function setUp() {
  const time = new VirtualTime();
  const gate = new PodGate(time, new SimRandom(1, 'gate'));
  const heard: number[] = [];
  const handlers = gatedHandlers({ hear: (nth: number) => void heard.push(nth) }, gate);
  return { time, gate, heard, handlers };
}

describe('the handlers of a frozen process', () => {
  it('are called in their order when it thaws, with those that come in the meantime behind', async () => {
    const { time, gate, heard, handlers } = setUp();
    gate.freeze();
    for (let nth = 1; nth < count; nth += 1) handlers.hear(nth);
    expect(heard).toEqual([]);
    gate.thaw();
    handlers.hear(count);
    for (let turn = 0; turn < 4 * count; turn += 1) {
      await time.advance(1);
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(heard).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  });

  it('are called at once again when nothing waits', async () => {
    const { heard, handlers } = setUp();
    handlers.hear(1);
    expect(heard).toEqual([1]);
    await Promise.resolve();
  });
});
