/**
 * What waits for one watcher of a room: steps that were committed since it was enlisted, the word that
 * the owner still is the owner, and the end. Bounded: a watcher that takes too little is ended, and
 * what waited for it is let go.
 */
import type { RoomVersion } from '../../domain/ids.ts';
import type { Reason } from '../../domain/reasons.ts';
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import type { Partition } from '../partition/partition.ts';
import type { OwnedRoom } from '../reads/owned-rooms.ts';
import type { RoomKey } from '../../domain/ids.ts';
import type { RoomStep } from './room-steps.ts';

/** Steps that may wait for one watcher … */
export const waitingStepsMax = 256;
/** … and bytes of their events, beyond the first step. */
export const waitingBytesMax = 512 * 1_024;

/** What there is for a watcher that has taken everything up to a version. */
export type Taken =
  | { readonly kind: 'step'; readonly step: RoomStep }
  /** The next step does not wait here, and is in the log. */
  | { readonly kind: 'behind' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'ended'; readonly reason: Reason }
  | { readonly kind: 'nothing' };

/** See the file header. Enlisted under one ownership of the partition, and ended with it. */
export class Watcher implements OwnedRoom {
  readonly roomKey: RoomKey;
  readonly partition: Partition;
  private waiting: RoomStep[] = [];
  private bytes = 0;
  /** Highest version that is known to be committed. */
  private head = 0n as RoomVersion;
  private isAliveToTell = false;
  /** It reads the log: what does not fit is found there. */
  private readsLog = true;
  private reason: Reason | null = null;
  private change: Deferred<void> = createDeferred();

  constructor({ roomKey, partition }: OwnedRoom) {
    this.roomKey = roomKey;
    this.partition = partition;
  }

  /** The room was seen at this version. */
  seen(version: RoomVersion): void {
    if (version > this.head) this.head = version;
  }

  /** A step was committed. */
  push(step: RoomStep): void {
    if (this.reason !== null) return;
    this.seen(step.step.version);
    const isFull =
      this.waiting.length >= waitingStepsMax ||
      (this.waiting.length > 0 && this.bytes + step.bytes > waitingBytesMax);
    if (isFull) {
      this.letGo();
      if (!this.readsLog) this.end('WATCH_TOO_SLOW');
      return;
    }
    this.waiting.push(step);
    this.bytes += step.bytes;
    this.change.resolve();
  }

  /** MySQL has confirmed the ownership. */
  alive(): void {
    this.isAliveToTell = true;
    this.change.resolve();
  }

  /** Nothing more will come; what waits is still taken, unless the watcher was too slow for it. */
  end(reason: Reason): void {
    this.reason ??= reason;
    this.change.resolve();
  }

  /** What comes next for somebody who has everything up to `position`; gives it away. */
  take(position: RoomVersion): Taken {
    const step = this.waiting.find(({ step: { version } }) => version > position);
    const places = step === undefined ? this.waiting.length : this.waiting.indexOf(step);
    for (const passed of this.waiting.splice(0, places)) this.bytes -= passed.bytes;
    if (step?.step.version === position + 1n) {
      this.waiting.shift();
      this.bytes -= step.bytes;
      this.readsLog = false;
      return { kind: 'step', step };
    }
    if (this.reason !== null) return { kind: 'ended', reason: this.reason };
    this.readsLog = position < this.head;
    if (this.readsLog) return { kind: 'behind' };
    if (this.isAliveToTell) {
      this.isAliveToTell = false;
      return { kind: 'alive' };
    }
    return { kind: 'nothing' };
  }

  /** Resolves when something has come since the last `take`. */
  async changed(): Promise<void> {
    await this.change.promise;
    this.change = createDeferred();
  }

  private letGo(): void {
    this.waiting = [];
    this.bytes = 0;
  }
}
