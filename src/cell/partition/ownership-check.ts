/**
 * "Is the partition still mine?", asked of MySQL for all who wait at once.
 *
 * Race (test "a former owner asks the wallet for no gift that its successor would refuse"):
 *   1. A is frozen with a fetched record X in hand; B takes the partition over and reads the log's end.
 *   2. A thaws, and the broker still serves it records Y from behind that end.
 *   3. A asks the wallet for Y. B, who takes Y for untouched, refuses it as expired and voids nothing.
 * Closed by asking MySQL after the record was read and before the wallet is: a yes means that the
 * takeover, and so B's look at the log's end, is still to come. B then counts Y as asked for.
 *
 * Race (test "comes back to a partition that it lost while it was frozen, though the group gave it the same ones"):
 *   1. A is frozen and thrown out of the group; B takes A's partitions over and sets a deadline in a room.
 *   2. A thaws, joins again, and is given the partitions that it takes for its own already.
 *   3. Nothing is written there: no fence refuses A, and the deadline is nobody's.
 * Closed by asking after each assignment about every partition that was not taken over for it.
 *
 * Race (test "cannot leave a partition to nobody that it took by an old assignment and gave up again"):
 *   1. A thaws with an old assignment, is fenced out of partition P, and takes it over from B.
 *   2. A hears its new assignment, which has no P, and gives P up. The group told B of nothing new.
 *   3. Nothing is written in P: B believes for ever that it owns it, and its deadlines are nobody's.
 * Closed by asking about every partition now and then.
 */
import type { OwnerRow } from '../../ports/partition-store.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';
import { SharedLook } from '../../kernel/shared-look.ts';
import type { Partition } from './partition.ts';

/** See the file header. One query at a time, shared by everybody who asked before it began. */
export class OwnershipCheck {
  private readonly context: CellContext;
  private readonly fenced: (partition: Partition) => void;
  private readonly looks: SharedLook<Partition, boolean>;

  constructor(context: CellContext, fenced: (partition: Partition) => void) {
    this.context = context;
    this.fenced = fenced;
    this.looks = new SharedLook(async (asked) => {
      const rows = await retryForever(
        context,
        'confirm ownership',
        () => asked.some(({ active }) => active),
        () => context.partitions.readOwners(),
      );
      return (partition) => this.judge(partition, rows);
    });
  }

  /** False when the partition was lost, here or in MySQL. Waits for an outage of MySQL. */
  confirm(partition: Partition): Promise<boolean> {
    return this.looks.ask(partition);
  }

  /** `rows` null: nobody was left to ask for. */
  private judge(partition: Partition, rows: readonly OwnerRow[] | null): boolean {
    const row = rows?.find((owner) => owner.partition === partition.id);
    const isMine =
      row?.epoch === partition.epoch && row.incarnation === this.context.options.incarnation;
    if (!isMine && rows !== null && partition.active) this.fenced(partition);
    return isMine && partition.active;
  }
}
