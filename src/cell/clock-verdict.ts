/**
 * Whether this machine's wall clock is right, by the database's (architecture section 2): deadlines,
 * bans and expiries of a room are decided by its owner's clock, so a node that is too far off may own
 * nothing. The database's time is taken for that of the middle of the call, which is wrong by half a
 * round trip at most: a slow database makes a look uncertain and never a clock wrong.
 */
import type { CellContext } from './cell-context.ts';

/** See the file header. */
export class ClockVerdict {
  private readonly context: Pick<CellContext, 'clock' | 'log' | 'metrics' | 'options'>;
  private off = false;
  /** Since when every certain look found it right; null: the last one did not. */
  private rightSinceMonoMs: number | null = null;

  constructor(context: ClockVerdict['context']) {
    this.context = context;
  }

  get isOff(): boolean {
    return this.off;
  }

  /** Judges one look, sent at `sentMonoMs` and answered now. True: the verdict is another one. */
  judge(databaseMs: number, sentMonoMs: number): boolean {
    const { clock, options, metrics } = this.context;
    const nowMonoMs = clock.monoMs();
    const halfTripMs = (nowMonoMs - sentMonoMs) / 2;
    const aheadMs = clock.wallMs() - halfTripMs - databaseMs;
    metrics.gauge('cell_clock_ahead_ms', Math.round(aheadMs));
    if (Math.abs(aheadMs) - halfTripMs > options.clockOffMaxMs) return this.foundOff(aheadMs);
    if (Math.abs(aheadMs) + halfTripMs > options.clockOffMaxMs) return false;
    return this.foundRight(nowMonoMs);
  }

  private foundOff(aheadMs: number): boolean {
    this.rightSinceMonoMs = null;
    if (this.off) return false;
    this.off = true;
    const { log, metrics, options } = this.context;
    metrics.count('cell_clock_off_total');
    log.error(
      { state: 'CLOCK_OFF', aheadMs: Math.round(aheadMs), limitMs: options.clockOffMaxMs },
      'the clock of this machine is off: the node leaves the group until it is right',
    );
    return true;
  }

  private foundRight(nowMonoMs: number): boolean {
    if (!this.off) return false;
    this.rightSinceMonoMs ??= nowMonoMs;
    if (nowMonoMs - this.rightSinceMonoMs < this.context.options.clockRightForMs) return false;
    this.off = false;
    this.rightSinceMonoMs = null;
    this.context.log.warn({}, 'the clock of this machine is right again');
    return true;
  }
}
