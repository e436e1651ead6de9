/**
 * Finds the record that ends the process which executes it (architecture section 4). Such a record
 * leaves no error behind, only owners that died without getting on: after the second one in a row
 * the partition's records are begun one at a time, and MySQL is told of each before it is begun. The
 * one that owners died over twice is set aside and answered. ADR 11 holds the reasons.
 *
 * Only one record of the whole node is on trial at a time. Were two, the innocent one would be
 * blamed for what the other did. Other partitions go on in batches: they are not written down, so
 * nobody blames them.
 */
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import { retryForever } from '../retry-forever.ts';
import type { Arrival, Care } from './arrival.ts';

/** Stalled takeovers from which on records are tried one by one: the first may be any crash. */
const searchFromStalls = 2;
/** Tries in which a record is executed like any other. */
const wholeTries = 2;

/** Whom the search tells and asks. */
export interface SearchTargets {
  /** Reads and routes these, in this order. */
  read(arrivals: readonly Arrival[]): void;
  /** MySQL says that the partition is no longer ours. */
  fenced(partition: Partition): void;
}

interface Search {
  readonly waiting: Arrival[];
  /** Records that may still be tried. */
  left: number;
}

interface Trial {
  readonly partition: Partition;
  readonly offset: bigint;
  readonly over: Deferred<void>;
}

/** See the file header. */
export class PoisonSearch {
  private readonly context: CellContext;
  private readonly targets: SearchTargets;
  /** Partitions whose records are tried, the next one first. */
  private readonly searches = new Map<Partition, Search>();
  private trial: Trial | null = null;
  private running = false;
  private stopped = false;

  constructor(context: CellContext, targets: SearchTargets) {
    this.context = context;
    this.targets = targets;
  }

  /** Nothing is on trial and nothing will be before the next delivery. */
  get idle(): boolean {
    return !this.running;
  }

  /** A partition was taken over: begins a search when its owners died without getting on. */
  taken(partition: Partition): void {
    const { stalledTakeovers, tried, askedBelow } = partition;
    const { appliedOffset } = partition.offsets;
    // A search moves the offset up to the record that it is after, which ends the count: it goes on.
    const isUnderWay = tried !== null && tried.offset > appliedOffset;
    if (stalledTakeovers < searchFromStalls && !isUnderWay) return;
    if (askedBelow <= appliedOffset + 1n) return;
    // A dead owner had no more in hand than this: the high-water mark and one delivery above it.
    const left = 2 * this.context.options.partitionHighWater;
    this.searches.set(partition, { waiting: [], left });
    this.context.metrics.count('cell_poison_searches_total');
    this.context.log.warn(
      { partition: partition.id, stalledTakeovers, tried },
      'owners ended without getting on: records are begun one at a time until the cause is found',
    );
  }

  /** Keeps the record for a trial in its turn. False: there is no search, it may be read at once. */
  hold(arrival: Arrival): boolean {
    const search = this.searches.get(arrival.partition);
    if (search === undefined) return false;
    search.waiting.push(arrival);
    if (!this.running) void this.run();
    return true;
  }

  /** Called when offsets of the partition were settled. */
  moved(partition: Partition): void {
    const { trial } = this;
    if (trial?.partition !== partition) return;
    const isOver = partition.offsets.appliedOffset >= trial.offset;
    if (isOver || !partition.active) trial.over.resolve();
  }

  /** The partition is no longer ours; the next owner goes on with the search. */
  lost(partition: Partition): void {
    this.searches.delete(partition);
    this.moved(partition);
  }

  /** Begins no further trial; the one under way ends. Idempotent. */
  stop(): void {
    this.stopped = true;
  }

  private async run(): Promise<void> {
    this.running = true;
    for (let next = this.next(); next !== null; next = this.next()) await this.try(next);
    // In the same turn in which nothing was left, or what came in that turn would wait for ever.
    this.running = false;
  }

  /** The next record to try, of each partition in turn. Ends searches that have nothing to find. */
  private next(): Arrival | null {
    for (const [partition, search] of [...this.searches]) {
      const [first] = search.waiting;
      if (first === undefined || this.stopped) continue;
      this.searches.delete(partition);
      if (search.left === 0 || first.record.offset >= partition.askedBelow) {
        this.context.log.info({ partition: partition.id }, 'records are begun in batches again');
        this.targets.read(search.waiting);
        continue;
      }
      search.left -= 1;
      search.waiting.shift();
      this.searches.set(partition, search);
      return first;
    }
    return null;
  }

  private async try(arrival: Arrival): Promise<void> {
    const { partition } = arrival;
    const { offset } = arrival.record;
    const over = createDeferred<void>();
    const before = partition.tried?.offset === offset ? partition.tried.tries : 0;
    const noted = await this.note(partition, { offset, tries: before + 1 });
    if (noted === false && partition.active) this.targets.fenced(partition);
    if (noted !== true || !partition.active) return;
    const care = careAfter(before);
    if (care !== 'begin') this.tellFound(partition, offset, care);
    this.trial = { partition, offset, over };
    this.targets.read([{ ...arrival, care }]);
    await over.promise;
    this.trial = null;
  }

  /** Null: the partition was lost meanwhile. Waits for an outage of MySQL; nothing is begun in it. */
  private note(
    partition: Partition,
    tried: { readonly offset: bigint; readonly tries: number },
  ): Promise<boolean | null> {
    const { partitions, options } = this.context;
    return retryForever(
      this.context,
      'note a try',
      () => partition.active,
      () => partitions.noteTry(partition.id, partition.epoch, options.incarnation, tried),
    );
  }

  private tellFound(partition: Partition, offset: bigint, care: Care): void {
    this.context.metrics.count('cell_poison_total');
    this.context.log.error(
      { partition: partition.id, offset, care },
      'a record ended the processes that began it: it is set aside',
    );
  }
}

/** Each step touches less of the record than the one before. */
function careAfter(triesBefore: number): Care {
  if (triesBefore < wholeTries) return 'begin';
  return triesBefore === wholeTries ? 'endUndecided' : 'endUnread';
}
