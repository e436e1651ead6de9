/**
 * "Is the partition still mine, and what has it committed?", asked of MySQL for all reads that wait.
 *
 * Race (test "a read that comes while a confirmation runs waits for the next one"):
 *   1. A confirmation of this node is on its way to MySQL.
 *   2. B takes the partition over, commits, and tells its caller.
 *   3. That caller asks this node, which gets the answer of 1: still mine.
 * Closed by sharing a query only among those who asked before it began: what it says was then true
 * after the last of them had asked.
 */
import { Failure } from '../../kernel/failure.ts';
import type { OwnerRow } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';

/** What MySQL said of one partition. */
export type Confirmation =
  /** `commitSeq`: transactions of our epoch that were stored when MySQL answered. */
  | { readonly kind: 'mine'; readonly commitSeq: bigint }
  | { readonly kind: 'lost' }
  /** Nobody can say whose it is. */
  | { readonly kind: 'unreachable'; readonly cause: unknown };

interface Waiting {
  readonly partition: Partition;
  readonly answer: (confirmation: Confirmation) => void;
}

/** See the file header. One query at a time. */
export class EpochConfirmation {
  private readonly context: CellContext;
  private readonly fenced: (partition: Partition) => void;
  private waiting: Waiting[] = [];
  private running = false;

  /** `fenced` is told of a partition that MySQL gives to somebody else. */
  constructor(context: CellContext, fenced: (partition: Partition) => void) {
    this.context = context;
    this.fenced = fenced;
  }

  /** Never throws on an outage, and does not wait for its end: a read has a caller who waits. */
  confirm(partition: Partition): Promise<Confirmation> {
    return new Promise((answer) => {
      this.waiting.push({ partition, answer });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const asked = this.waiting;
      this.waiting = [];
      const rows = await this.readRows();
      for (const { partition, answer } of asked) answer(this.judge(partition, rows));
    }
    this.running = false;
  }

  private async readRows(): Promise<ReadonlyMap<number, OwnerRow> | { readonly cause: unknown }> {
    try {
      const rows = await this.context.partitions.readOwners();
      return new Map(rows.map((row) => [row.partition, row]));
    } catch (cause) {
      // Whatever it was: nobody waits for ever, and nobody is answered without a word of MySQL.
      if (!(cause instanceof Failure)) {
        this.context.log.error({ error: cause }, 'the owner rows could not be read');
      }
      return { cause };
    }
  }

  private judge(
    partition: Partition,
    rows: ReadonlyMap<number, OwnerRow> | { readonly cause: unknown },
  ): Confirmation {
    if ('cause' in rows) return { kind: 'unreachable', cause: rows.cause };
    const row = rows.get(partition.id);
    const { incarnation } = this.context.options;
    if (row?.epoch === partition.epoch && row.incarnation === incarnation) {
      return { kind: 'mine', commitSeq: row.commitSeq };
    }
    if (partition.active) this.fenced(partition);
    return { kind: 'lost' };
  }
}
