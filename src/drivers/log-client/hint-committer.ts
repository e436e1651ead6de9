/**
 * Stores group offsets as a hint for people and lag tools. One commit is under way at a time; what
 * comes meanwhile replaces what waits, so that a slow coordinator never piles anything up.
 */
import { settleWithin } from '../settle-within.ts';
import type { DriverPorts } from '../driver-ports.ts';

/** An offset that the group would go on with. */
export interface OffsetHint {
  readonly partition: number;
  readonly offsetNext: bigint;
}

const commitWithinMs = 5_000;

/** See the file header. */
export class HintCommitter {
  private readonly store: (offsets: readonly OffsetHint[]) => Promise<void>;
  private readonly topic: string;
  private readonly deps: DriverPorts;
  private readonly waiting = new Map<number, bigint>();
  private running: Promise<void> | null = null;

  constructor(
    store: (offsets: readonly OffsetHint[]) => Promise<void>,
    topic: string,
    deps: DriverPorts,
  ) {
    this.store = store;
    this.topic = topic;
    this.deps = deps;
  }

  /** Never rejects. Resolves when the hint, or a newer one, was stored or given up. */
  commit(offsets: readonly OffsetHint[]): Promise<void> {
    if (offsets.length === 0) return Promise.resolve();
    for (const { partition, offsetNext } of offsets) this.waiting.set(partition, offsetNext);
    this.running ??= this.drain();
    return this.running;
  }

  private async drain(): Promise<void> {
    while (this.waiting.size > 0) {
      const offsets = [...this.waiting].map(([partition, offsetNext]) => ({
        partition,
        offsetNext,
      }));
      this.waiting.clear();
      await this.storeOnce(offsets);
    }
    this.running = null;
  }

  private async storeOnce(offsets: readonly OffsetHint[]): Promise<void> {
    const { timers, metrics, log } = this.deps;
    const stored = await settleWithin(timers, this.store(offsets), commitWithinMs);
    if (stored.kind === 'done') return;
    metrics.count('roomcell_kafka_hint_failed_total', { topic: this.topic });
    const error = stored.kind === 'failed' ? String(stored.error) : 'no answer in time';
    log.debug({ topic: this.topic, error }, 'the group offset was not stored; it is only a hint');
  }
}
