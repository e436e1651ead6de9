/**
 * "Is the partition still mine, and what has it committed?", asked of MySQL for all reads that wait.
 * The look is shared as `SharedLook` says: a yes is worth what MySQL said after the read came.
 */
import { Failure } from '../../kernel/failure.ts';
import type { OwnerRow } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import { SharedLook } from '../../kernel/shared-look.ts';

/** What MySQL said of one partition. */
export type Confirmation =
  /** `commitSeq`: transactions of our epoch that were stored when MySQL answered. */
  | { readonly kind: 'mine'; readonly commitSeq: bigint }
  | { readonly kind: 'lost' }
  /** Nobody can say whose it is. */
  | { readonly kind: 'unreachable'; readonly cause: unknown };

/** See the file header. One query at a time. */
export class EpochConfirmation {
  private readonly context: CellContext;
  private readonly fenced: (partition: Partition) => void;
  private readonly looks: SharedLook<Partition, Confirmation>;

  /** `fenced` is told of a partition that MySQL gives to somebody else. */
  constructor(context: CellContext, fenced: (partition: Partition) => void) {
    this.context = context;
    this.fenced = fenced;
    this.looks = new SharedLook(async () => {
      const rows = await this.readRows();
      return (partition) => this.judge(partition, rows);
    });
  }

  /** Never throws on an outage, and does not wait for its end: a read has a caller who waits. */
  confirm(partition: Partition): Promise<Confirmation> {
    return this.looks.ask(partition);
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
