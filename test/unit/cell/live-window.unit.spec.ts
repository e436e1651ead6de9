/** Since when the intake of a partition has been live without a break. */
import { describe, expect, it } from 'vitest';
import {
  LiveWindow,
  lookGapMaxMs,
  sweepEveryMs,
  type IntakeLook,
} from '../../../src/cell/presence/live-window.ts';

const gapMaxMs = 35_000;

/** A look after `ms`, with everything below `applied` settled and the log ending at `end`. */
function lookAt(ms: number, end: bigint, applied: bigint, wallMs = 1_000_000 + ms): IntakeLook {
  return { monoMs: ms, wallMs, endOffset: end, appliedOffset: applied };
}

function windowAfter(...looks: readonly IntakeLook[]): LiveWindow {
  const window = new LiveWindow();
  for (const look of looks) window.look(look, gapMaxMs);
  return window;
}

describe('the live window', () => {
  it('begins at the first look by which all that stood in the log before is settled', () => {
    expect(windowAfter(lookAt(0, 5n, 4n)).sinceAt(0, gapMaxMs)).toBeNull();
    const window = windowAfter(lookAt(0, 5n, 3n), lookAt(10_000, 9n, 4n));
    expect(window.sinceAt(10_000, gapMaxMs)).toBe(10_000);
  });

  it('goes on while what is new is settled by the next look, however much comes', () => {
    const window = windowAfter(
      lookAt(0, 5n, 4n),
      lookAt(10_000, 900n, 600n),
      lookAt(20_000, 2_000n, 899n),
      lookAt(30_000, 2_000n, 1_999n),
    );
    expect(window.sinceAt(30_000, gapMaxMs)).toBe(10_000);
  });

  it('of an empty log that stays empty is live', () => {
    const window = windowAfter(lookAt(0, 0n, -1n), lookAt(10_000, 0n, -1n));
    expect(window.sinceAt(10_000, gapMaxMs)).toBe(10_000);
  });

  it.each([
    ['a record is unsettled for longer than a look', lookAt(20_000, 9n, 7n)],
    ['nobody looked for too long: the process stood still', lookAt(45_001, 9n, 8n)],
    ['the wall clock was set', lookAt(20_000, 9n, 8n, 1_000_000 + 23_000)],
  ])('breaks when %s', (_what, look) => {
    const window = windowAfter(lookAt(0, 9n, 8n), lookAt(10_000, 9n, 8n), look);
    expect(window.sinceAt(look.monoMs, gapMaxMs)).toBeNull();
    const next = look.monoMs + 10_000;
    window.look(lookAt(next, 9n, 8n, look.wallMs + 10_000), gapMaxMs);
    expect(window.sinceAt(next, gapMaxMs)).toBe(next);
  });

  it('breaks when a look fails, and needs two good ones to begin anew', () => {
    const window = windowAfter(lookAt(0, 9n, 8n), lookAt(10_000, 9n, 8n));
    window.broken();
    expect(window.sinceAt(10_000, gapMaxMs)).toBeNull();
    window.look(lookAt(20_000, 9n, 8n), gapMaxMs);
    expect(window.sinceAt(20_000, gapMaxMs)).toBeNull();
    window.look(lookAt(30_000, 9n, 8n), gapMaxMs);
    expect(window.sinceAt(30_000, gapMaxMs)).toBe(30_000);
  });

  it('says nothing about a time at which the last look is too old', () => {
    const window = windowAfter(lookAt(0, 9n, 8n), lookAt(10_000, 9n, 8n));
    expect(window.sinceAt(10_000 + gapMaxMs, gapMaxMs)).toBe(10_000);
    expect(window.sinceAt(10_001 + gapMaxMs, gapMaxMs)).toBeNull();
  });
});

describe('the pace of looks', () => {
  it('is a sixth of the shorter silence, from one to ten seconds, and one missed is no break', () => {
    const of = (presenceStaleAfterMs: number, micHeartbeatStaleAfterMs: number) => ({
      presenceStaleAfterMs,
      micHeartbeatStaleAfterMs,
    });
    expect(sweepEveryMs(of(120_000, 60_000))).toBe(10_000);
    expect(sweepEveryMs(of(120_000, 30_000))).toBe(5_000);
    expect(sweepEveryMs(of(1_000, 60_000))).toBe(1_000);
    expect(sweepEveryMs(of(3_600_000, 3_600_000))).toBe(10_000);
    expect(lookGapMaxMs(of(120_000, 60_000))).toBe(35_000);
  });
});
