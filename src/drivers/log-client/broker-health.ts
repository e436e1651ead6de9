/**
 * Whether the broker answered lately. An idle producer would never notice that its broker is gone
 * (or is back), so a small question is asked whenever nothing else has been answered for a while.
 */
import type { CancelTimer } from '../../ports/timers.ts';
import type { DriverPorts } from '../driver-ports.ts';

const probeEveryMs = 2_000;
/** Silence that long is unhealthy: a probe, its time-out, and one more probe. */
const silenceMaxMs = 8_000;

/** See the file header. */
export class BrokerHealth {
  private readonly probe: () => Promise<void>;
  private readonly deps: DriverPorts;
  private answeredAt = Number.NEGATIVE_INFINITY;
  private isFailing = false;
  private cancel: CancelTimer | null = null;
  private stopped = false;

  constructor(probe: () => Promise<void>, deps: DriverPorts) {
    this.probe = probe;
    this.deps = deps;
  }

  /** The broker has just been reached, so health starts well. */
  start(): void {
    this.answered();
    this.scheduleProbe();
  }

  answered(): void {
    this.answeredAt = this.deps.clock.monoMs();
    this.isFailing = false;
  }

  failed(): void {
    this.isFailing = true;
  }

  isHealthy(): boolean {
    return !this.isFailing && this.silenceMs() < silenceMaxMs;
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  private silenceMs(): number {
    return this.deps.clock.monoMs() - this.answeredAt;
  }

  private scheduleProbe(): void {
    if (this.stopped) return;
    this.cancel = this.deps.timers.after(probeEveryMs, () => void this.probeIfSilent());
  }

  private async probeIfSilent(): Promise<void> {
    if (this.isFailing || this.silenceMs() >= probeEveryMs) {
      try {
        await this.probe();
        this.answered();
      } catch {
        // The reason is in the log already (unreachable broker); here it only counts as no answer.
        this.failed();
      }
    }
    this.scheduleProbe();
  }
}
