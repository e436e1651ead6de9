/** What every Trace must do when nobody ordered a crash. */
import { describe, expect, it } from 'vitest';
import { tracePoints } from '../../../src/ports/trace.ts';
import type { Trace, TracePoint } from '../../../src/ports/trace.ts';

/** A trace and how often each point was passed. */
export interface TraceFixture {
  readonly trace: Trace;
  passed(point: TracePoint): number;
}

/** Declares the suite. */
export function traceContract(name: string, makeFixture: () => TraceFixture): void {
  describe(`Trace contract: ${name}`, () => {
    it('counts each pass of each point for itself, and returns', () => {
      const { trace, passed } = makeFixture();
      tracePoints.forEach((point, nth) => {
        for (let pass = 0; pass <= nth; pass += 1) expect(trace.at(point)).toBeUndefined();
      });
      expect(tracePoints.map(passed)).toEqual(tracePoints.map((_, nth) => nth + 1));
    });
  });
}
