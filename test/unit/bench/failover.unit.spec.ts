/** Figures of fail-overs from what single rooms waited, and what is a fault whatever the figures are. */
import { describe, expect, it } from 'vitest';
import {
  failoverFaults,
  failoverTables,
  gapOf,
  sumOf,
  type FailoverResult,
} from '../../../bench/failover/failover-figures.ts';

const gap = gapOf(2, [7_000, 6_000, 8_000, 6_500]);
const result: FailoverResult = {
  ...{ at: '', node: '', cpus: 2, stack: '', sessionTimeoutMs: 6_000, partitions: 16 },
  ...{ killed: gap, restarted: gap },
  stopped: { ...gap, calls: 80, retried: 3, failed: 0 },
  frozen: { ...gap, refused: 2 },
  leaves: { rounds: 2, moved: 11, share: 10 },
  joins: { rounds: 2, moved: 10, share: 10 },
};

describe('figures of fail-overs', () => {
  it('count the waits of all rooms together', () => {
    const wanted = { rounds: 2, rooms: 4, p50Ms: 6_500, p95Ms: 8_000, worstMs: 8_000 };
    expect(gap).toEqual(wanted);
    expect(sumOf([result.leaves, result.joins])).toEqual({ rounds: 4, moved: 21, share: 20 });
  });

  it('are told as tables', () => {
    const tables = failoverTables(result);
    expect(tables).toContain('| killed | 2 | 4 | 6500 | 8000 | 8000 |');
    expect(tables).toContain('2 of 2 late writes refused');
    expect(tables).toContain('| leaves | 2 | 11 | 10 | 1.10 |');
  });

  it('call a late write that counted, and a call that failed at its retry, a fault', () => {
    expect(failoverFaults(result)).toEqual([]);
    const late = { ...result, frozen: { ...result.frozen, refused: 1 } };
    expect(failoverFaults(late)).toHaveLength(1);
    const failed = { ...result, stopped: { ...result.stopped, failed: 2 } };
    expect(failoverFaults(failed)).toHaveLength(1);
  });
});
