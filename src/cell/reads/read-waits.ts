/**
 * What reads of this node wait for: that a room is loaded, and that memory shows every transaction
 * that MySQL has. A wait ends with what it waited for, with the loss of the partition, or with the
 * caller's time; none outlives its read.
 */
import type { RoomKey } from '../../domain/ids.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';

/** False: the partition was lost meanwhile. */
export type WaitEnd = boolean;

interface Wait {
  readonly partition: Partition;
  readonly isOver: () => boolean;
  readonly end: (end: WaitEnd) => void;
}

/** See the file header. */
export class ReadWaits {
  private readonly rooms = new Map<RoomKey, Set<Wait>>();
  private readonly commits = new Set<Wait>();

  /** Waits now. */
  get size(): number {
    return this.commits.size + [...this.rooms.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Resolves when `room`, or what replaced it, is no longer loading. */
  untilLoaded(room: RoomCell, signal: AbortSignal): Promise<WaitEnd> {
    const waits = this.rooms.get(room.key) ?? new Set();
    this.rooms.set(room.key, waits);
    const isOver = (): boolean => room.phase !== 'loading';
    return enlist(waits, { partition: room.partition, isOver }, signal).finally(() => {
      if (waits.size === 0 && this.rooms.get(room.key) === waits) this.rooms.delete(room.key);
    });
  }

  /** Resolves when memory shows the first `commitSeq` transactions of the partition's epoch. */
  untilShown(partition: Partition, commitSeq: bigint, signal: AbortSignal): Promise<WaitEnd> {
    const isOver = (): boolean => partition.commitSeq >= commitSeq;
    return enlist(this.commits, { partition, isOver }, signal);
  }

  loaded(room: RoomCell): void {
    for (const wait of [...(this.rooms.get(room.key) ?? [])]) wait.end(true);
  }

  committed(): void {
    for (const wait of [...this.commits]) if (wait.isOver()) wait.end(true);
  }

  lost(partition: Partition): void {
    const all = [...this.commits, ...[...this.rooms.values()].flatMap((waits) => [...waits])];
    for (const wait of all) if (wait.partition === partition) wait.end(false);
  }
}

/** An abort ends the wait as lost: its read has been answered by then. */
function enlist(
  waits: Set<Wait>,
  what: Pick<Wait, 'partition' | 'isOver'>,
  signal: AbortSignal,
): Promise<WaitEnd> {
  if (!what.partition.active || signal.aborted) return Promise.resolve(false);
  if (what.isOver()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const aborted = (): void => wait.end(false);
    const wait: Wait = {
      ...what,
      end(end) {
        waits.delete(wait);
        signal.removeEventListener('abort', aborted);
        resolve(end);
      },
    };
    waits.add(wait);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
