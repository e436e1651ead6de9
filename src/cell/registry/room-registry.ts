/**
 * The rooms in this node's memory. Loads them off the lane, a bounded number at a time; drops them
 * when their partition is lost or memory and database differ; lets idle ones go when there are too
 * many. A room is loaded under one Partition object: a load that ends after that object died is
 * thrown away.
 */
import { assert } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RoomKey } from '../../domain/ids.ts';
import { rebuildRoom } from '../../protocol/room-history.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { SoftTimes } from '../presence/soft-times.ts';
import { retryForever } from '../retry-forever.ts';
import type { RoomItem } from '../work.ts';
import { RoomCell } from './room-cell.ts';

/** Loads in a row, without a commit in between, after which a room's tables are held for broken. */
const reloadsMax = 5;

/** Told about rooms whose load ended; must not throw. */
export interface RegistryListener {
  /** The room is `ready` or `broken`. */
  onLoaded(room: RoomCell): void;
  /** The room leaves memory because it was idle; all it holds is committed. */
  onLeaving(room: RoomCell): void;
}

/** See the file header. */
export class RoomRegistry {
  private readonly context: CellContext;
  private readonly listener: RegistryListener;
  private readonly rooms = new Map<RoomKey, RoomCell>();
  /** What rooms that were evicted knew about heartbeats: a clean eviction makes nobody fresh. */
  private readonly keptTimes = new Map<RoomKey, { partition: Partition; times: SoftTimes }>();
  private readonly waitingLoads: RoomCell[] = [];
  private loading = 0;

  constructor(context: CellContext, listener: RegistryListener) {
    this.context = context;
    this.listener = listener;
  }

  get size(): number {
    return this.rooms.size;
  }

  find(key: RoomKey): RoomCell | undefined {
    return this.rooms.get(key);
  }

  all(): IterableIterator<RoomCell> {
    return this.rooms.values();
  }

  /** The room, in whatever phase; begins to load it when it is not in memory. */
  ensure(key: RoomKey, partition: Partition): RoomCell {
    const nowMonoMs = this.context.clock.monoMs();
    const known = this.rooms.get(key);
    if (known !== undefined && known.partition === partition) {
      known.lastUsedMonoMs = nowMonoMs;
      return known;
    }
    const room = new RoomCell(key, partition, nowMonoMs);
    const kept = this.keptTimes.get(key);
    this.keptTimes.delete(key);
    // A heartbeat brings its room into memory, so none was missed since the eviction.
    if (kept?.partition === partition) room.times = kept.times;
    this.rooms.set(key, room);
    this.waitingLoads.push(room);
    this.loadNext();
    this.evictIdle();
    return room;
  }

  /** Forgets one room; its waiting items are the caller's to place again. */
  drop(room: RoomCell): void {
    room.phase = 'dropped';
    if (this.rooms.get(room.key) === room) this.rooms.delete(room.key);
  }

  /** Forgets every room of a partition that is no longer ours, with all that waits for them. */
  dropPartition(partition: Partition): void {
    for (const room of this.rooms.values()) {
      if (room.partition !== partition) continue;
      room.pending.length = 0;
      this.drop(room);
    }
    for (const [key, kept] of this.keptTimes) {
      if (kept.partition === partition) this.keptTimes.delete(key);
    }
  }

  /**
   * Replaces a room whose memory cannot be trusted by a fresh one, which takes over what waits.
   * `again` are items taken out for a transaction that did not happen; they take their places again.
   */
  reload(room: RoomCell, again: readonly RoomItem[]): void {
    const waiting = [...again, ...room.pending.splice(0)];
    this.drop(room);
    if (!room.partition.active) return;
    const fresh = this.ensure(room.key, room.partition);
    fresh.reloads = room.reloads + 1;
    fresh.putBack(waiting);
    // Reloaded before (a batch that was split hands back in parts) and loaded by now.
    if (fresh.phase !== 'loading') this.listener.onLoaded(fresh);
  }

  private loadNext(): void {
    while (this.loading < this.context.options.concurrentLoadsMax) {
      const room = this.waitingLoads.shift();
      if (room === undefined) return;
      if (!room.usable) continue;
      this.loading += 1;
      void this.load(room).finally(() => {
        this.loading -= 1;
        this.loadNext();
      });
    }
  }

  private async load(room: RoomCell): Promise<void> {
    const { codec, rooms, schemas, log, metrics } = this.context;
    const startedMonoMs = this.context.clock.monoMs();
    try {
      const rebuilt = await retryForever(
        this.context,
        'load room',
        () => room.usable,
        () => rebuildRoom(rooms, codec, room.key, (fingerprint) => schemas.find(fingerprint)),
      );
      if (!room.usable) return;
      // Tables that contradict each other would be loaded, refused and loaded again for ever.
      assert(room.reloads <= reloadsMax, 'the stored tables of a room contradict each other');
      room.become(rebuilt);
      metrics.observeMs('cell_room_load_ms', this.context.clock.monoMs() - startedMonoMs);
    } catch (error) {
      if (!room.usable) return;
      // Corrupt, or a fault of ours while replaying: either way this room must not be written.
      room.phase = 'broken';
      metrics.count('cell_rooms_broken_total');
      const kind = error instanceof Failure ? error.kind : 'fault';
      log.error({ roomKey: room.key, kind, error }, 'a room cannot be rebuilt and stands still');
    }
    this.listener.onLoaded(room);
  }

  private evict(room: RoomCell): void {
    if (room.phase === 'ready') {
      this.listener.onLeaving(room);
      if (room.state.users.size > 0) this.keepTimes(room);
    }
    this.drop(room);
  }

  /** As many as rooms in memory; whose times are forgotten gives its users a fresh window. */
  private keepTimes({ key, partition, times }: RoomCell): void {
    this.keptTimes.delete(key);
    this.keptTimes.set(key, { partition, times });
    if (this.keptTimes.size <= this.context.options.residentRoomsMax) return;
    const oldest = this.keptTimes.keys().next();
    if (oldest.done !== true) this.keptTimes.delete(oldest.value);
  }

  /**
   * Least recently used first; a room with work, or whose snapshot is being written, stays. A broken
   * one goes, too: met again it is loaded again, and says again what is wrong with it.
   */
  private evictIdle(): void {
    const max = this.context.options.residentRoomsMax;
    if (this.rooms.size <= max) return;
    const idle = [...this.rooms.values()]
      .filter((room) => room.phase !== 'loading' && !room.inBatch && room.pending.length === 0)
      .filter((room) => !room.snapshotInFlight && !room.deadlineQueued)
      .sort((left, right) => left.lastUsedMonoMs - right.lastUsedMonoMs);
    // A tenth more than needed goes at once, so that a full node does not sort on every command.
    const surplus = this.rooms.size - max + Math.ceil(max / 10);
    for (const room of idle.slice(0, surplus)) this.evict(room);
    this.context.metrics.count('cell_rooms_evicted_total', {}, Math.min(surplus, idle.length));
  }
}
