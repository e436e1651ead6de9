/**
 * Brings rooms with people into memory that are not there: after a takeover, a restart or an idle
 * eviction nobody may be left in a room for ever only because nobody sends anything any more.
 * `rooms.next_sweep_ms` names them. The time there is set by commits alone, so a quiet room in memory
 * whose users are alive stays overdue in the table: the search goes on behind it page by page, over
 * as many ticks as it takes, and never lets such rooms hide the others.
 */
import { Failure } from '../../kernel/failure.ts';
import type { SweepRoom } from '../../ports/room-reader.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';

/** Rooms read in one SELECT. */
const pageRooms = 200;
/** Pages read per partition and tick. */
const pagesPerTick = 5;
/** Rooms brought in per partition and tick, so that loads for callers do not wait behind them. */
const wokenPerTick = 50;

/** See the file header. */
export class UnloadedRooms {
  private readonly context: CellContext;
  private readonly registry: RoomRegistry;
  /** Where the search of a partition goes on; a partition that is lost takes its place with it. */
  private readonly places = new WeakMap<Partition, SweepRoom>();

  constructor(context: CellContext, registry: RoomRegistry) {
    this.context = context;
    this.registry = registry;
  }

  /** Goes on with the search of one partition. The rooms are swept by later ticks. */
  async wake(partition: Partition): Promise<void> {
    let woken = 0;
    try {
      for (let page = 0; page < pagesPerTick && woken < wokenPerTick; page += 1) {
        if (!partition.active) return;
        const rooms = await this.nextPage(partition);
        for (const room of rooms) {
          if (!partition.active || woken >= wokenPerTick) return;
          this.places.set(partition, room);
          if (this.registry.find(room.roomKey)?.partition === partition) continue;
          this.registry.ensure(room.roomKey, partition);
          woken += 1;
        }
        if (rooms.length === pageRooms) continue;
        this.places.delete(partition);
        return;
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      // The next tick comes by itself; readiness hears of the outage by the search for deadlines.
      this.context.log.debug({ partition: partition.id, error: error.message }, 'rooms unread');
    }
  }

  private nextPage(partition: Partition): Promise<readonly SweepRoom[]> {
    const after = this.places.get(partition) ?? null;
    const nowMs = this.context.clock.wallMs();
    return this.context.rooms.roomsToSweep(partition.id, nowMs, after, pageRooms);
  }
}
