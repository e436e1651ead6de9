/**
 * Memory twin of the wake: a hub in one process with an end for each process that it stands for.
 * Own listeners hear a hint at once, those of other ends a little later, many hints as one. Hints to
 * other ends get lost on order.
 */
import type { CancelTimer, Timers } from '../../ports/timers.ts';
import type { Log } from '../../ports/log.ts';
import type { Wake } from '../../ports/wake.ts';

/** Times in ms. */
export interface MemoryWakeSettings {
  /** Hints of one end within this time reach the others as one. Default 3. */
  readonly coalesceMs?: number;
}

const defaultCoalesceMs = 3;

/** What all ends share. */
export class MemoryWakeHub {
  /** While true, no hint leaves the process that gives it. */
  loses = false;
  private readonly ends = new Set<MemoryWake>();
  private readonly coalesceMs: number;
  private readonly context: { readonly timers: Timers; readonly log: Log };

  constructor(
    context: { readonly timers: Timers; readonly log: Log },
    settings: MemoryWakeSettings = {},
  ) {
    this.context = context;
    this.coalesceMs = settings.coalesceMs ?? defaultCoalesceMs;
  }

  /** A new end, for one process. */
  open(): MemoryWake {
    const end = new MemoryWake(this.context.log, (from) => this.publishLater(from));
    this.ends.add(end);
    return end;
  }

  private publishLater(from: MemoryWake): CancelTimer {
    return this.context.timers.after(this.coalesceMs, () => {
      from.published();
      if (this.loses) return;
      for (const end of this.ends) if (end !== from) end.tellListeners();
    });
  }
}

/** See the file header. */
export class MemoryWake implements Wake {
  private readonly log: Log;
  private readonly publishLater: (from: MemoryWake) => CancelTimer;
  private readonly listeners = new Map<symbol, () => void>();
  private cancelPublish: CancelTimer | null = null;
  private isStopped = false;

  constructor(log: Log, publishLater: (from: MemoryWake) => CancelTimer) {
    this.log = log;
    this.publishLater = publishLater;
  }

  hint(): void {
    if (this.isStopped) return;
    this.tellListeners();
    this.cancelPublish ??= this.publishLater(this);
  }

  subscribe(onHint: () => void): () => void {
    const subscription = Symbol('subscription');
    this.listeners.set(subscription, onHint);
    return () => this.listeners.delete(subscription);
  }

  /** Hears and says nothing any more. */
  stop(): Promise<void> {
    this.isStopped = true;
    this.cancelPublish?.();
    this.listeners.clear();
    return Promise.resolve();
  }

  /** The hub has passed on what was hinted until now. */
  published(): void {
    this.cancelPublish = null;
  }

  /** One listener's fault takes the hint from no other, and never reaches who hinted. */
  tellListeners(): void {
    for (const listener of this.listeners.values()) {
      try {
        listener();
      } catch (thrown) {
        this.log.error({ error: thrown }, 'a listener of wake hints threw');
      }
    }
  }
}
