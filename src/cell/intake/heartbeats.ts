/**
 * Folded heartbeats: they refresh the soft table of rooms and answer who is not present. No log row,
 * no version, no expiry (PRES-13, PRES-22). A heartbeat counts with its record's time, so a fold
 * that waited behind an outage does not look fresher than it is.
 *
 * Their offsets are settled in memory only; a takeover reads them again, which is harmless.
 */
import { roomKeyOf } from '../../domain/ids.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import type { HeartbeatWork } from './read-record.ts';

/** A fold that waits until every room it names is loaded. */
interface OpenFold {
  readonly partition: Partition;
  readonly work: HeartbeatWork;
  /** One per item; null: the room does not belong to this partition. */
  rooms: readonly (RoomCell | null)[];
}

/** See the file header. */
export class Heartbeats {
  private readonly context: CellContext;
  private readonly registry: RoomRegistry;
  private readonly partitionCount: number;
  private readonly onSettled: (partition: Partition) => void;
  private open: OpenFold[] = [];

  constructor(
    context: CellContext,
    registry: RoomRegistry,
    partitionCount: number,
    onSettled: (partition: Partition) => void,
  ) {
    this.context = context;
    this.registry = registry;
    this.partitionCount = partitionCount;
    this.onSettled = onSettled;
  }

  get idle(): boolean {
    return this.open.length === 0;
  }

  /** Takes a fold; it is answered as soon as its rooms are in memory. */
  accept(partition: Partition, work: HeartbeatWork): void {
    const rooms = work.fold.items.map(({ appCode, roomId }) => {
      const roomKey = roomKeyOf(appCode, roomId);
      if (partitionOf(roomKey, this.partitionCount) !== partition.id) return null;
      return this.registry.ensure(roomKey, partition);
    });
    this.open.push({ partition, work, rooms });
    this.answerReady();
  }

  /** Called when a room was loaded, dropped, or its partition lost. */
  answerReady(): void {
    const still: OpenFold[] = [];
    for (const fold of this.open) {
      if (!fold.partition.active) continue;
      // A room dropped meanwhile (reloaded, evicted) has no say any more: its successor answers.
      fold.rooms = fold.rooms.map((room) =>
        room?.phase === 'dropped' ? this.registry.ensure(room.key, fold.partition) : room,
      );
      if (fold.rooms.some((room) => room?.phase === 'loading')) still.push(fold);
      else this.answer(fold);
    }
    this.open = still;
  }

  private answer({ partition, work, rooms }: OpenFold): void {
    const notPresent: number[] = [];
    const notActive: number[] = [];
    work.fold.items.forEach(({ userId }, at) => {
      const room = rooms[at];
      if (room === null || room === undefined || room.state.status !== 'active') {
        notActive.push(at);
      } else if (!room.state.users.has(userId)) {
        notPresent.push(at);
      } else {
        const seenMs = Math.max(room.lastSeenMs.get(userId) ?? 0, work.record.recordTimeMs);
        room.lastSeenMs.set(userId, seenMs);
      }
    });
    const { metrics, codec, replies } = this.context;
    metrics.count('cell_heartbeats_total', {}, work.fold.items.length);
    if (work.reply !== null) {
      const value = codec.encodeReply({ kind: 'heartbeats', notPresent, notActive });
      replies.send([{ ...work.reply, value }]);
    }
    partition.offsets.settle([work.record.offset]);
    this.onSettled(partition);
  }
}
