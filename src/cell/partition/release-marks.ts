/**
 * The wait for a former owner that gives a partition up in an orderly way. It may still be committing
 * what it had in hand; its mark in MySQL says that it is done. Without a mark (it crashed) the wait is
 * bounded. Owners tell each other when they have set marks: that hint only has MySQL read at once.
 *
 * One query serves all partitions that wait: a rebalance moves many in one moment.
 */
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import type { OwnerRow } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';
import { SharedLook } from '../../kernel/shared-look.ts';

/** How often marks are looked at that nobody gives a hint of. */
const pollMs = 50;

interface Wanted {
  readonly partition: number;
  wanted(): boolean;
}

/** See the file header. */
export class ReleaseMarks {
  private readonly context: CellContext;
  private readonly looks: SharedLook<Wanted, OwnerRow | null>;
  private hinted: Deferred<void> = createDeferred();
  private endHints: (() => void) | null = null;

  constructor(context: CellContext) {
    this.context = context;
    this.looks = new SharedLook(async (asked) => {
      const rows = await retryForever(
        context,
        'read owner',
        () => asked.some((each) => each.wanted()),
        () => context.partitions.readOwners(),
      );
      return ({ partition }) => rows?.find((row) => row.partition === partition) ?? null;
    });
  }

  /** Tells the other nodes that marks were set. Never throws, never waits. */
  tell(): void {
    this.context.handOver.hint();
  }

  /** Hears no more hints; waits go on by looking. Idempotent. */
  stop(): void {
    this.endHints?.();
    this.endHints = null;
  }

  /** Resolves when nobody has to be waited for, or no longer, or when it is not wanted any more. */
  async wait(partition: number, wanted: () => boolean): Promise<void> {
    const { clock, options } = this.context;
    const untilMonoMs = clock.monoMs() + options.releaseMarkWaitMs;
    while (wanted() && clock.monoMs() < untilMonoMs) {
      this.endHints ??= this.context.handOver.subscribe(() => this.hint());
      // Before the look: a hint that comes while it is under way is about what it may have missed.
      const { hinted } = this;
      const row = await this.looks.ask({ partition, wanted });
      if (row === null || row.released || row.incarnation === options.incarnation) return;
      await Promise.race([hinted.promise, this.context.timers.sleep(pollMs)]);
    }
  }

  private hint(): void {
    this.hinted.resolve();
    this.hinted = createDeferred();
  }
}
