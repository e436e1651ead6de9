/** Looks at the owner rows again and again, keeps what changed, and tells what is so now. */
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';
import type { OwnerRecord } from '../../../src/drivers/memory/memory-rows.ts';
import type { OwnerSample } from './chaos-record.ts';
import type { DatabaseView } from './database-view.ts';

const lookEveryMs = 150;

/** See the file header. While the database is away nothing is seen, and nothing is lost by it. */
export class OwnerWatch {
  readonly samples: OwnerSample[] = [];
  readonly owners = new Map<number, OwnerRecord>();
  private readonly view: DatabaseView;
  private readonly firstEpochs = new Map<number, bigint>();
  private readonly ending = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(view: DatabaseView) {
    this.view = view;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  /** Partitions that the node holds by the newest look. */
  heldBy(node: string): readonly OwnerRecord[] {
    return [...this.owners.values()].filter(
      ({ ownerNodeId, released }) => ownerNodeId === node && !released,
    );
  }

  /** The last life of a node that was seen to own something; '' when none was. */
  incarnationOf(node: string): string {
    const rows = [...this.owners.values()].filter(({ ownerNodeId }) => ownerNodeId === node);
    const newest = rows.sort((one, other) => other.updatedAtMs - one.updatedAtMs);
    return newest[0]?.incarnation ?? '';
  }

  /** Epochs since the watch began: each is a takeover. */
  get takeovers(): number {
    let count = 0;
    for (const [partition, { epoch }] of this.owners) {
      count += Number(epoch - (this.firstEpochs.get(partition) ?? epoch));
    }
    return count;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    const timers = createSystemTimers();
    while (!signal.aborted) {
      try {
        this.take(await this.view.owners());
      } catch {
        // The server is away or frozen: that is part of the run, and the next look is soon.
      }
      await timers.sleep(lookEveryMs, signal);
    }
  }

  private take(rows: readonly OwnerRecord[]): void {
    const changed = rows.filter((row) => {
      const before = this.owners.get(row.partition);
      return (
        before?.epoch !== row.epoch ||
        before.commitSeq !== row.commitSeq ||
        before.appliedOffset !== row.appliedOffset ||
        before.released !== row.released
      );
    });
    if (changed.length === 0) return;
    for (const row of changed) {
      this.owners.set(row.partition, row);
      if (!this.firstEpochs.has(row.partition)) this.firstEpochs.set(row.partition, row.epoch);
    }
    this.samples.push({ atMs: Date.now(), rows: changed });
  }
}
