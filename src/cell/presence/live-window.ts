/**
 * Since when the intake of one partition has been live without a break. A look is good when all that
 * stood in the log at the look before is settled by now: then whatever was heard up to there is known.
 * A paused partition, an outage of Kafka or MySQL and a frozen process all fail that, so one rule
 * sees them all. After a failure the window begins anew with the next good look (PRES-22).
 *
 * The cost of the one rule: a partition whose log ends in records that are never delivered (markers
 * of a transaction; nothing of ours writes any) is not live before the next real record.
 */
import type { StaleAfter } from './soft-times.ts';

/** Wall and monotonic time may part by this much between two looks: clocks are disciplined. */
const clockStepMaxMs = 2_000;

/** One look at a partition. */
export interface IntakeLook {
  readonly monoMs: number;
  readonly wallMs: number;
  /** Where the log ends now. */
  readonly endOffset: bigint;
  readonly appliedOffset: bigint;
}

/** See the file header. */
export class LiveWindow {
  private last: IntakeLook | null = null;
  private sinceMonoMs: number | null = null;

  /**
   * Two looks further apart than `gapMaxMs` are a break: who looks stood still meanwhile. False: the
   * window is broken, or this was the first look.
   */
  look(now: IntakeLook, gapMaxMs: number): boolean {
    const { last } = this;
    this.last = now;
    const isLive = last !== null && isUnbroken(last, now, gapMaxMs);
    this.sinceMonoMs = isLive ? (this.sinceMonoMs ?? now.monoMs) : null;
    return isLive;
  }

  /** The look failed. */
  broken(): void {
    this.last = null;
    this.sinceMonoMs = null;
  }

  /** Beginning of the window as of `monoMs`; null: not live, or not looked at for too long. */
  sinceAt(monoMs: number, gapMaxMs: number): number | null {
    if (this.last === null || monoMs - this.last.monoMs > gapMaxMs) return null;
    return this.sinceMonoMs;
  }
}

function isUnbroken(last: IntakeLook, now: IntakeLook, gapMaxMs: number): boolean {
  const passedMs = now.monoMs - last.monoMs;
  const steppedMs = Math.abs(now.wallMs - last.wallMs - passedMs);
  if (passedMs > gapMaxMs || steppedMs > clockStepMaxMs) return false;
  return now.appliedOffset + 1n >= last.endOffset;
}

/** Shortest and longest time between two looks at a partition. */
const paceMs = { least: 1_000, most: 10_000 };
/** Looks within the shorter of the two silences that make somebody stale. */
const looksPerSilence = 6;
/** A look may take so long beside its pace: the bound of one question to the brokers. */
const lookTakesMs = 5_000;

/** How often partitions are looked at and rooms are swept. */
export function sweepEveryMs(options: StaleAfter): number {
  const { presenceStaleAfterMs, micHeartbeatStaleAfterMs } = options;
  const silenceMs = Math.min(presenceStaleAfterMs, micHeartbeatStaleAfterMs);
  return Math.min(Math.max(silenceMs / looksPerSilence, paceMs.least), paceMs.most);
}

/** Time between two looks that is a break of the window: one look missed is not. */
export function lookGapMaxMs(options: StaleAfter): number {
  return 3 * sweepEveryMs(options) + lookTakesMs;
}
