/** Where a member of a memory group stands in its partitions, and which of them it leaves alone. */
import type { FetchedBatch } from '../log-client/log-transport.ts';
import type { FetchAnswer } from './memory-broker.ts';
import type { JoinAnswer } from './memory-group.ts';

interface Position {
  readonly offset: bigint;
  /** Number of the move that led here: tells a batch that was fetched before it. */
  readonly move: number;
}

/** See the file header. */
export class MemberPositions {
  private readonly positions = new Map<number, Position>();
  private readonly paused = new Set<number>();
  private assigned: readonly number[] = [];
  private moves = 0;
  /** Moves of the fetch under way, by partition. */
  private fetched: ReadonlyMap<number, number> = new Map();

  /**
   * A generation begins at the stored offsets, and where none is stored at `otherwise`; what is paused
   * stays paused.
   */
  begin({ partitions, committed }: JoinAnswer, otherwise: bigint): void {
    this.assigned = partitions;
    this.positions.clear();
    for (const partition of partitions) {
      this.seek(partition, committed.get(partition) ?? otherwise);
    }
  }

  seek(partition: number, offset: bigint): void {
    this.moves += 1;
    this.positions.set(partition, { offset, move: this.moves });
  }

  pause(partitions: readonly number[]): void {
    for (const partition of partitions) this.paused.add(partition);
  }

  resume(partitions: readonly number[]): void {
    for (const partition of partitions) this.paused.delete(partition);
  }

  /** What the next fetch asks for. */
  wanted(): ReadonlyMap<number, bigint> {
    const wanted = new Map<number, bigint>();
    const moves = new Map<number, number>();
    for (const partition of this.assigned) {
      const position = this.positions.get(partition);
      if (position === undefined || this.paused.has(partition)) continue;
      wanted.set(partition, position.offset);
      moves.set(partition, position.move);
    }
    this.fetched = moves;
    return wanted;
  }

  /** Null when the partition was paused meanwhile: its records are fetched again later. */
  batchOf(answer: Extract<FetchAnswer, { readonly kind: 'records' }>): FetchedBatch | null {
    const { partition, fetchedAt, records } = answer;
    const last = records.at(-1);
    if (this.paused.has(partition) || last === undefined) return null;
    const move = this.fetched.get(partition);
    const isStale = (): boolean => this.positions.get(partition)?.move !== move;
    return {
      partition,
      fetchedAt,
      lastOffset: last.offset,
      records,
      isStale,
      resolve: () => {
        // Behind a seek that came meanwhile there is nothing to go on with.
        if (!isStale()) this.seek(partition, last.offset + 1n);
      },
    };
  }
}
