/** When a lane looks for rows of settled offsets to remove. */
import { describe, expect, it } from 'vitest';
import { SettledRows } from '../../../../src/drivers/mysql/settled-rows.ts';
import type { FenceStep } from '../../../../src/ports/commit-lane.ts';

const fence = (appliedOffset: bigint, settledOffsets: bigint[] = [], epoch = 1n): FenceStep => ({
  partition: 4,
  epoch,
  incarnation: 'one',
  commitSeq: 0n,
  appliedOffset,
  appliedRecordMs: null,
  settledOffsets,
});

describe('rows of settled offsets', () => {
  it('are looked for once at the first transaction of an epoch, then not without need', () => {
    const rows = new SettledRows();
    expect(rows.toClear([fence(1n)])).toHaveLength(1);
    rows.committed([fence(1n)]);
    expect(rows.toClear([fence(2n)])).toHaveLength(0);
    expect(rows.toClear([fence(2n, [], 2n)])).toHaveLength(1);
  });

  it('are removed when the applied offset passes the highest one written', () => {
    const rows = new SettledRows();
    rows.committed([fence(1n, [5n, 3n])]);
    expect(rows.toClear([fence(4n)])).toHaveLength(0);
    rows.committed([fence(4n)]);
    expect(rows.toClear([fence(5n)])).toHaveLength(1);
    rows.committed([fence(5n)]);
    expect(rows.toClear([fence(6n)])).toHaveLength(0);
  });
});
