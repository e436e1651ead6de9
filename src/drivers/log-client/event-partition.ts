/**
 * One partition of a destination's topic in the hands of the adapter. Batches are handed over as they are
 * fetched, also while earlier ones are still worked on: a member that waited for its work would hear of the
 * next event only when the fetch that is under way without this partition has timed out. The offset that
 * may be stored follows the oldest batch that is not done.
 */
import type { DriverPorts } from '../driver-ports.ts';
import { EventWork, type EventHandler } from './event-work.ts';
import type { FetchedBatch } from './log-transport.ts';

/** What a partition is bound by, and where its end goes. */
export interface EventPartitionSettings {
  readonly groupId: string;
  readonly retryPauseMs: number;
  /** Of batches that are not done; one more is taken as long as there are fewer. */
  readonly bytesInHandMax: number;
  /** Stores the offset for the group. Never rejects: an older one only brings events again. */
  readonly commit: (offsetNext: bigint) => Promise<void>;
  /** Some work has ended: there may be room for more, or nothing left to wait for. */
  readonly onEnded: () => void;
}

interface Held {
  readonly work: EventWork;
  state: 'waiting' | 'running' | 'done' | 'given up';
}

/** See the file header. */
export class EventPartition {
  private readonly handler: EventHandler;
  private readonly deps: DriverPorts;
  private readonly settings: EventPartitionSettings;
  /** In the order of their offsets, from the oldest that is not done. */
  private held: Held[] = [];
  private accepted: bigint | null = null;
  private doneUpTo: bigint | null = null;
  private storing: Promise<void> | null = null;
  private isOver = false;

  constructor(handler: EventHandler, deps: DriverPorts, settings: EventPartitionSettings) {
    this.handler = handler;
    this.deps = deps;
    this.settings = settings;
  }

  /** The offset behind all that was accepted; null: nothing was. */
  get acceptedUpTo(): bigint | null {
    return this.accepted;
  }

  get isFull(): boolean {
    const bytes = this.held.reduce((sum, { work }) => sum + work.bytes, 0);
    return bytes >= this.settings.bytesInHandMax;
  }

  /** True while something is worked on, or an offset is on its way. */
  get isBusy(): boolean {
    return this.storing !== null || this.held.some(({ state }) => state === 'running');
  }

  /** Takes the batch; its work begins at once, unless one before it was rejected and is to come again. */
  accept(batch: FetchedBatch): void {
    const { groupId, retryPauseMs } = this.settings;
    const work = new EventWork(batch, this.handler, this.deps, { groupId, retryPauseMs });
    this.accepted = work.offsetNext;
    this.held.push({ work, state: 'waiting' });
    this.begin();
  }

  /** Begins nothing more; tries that are under way may still succeed. */
  drain(): void {
    this.isOver = true;
    for (const { work } of this.held) work.giveUpRetries();
  }

  /** The partition is lost or the time is up: what is in hand should end, and moves no offset. */
  abort(): void {
    this.isOver = true;
    for (const { work } of this.held) work.abort();
  }

  private begin(): void {
    for (const held of this.held) {
      // Nothing overtakes a batch that was rejected: what is wrong with it may be wrong with them.
      if (this.isOver || this.held.some(({ work }) => work.isRejected)) return;
      if (held.state === 'waiting') void this.carry(held);
    }
  }

  private async carry(held: Held): Promise<void> {
    held.state = 'running';
    const isDone = await held.work.run();
    held.state = isDone ? 'done' : 'given up';
    let offsetNext: bigint | null = null;
    while (this.held[0]?.state === 'done') offsetNext = this.held.shift()?.work.offsetNext ?? null;
    if (offsetNext !== null) this.done(offsetNext);
    this.begin();
    this.settings.onEnded();
  }

  private done(offsetNext: bigint): void {
    this.doneUpTo = offsetNext;
    this.storing ??= this.store();
  }

  /** One call at a time: what was done meanwhile goes with the next. */
  private async store(): Promise<void> {
    for (let stored: bigint | null = null; stored !== this.doneUpTo;) {
      stored = this.doneUpTo;
      if (stored === null) break;
      await this.settings.commit(stored);
    }
    this.storing = null;
    this.settings.onEnded();
  }
}
