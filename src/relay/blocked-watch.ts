/**
 * Counts the rooms that wait behind a failed row, where the destination blocks, and says so: nothing
 * else would tell an operator that a room's events stand still until somebody acts. It changes
 * nothing. Every relay counts the same; whoever reads the gauge takes the highest.
 */
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { OutboxStore } from '../ports/outbox-store.ts';
import type { Timers } from '../ports/timers.ts';
import type { Destination } from '../protocol/topics.ts';
import { RoundPause } from './round-pause.ts';

/** What the watch stands on. */
export interface BlockedWatchContext {
  readonly store: Pick<OutboxStore, 'blockedRooms'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** See the file header. `start` once; `drain` and `stop` are idempotent. */
export class BlockedWatch {
  private readonly context: BlockedWatchContext;
  private readonly intervalMs: number;
  private readonly pause: RoundPause;
  private loop: Promise<void> | null = null;
  /** Destinations with rooms that wait, as the look before saw them. */
  private readonly known = new Set<Destination>();

  constructor(context: BlockedWatchContext, intervalMs: number) {
    this.context = context;
    this.intervalMs = intervalMs;
    this.pause = new RoundPause(context.timers);
  }

  start(): Promise<void> {
    this.loop = this.run();
    return Promise.resolve();
  }

  /** Resolves when the look in hand is over. */
  async drain(): Promise<void> {
    this.pause.end();
    await this.loop;
  }

  stop(): Promise<void> {
    return this.drain();
  }

  private async run(): Promise<void> {
    while (!this.pause.isOver) {
      await this.look();
      await this.pause.wait(this.intervalMs, 'deaf');
    }
  }

  /** An outage of MySQL is told by the relay itself; the gauge keeps its last value meanwhile. */
  private async look(): Promise<void> {
    const { store, log, metrics } = this.context;
    try {
      for (const { destination, rooms } of await store.blockedRooms()) {
        metrics.gauge('relay_blocked_rooms', rooms, { destination });
        if (rooms === 0) this.known.delete(destination);
        else if (!this.known.has(destination)) {
          this.known.add(destination);
          log.warn({ destination, rooms }, 'rooms wait behind failed rows until an operator acts');
        }
      }
    } catch {
      metrics.count('relay_troubles_total', { what: 'blocked rooms' });
    }
  }
}
