/** The sums of the heartbeat bench, and the tables that people read. */
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../../bench/figures.ts';
import { beatFailures, beatTables } from '../../../bench/heartbeats/beat-figures.ts';
import type { BeatLoad, BeatResult } from '../../../bench/heartbeats/beat-figures.ts';
import { pacedLoop } from '../../../bench/paced-loop.ts';
import { usageOf } from '../../../bench/role-usage.ts';
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';

const timers = createSystemTimers();

describe('an open loop', () => {
  it('sends at its pace while nothing is answered, and counts the wait from when a call was due', async () => {
    let open = 0;
    let most = 0;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const ask = async (call: number): Promise<boolean> => {
      open += 1;
      most = Math.max(most, open);
      // The last call of all lets every earlier one go.
      if (call === 59) release();
      await released;
      open -= 1;
      return true;
    };
    const pace = { perSecond: 1_000, warmUpMs: 20, measureMs: 40 };
    const figures = await pacedLoop(ask, pace, timers);
    expect(most).toBe(60);
    expect(figures).toMatchObject({ callers: 1_000, perSecond: 1_000, failures: 0 });
    // The first measured call was due 39 ms before the one that let it go.
    expect(figures.p99Ms).toBeGreaterThanOrEqual(39);
  });

  it('counts failures apart, and none of the warm-up', async () => {
    const ask = (call: number): Promise<boolean> => Promise.resolve(call % 2 === 0);
    const figures = await pacedLoop(ask, { perSecond: 1_000, warmUpMs: 10, measureMs: 20 }, timers);
    expect(figures).toMatchObject({ perSecond: 500, failures: 10 });
  });
});

describe("a process's own metrics", () => {
  it('say what it used', () => {
    const text = [
      '# HELP process_cpu_seconds_total Time.',
      'process_cpu_seconds_total 1.5',
      'process_resident_memory_bytes 1000',
      'nodejs_heap_space_size_used_bytes{space="old"} 400',
      'nodejs_heap_space_size_used_bytes{space="new"} 300',
    ].join('\n');
    expect(usageOf(text)).toEqual({ cpuSeconds: 1.5, residentBytes: 1_000, oldSpaceBytes: 400 });
  });
});

describe('the tables of heartbeats', () => {
  const load = (fold: string, commandMs: number, records: number): BeatLoad => ({
    fold,
    beats: fold === '' ? null : figuresOf(400, [100, 200], 5, 1),
    commands: figuresOf(20, [commandMs], 50, 0),
    seconds: 10,
    gatewayCpuSeconds: 4,
    cellCpuSeconds: 1,
    machineBusy: 0.5,
    folds: { records, bytes: records * 1_024 },
    statements: 100,
  });
  const result: BeatResult = {
    at: '',
    node: '',
    cpus: 2,
    stack: '',
    rooms: 12,
    users: 120_000,
    joinsPerSecond: 700,
    cellBytesPerUser: 900,
    cellResidentBytes: 300 * 1_024 * 1_024,
    loads: [load('', 20, 0), load('250 ms', 30, 200)],
    limits: [
      { what: 'fold', figures: { ...figuresOf(1, [5], 1, 0), perSecond: 500 } },
      { what: 'bare', figures: { ...figuresOf(1, [5], 1, 0), perSecond: 1_000 } },
    ],
  };

  it('hold each load to the one without heartbeats, and each limit to the best', () => {
    const tables = beatTables(result);
    expect(tables).toContain('| no heartbeats | 0 | – | – | 40 % | 10 % | 50 % | 0 | – | 0 | 10 |');
    expect(tables).toContain(
      '| 250 ms | 400 | 100 | 200 | 40 % | 10 % | 50 % | 20 | 20.0 | 20 | 10 | 30 | 30 | 1.50 |',
    );
    expect(tables).toContain('| fold | 500 | 5 | 5 | 0.50 |');
    expect(tables).toContain('joined at 700/s; the cell holds 900 bytes a user, 300 MiB in all');
  });

  it('count every call that ended otherwise than expected', () => {
    expect(beatFailures(result)).toBe(1);
  });
});
