/** What a run must have seen, and how it ends its report. */
import { describe, expect, it } from 'vitest';
import { belowFloors, lastLine, lossesOf } from '../../chaos/run/counts.ts';

const whole = { cycles: 5, acked: 1_000, takeovers: 10, unknown: 5, inFlight: 5 };

describe('chaos counts', () => {
  it('asks nothing more of a run that reached every floor', () => {
    expect(belowFloors(whole)).toEqual([]);
  });

  it.each([
    ['acked', { ...whole, acked: 999 }],
    ['takeovers', { ...whole, takeovers: 9 }],
    ['unknown', { ...whole, unknown: 4 }],
    ['in-flight', { ...whole, inFlight: 4 }],
  ])('names the count that stayed under its floor: %s (INV-37)', (name, counts) => {
    const [fault, ...others] = belowFloors(counts);
    expect(fault).toContain(name);
    expect(others).toEqual([]);
  });

  it('sorts what judges report by what it means to a caller', () => {
    const reports = ['INV-1', 'INV-2', 'INV-22', 'INV-10', 'INV-5', 'INV-17'];
    const losses = lossesOf(reports.map((invariant) => ({ invariant })));
    expect(losses).toEqual({ lost: 1, doubled: 2, forked: 2, others: 1 });
  });

  it('ends with the line that scripts read', () => {
    const losses = { lost: 1, doubled: 2, forked: 3, others: 4 };
    expect(lastLine(whole, losses)).toBe(
      'cycles 5, acked 1000, takeovers 10, unknown 5, in-flight-at-fault 5, ' +
        'lost 1, doubled 2, forked 3',
    );
  });
});
