/**
 * The rooms of this node as others may be told of them: after MySQL has confirmed the epoch, and with
 * everything in memory that MySQL has.
 *
 * Race 1 (test "a node that lost its partition without noticing answers NOT_OWNER, and not from its memory"):
 *   1. A is frozen or cut off; B takes the partition over and commits.
 *   2. A thaws and is asked. Its memory is old, and nothing has told it.
 * Closed by [A]: MySQL is asked after the call has come.
 *
 * Race 2 (test "a commit that MySQL has and memory does not is waited for"):
 *   1. COMMIT is stored, its answer is on the way or lost; the relay already delivers the events.
 *   2. Somebody who has seen them asks the owner, whose memory is one transaction behind.
 * Closed by [B]: the owner row counts the transactions of the epoch.
 *
 * Race 3 (test "a room that leaves memory while its read waits is loaded again"):
 *   1. The room is loaded; while MySQL is asked it leaves memory, and a command brings another copy in.
 *   2. The copy that the call has seen is not written any more.
 * Closed by [C]: the room is taken from the registry in the turn in which it is looked at.
 */
import type { RoomKey } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { CellContext } from '../cell-context.ts';
import type { PartitionSet } from '../partition/partition-set.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { EpochConfirmation, type Confirmation } from './epoch-confirmation.ts';
import { ownerByRow, type OwnerPlace } from './find-owner.ts';
import { ReadWaits } from './read-waits.ts';
import { refused } from './refused.ts';

/** What the reads stand on. */
export interface ReadParts {
  readonly partitionCount: number;
  readonly partitions: Pick<PartitionSet, 'find'>;
  readonly registry: RoomRegistry;
  /** MySQL gives the partition to somebody else. */
  fenced(partition: Partition): void;
}

/** A room of a partition that was this node's when it was looked for. */
export interface OwnedRoom {
  readonly roomKey: RoomKey;
  readonly partition: Partition;
}

/** See the file header. Told by the cell of what its waits are for. */
export class OwnedRooms {
  private readonly context: CellContext;
  private readonly parts: ReadParts;
  private readonly confirmation: EpochConfirmation;
  private readonly waits = new ReadWaits();

  constructor(context: CellContext, parts: ReadParts) {
    this.context = context;
    this.parts = parts;
    this.confirmation = new EpochConfirmation(context, (partition) => parts.fenced(partition));
  }

  /** The room's partition, with the ownership of it that this node has now. */
  placeOf(roomKey: RoomKey): { readonly id: number; readonly partition: Partition | undefined } {
    const id = partitionOf(roomKey, this.parts.partitionCount);
    return { id, partition: this.parts.partitions.find(id) };
  }

  /**
   * What `look` sees in the room, which is up to date while it looks. Throws what `look` throws,
   * NOT_OWNER, ROOM_CORRUPT, or UNAVAILABLE: MySQL is out of reach, or `signal` aborts.
   */
  async look<T>(
    { roomKey, partition }: OwnedRoom,
    signal: AbortSignal,
    look: (room: RoomCell) => T,
  ): Promise<T> {
    for (;;) {
      if (await this.isLoaded(roomKey, partition, signal)) await this.show(partition, signal);
      if (!partition.active) throw await this.notOwner(partition.id);
      if (signal.aborted) throw tooLate();
      const room = this.parts.registry.find(roomKey); // [C]
      if (room?.partition !== partition || room.phase === 'loading') continue;
      if (room.phase === 'broken') throw refused('ROOM_CORRUPT');
      return look(room);
    }
  }

  /** What MySQL says of the partition after this call. */
  confirm(partition: Partition): Promise<Confirmation> {
    return this.confirmation.confirm(partition);
  }

  /** NOT_OWNER with the owner by MySQL as a hint, if MySQL can be asked; else UNAVAILABLE. */
  async notOwner(id: number): Promise<Failure> {
    try {
      return notOwnerBut(await ownerByRow(this.context, id));
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      return refused('UNAVAILABLE', {}, cause);
    }
  }

  /** The room is `ready` or `broken`. */
  loaded(room: RoomCell): void {
    this.waits.loaded(room);
  }

  /** A batch was put into effect. */
  committed(): void {
    this.waits.committed();
  }

  lost(partition: Partition): void {
    this.waits.lost(partition);
  }

  private async isLoaded(
    roomKey: RoomKey,
    partition: Partition,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!partition.active) return false;
    return this.waits.untilLoaded(this.parts.registry.ensure(roomKey, partition), signal);
  }

  private async show(partition: Partition, signal: AbortSignal): Promise<void> {
    const confirmation = await this.confirmation.confirm(partition); // [A]
    if (confirmation.kind === 'unreachable') throw refused('UNAVAILABLE', {}, confirmation.cause);
    if (confirmation.kind === 'lost') throw await this.notOwner(partition.id);
    const isBehind = partition.commitSeq < confirmation.commitSeq;
    if (isBehind) this.context.metrics.count('cell_reads_waited_total');
    await this.waits.untilShown(partition, confirmation.commitSeq, signal); // [B]
  }
}

/** The time of a call is over. */
export function tooLate(): Failure {
  return refused('UNAVAILABLE', {}, 'the time of the read is over');
}

/** `owner` null: nobody is known to have it. */
export function notOwnerBut(owner: OwnerPlace | null): Failure {
  return refused('NOT_OWNER', owner === null ? {} : { owner: owner.nodeId });
}
