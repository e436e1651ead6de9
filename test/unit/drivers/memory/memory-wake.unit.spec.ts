/** The wake twin keeps the contract, and loses hints on order. */
import { describe, expect, it } from 'vitest';
import { MemoryLogSink } from '../../../../src/drivers/memory/memory-log-sink.ts';
import { MemoryWakeHub } from '../../../../src/drivers/memory/memory-wake.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { wakeContract } from '../../../contract/suites/wake-contract.ts';

wakeContract('memory', () => {
  const context = { timers: createSystemTimers(), log: new MemoryLogSink().log() };
  const hub = new MemoryWakeHub(context);
  const [here, there] = [hub.open(), hub.open()];
  return Promise.resolve({
    here,
    there,
    async close() {
      await Promise.all([here.stop(), there.stop()]);
    },
  });
});

describe('the hub of the wake twin', () => {
  function open() {
    const time = new VirtualTime();
    const sink = new MemoryLogSink();
    const hub = new MemoryWakeHub({ timers: time, log: sink.log() }, { coalesceMs: 5 });
    const woken: string[] = [];
    const end = (name: string) => {
      const wake = hub.open();
      wake.subscribe(() => woken.push(`${name} ${time.monoMs()}`));
      return wake;
    };
    return { time, sink, hub, woken, here: end('here'), there: end('there') };
  }

  it('passes many hints on as one, once the time is over', async () => {
    const { time, woken, here } = open();
    here.hint();
    here.hint();
    await time.advance(10);
    here.hint();
    await time.advance(10);
    expect(woken).toEqual(['here 0', 'here 0', 'there 5', 'here 10', 'there 15']);
  });

  it('loses hints to other processes while it is told to, and only then', async () => {
    const { time, woken, hub, here } = open();
    hub.loses = true;
    here.hint();
    await time.advance(10);
    hub.loses = false;
    here.hint();
    await time.advance(10);
    expect(woken).toEqual(['here 0', 'here 10', 'there 15']);
  });

  it('leaves no timer and wakes nobody after a stop', async () => {
    const { time, woken, here, there } = open();
    here.hint();
    await there.stop();
    await here.stop();
    here.hint();
    expect(time.pending).toBe(0);
    await time.advance(10);
    expect(woken).toEqual(['here 0']);
  });

  it('says that a listener threw', () => {
    const { sink, here } = open();
    here.subscribe(() => {
      throw new Error('a listener with a fault');
    });
    here.hint();
    expect(sink.lines).toMatchObject([
      { level: 'error', fields: { error: { message: 'a listener with a fault' } } },
    ]);
  });
});
