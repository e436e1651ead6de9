/**
 * Works on the lanes of all batches in hand: so many rooms at a time, each room's lanes one after another
 * in the order in which they came. Batches are worked on side by side, and a room may be in several: a run
 * that comes again because its claim ran out must not be sent beside the one that was too slow. The store
 * would let only one of the two go on, yet the rows of the other would have been sent for nothing.
 */
import type { RoomKey } from '../domain/ids.ts';
import type { RoomLane } from './room-lanes.ts';

interface Task {
  readonly run: () => Promise<void>;
  readonly ended: () => void;
}

/** See the file header. */
export class RoomWork {
  private readonly concurrentRooms: number;
  /** What waits in each room, with the one under way first. */
  private readonly rooms = new Map<RoomKey, Task[]>();
  /** Rooms of which nothing is under way, in the order in which they are served. */
  private readonly ready = new Set<RoomKey>();
  private busy = 0;

  /** At most `concurrentRooms` are worked on at a time. */
  constructor(concurrentRooms: number) {
    this.concurrentRooms = concurrentRooms;
  }

  /**
   * Resolves when all lanes are done; rejects with the first rejection, after the lanes in hand have
   * ended, and begins no further one of these.
   */
  async all(lanes: readonly RoomLane[], work: (lane: RoomLane) => Promise<void>): Promise<void> {
    let firstFault: { readonly cause: unknown } | null = null;
    const carry = async (lane: RoomLane): Promise<void> => {
      if (firstFault !== null) return;
      try {
        await work(lane);
      } catch (cause) {
        firstFault ??= { cause };
      }
    };
    await Promise.all(lanes.map((lane) => this.place(lane.roomKey, () => carry(lane))));
    if (firstFault !== null) throw (firstFault as { readonly cause: unknown }).cause;
  }

  /** Resolves when the work, which never rejects, has had its turn and ended. */
  private place(roomKey: RoomKey, run: () => Promise<void>): Promise<void> {
    return new Promise((ended) => {
      const tasks = this.rooms.get(roomKey);
      if (tasks === undefined) {
        this.rooms.set(roomKey, [{ run, ended }]);
        this.ready.add(roomKey);
      } else tasks.push({ run, ended });
      this.serve();
    });
  }

  private serve(): void {
    for (const roomKey of this.ready) {
      if (this.busy >= this.concurrentRooms) return;
      this.ready.delete(roomKey);
      const [task] = this.rooms.get(roomKey) ?? [];
      if (task !== undefined) void this.turn(roomKey, task);
    }
  }

  private async turn(roomKey: RoomKey, task: Task): Promise<void> {
    this.busy += 1;
    await task.run();
    this.busy -= 1;
    const tasks = this.rooms.get(roomKey) ?? [];
    tasks.shift();
    if (tasks.length === 0) this.rooms.delete(roomKey);
    else this.ready.add(roomKey);
    task.ended();
    this.serve();
  }
}
