/**
 * Where the owners of partitions are, as MySQL last said. A hint: an old row costs a hop from one cell
 * to another, and never a wrong answer.
 */
import type { OwnerRow, PartitionStore } from '../ports/partition-store.ts';
import type { Clock } from '../ports/clock.ts';

type Rows = ReadonlyMap<number, OwnerRow>;

interface Reading {
  readonly startedMonoMs: number;
  readonly rows: Promise<Rows>;
}

/** See the file header. All who ask at once share a query, and one more that begins behind it. */
export class OwnerMap {
  private readonly store: Pick<PartitionStore, 'readOwners'>;
  private readonly clock: Clock;
  private last: Reading | null = null;
  private next: Promise<Rows> | null = null;

  constructor(ports: {
    readonly partitionStore: Pick<PartitionStore, 'readOwners'>;
    readonly clock: Clock;
  }) {
    this.store = ports.partitionStore;
    this.clock = ports.clock;
  }

  /**
   * Address of the partition's owner by rows that were asked for at `sinceMonoMs` or later; null when
   * nobody has it. Throws Retry when MySQL is out of reach.
   */
  async addressOf(partition: number, sinceMonoMs: number): Promise<string | null> {
    const row = (await this.rowsSince(sinceMonoMs)).get(partition);
    if (row === undefined || row.released || row.advertiseAddr === '') return null;
    return row.advertiseAddr;
  }

  private rowsSince(sinceMonoMs: number): Promise<Rows> {
    const { last } = this;
    if (last === null) return this.read();
    if (last.startedMonoMs >= sinceMonoMs) return last.rows;
    const readNext = (): Promise<Rows> => {
      this.next = null;
      return this.read();
    };
    this.next ??= last.rows.then(readNext, readNext);
    return this.next;
  }

  private read(): Promise<Rows> {
    const rows = this.store
      .readOwners()
      .then((owners) => new Map(owners.map((owner) => [owner.partition, owner])));
    const reading = { startedMonoMs: this.clock.monoMs(), rows };
    this.last = reading;
    // What failed is nobody's answer any more once those who share it have been told.
    rows.catch(() => {
      if (this.last === reading) this.last = null;
    });
    return rows;
  }
}
