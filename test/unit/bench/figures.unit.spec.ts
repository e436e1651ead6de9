/** The sums of the bench, and the table that people read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedLoop } from '../../../bench/closed-loop.ts';
import { figuresOf, percentile } from '../../../bench/figures.ts';
import { topOfProfile } from '../../../bench/profile.ts';
import { tableOf, type BenchResult } from '../../../bench/report.ts';

describe('figures', () => {
  it('count what ended per second, and find the middle and the slowest by rank', () => {
    const durations = Array.from({ length: 200 }, (_, at) => at + 1).reverse();
    expect(figuresOf(16, durations, 4_000, 3)).toEqual({
      callers: 16,
      perSecond: 50,
      p50Ms: 100,
      p99Ms: 198,
      failures: 3,
    });
  });

  it('of nothing are nothing', () => {
    expect(percentile([], 0.5)).toBe(0);
    expect(figuresOf(1, [], 1_000, 0)).toMatchObject({ perSecond: 0, p50Ms: 0 });
  });
});

describe('a closed loop', () => {
  it('counts failures apart and keeps every caller at one call at a time', async () => {
    let open = 0;
    let most = 0;
    const ask = async (): Promise<boolean> => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return false;
    };
    const figures = await closedLoop([ask, ask, ask], { warmUpMs: 0, measureMs: 30 });
    expect(figures).toMatchObject({ callers: 3, perSecond: 0 });
    expect(figures.failures).toBeGreaterThan(0);
    expect(most).toBe(3);
  });
});

describe('the table', () => {
  it('shows each level with its ratio to the pipeline and to the best bare rows', () => {
    const level = (perSecond: number) => figuresOf(64, [10, 20], 1_000, perSecond);
    const result: BenchResult = {
      at: '',
      node: '',
      cpus: 2,
      stack: '',
      levels: [
        {
          service: { ...level(0), perSecond: 500 },
          pipeline: { ...level(0), perSecond: 2_000 },
        },
      ],
      bareRows: [
        { ...level(0), callers: 1, perSecond: 3_000, batchSize: 200 },
        { ...level(0), callers: 4, perSecond: 5_000, batchSize: 50 },
      ],
      profiles: {},
    };
    expect(tableOf(result)).toContain('| 64 | 500 | 10 | 20 | 2000 | 10 | 0.25 | 0.10 |');
    expect(tableOf(result)).toContain('| 4 connections | 5000 | 50 | 10 |');
  });
});

describe('a profile', () => {
  it('is shared out among functions by their own time, without the idle time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'roomcell-profile-test-'));
    const node = (id: number, functionName: string, url = '') => ({
      id,
      callFrame: { functionName, url },
    });
    const profile = {
      nodes: [
        node(1, '(idle)'),
        node(2, 'decide', 'file:///x/dist/src/domain/room/decide.js'),
        node(3, '', '/x/node_modules/kafkajs/src/a.js'),
      ],
      samples: [1, 2, 3, 2],
      timeDeltas: [1_000, 30, 10, 60],
    };
    try {
      expect(topOfProfile(folder, 10)).toBeNull();
      writeFileSync(join(folder, 'CPU.cpuprofile'), JSON.stringify(profile));
      expect(topOfProfile(folder, 10)).toEqual([
        { name: 'decide dist/src/domain/room/decide.js', share: 0.9 },
        { name: '(anonymous) node_modules/kafkajs/src/a.js', share: 0.1 },
      ]);
      expect(topOfProfile(folder, 1)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
