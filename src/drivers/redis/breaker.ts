/**
 * Stops asking somebody who does not answer. Three failures in a row open it; while it is open no
 * call is made at all; then one call is let through, and its end closes or reopens it.
 */
import type { Clock } from '../../ports/clock.ts';

/** When it opens and for how long. */
export interface BreakerSettings {
  readonly failuresToOpen: number;
  readonly openMs: number;
}

/** Three failures, five seconds (architecture section 3). */
export const breakerDefaults: BreakerSettings = { failuresToOpen: 3, openMs: 5_000 };

/** See the file header. Every `allows()` that answered true must be followed by one of the ends. */
export class Breaker {
  private readonly clock: Clock;
  private readonly settings: BreakerSettings;
  private readonly onOpen: () => void;
  private failures = 0;
  private openUntilMs: number | null = null;
  private isTrying = false;

  /** `onOpen` is called once per opening, not for reopenings after a failed trial. */
  constructor(clock: Clock, onOpen: () => void, settings: BreakerSettings = breakerDefaults) {
    this.clock = clock;
    this.onOpen = onOpen;
    this.settings = settings;
  }

  get isOpen(): boolean {
    return this.openUntilMs !== null;
  }

  /** Whether a call may be made now. While open, one trial at a time once the pause is over. */
  allows(): boolean {
    if (this.openUntilMs === null) return true;
    if (this.isTrying || this.clock.monoMs() < this.openUntilMs) return false;
    this.isTrying = true;
    return true;
  }

  succeeded(): void {
    this.failures = 0;
    this.openUntilMs = null;
    this.isTrying = false;
  }

  failed(): void {
    this.failures += 1;
    const wasOpen = this.isOpen;
    if (!wasOpen && this.failures < this.settings.failuresToOpen) return;
    // Late failures of calls made before it opened must not lengthen the pause.
    if (wasOpen && !this.isTrying) return;
    this.isTrying = false;
    this.openUntilMs = this.clock.monoMs() + this.settings.openMs;
    if (!wasOpen) this.onOpen();
  }
}
