/**
 * The runtimes of this node, one for each room at most (ROBOT-2). Rooms of people and robot rooms have
 * registries of their own, so that none of the one kind ever cancels one of the other.
 *
 * Race (test "an old loop that ends late leaves the registration of its successor alone"):
 *   1. A room's runtime is stopped while one of its acts is under way; its place is free at once.
 *   2. The room gets another runtime, which takes the place.
 *   3. The act of the first one ends, its loops end, and it takes its place away.
 * Closed by the token: whoever ends takes the place away only if it bears its own.
 */
import type { RoomKey } from '../../domain/ids.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RobotRuntime } from './robot-runtime.ts';

interface Entry {
  /** Of this start, and of no other. */
  readonly token: number;
  readonly runtime: RobotRuntime;
  readonly ended: Promise<void>;
  /** It is cancelled, and another one will be started when it has ended. */
  isRestarting: boolean;
}

/** See the file header. */
export class RobotRuntimes {
  private readonly context: CellContext;
  private readonly kind: 'guest' | 'host';
  private readonly entries = new Map<RoomKey, Entry>();
  private starts = 0;
  private closed = false;

  constructor(context: CellContext, kind: 'guest' | 'host') {
    this.context = context;
    this.kind = kind;
  }

  get size(): number {
    return this.entries.size;
  }

  /** The room's runtime, or undefined. */
  find(roomKey: RoomKey): RobotRuntime | undefined {
    return this.entries.get(roomKey)?.runtime;
  }

  /** Rooms with a runtime. */
  rooms(): readonly RoomKey[] {
    return [...this.entries.keys()];
  }

  /** Starts a runtime. False: the room has one, or nothing is started any more. */
  start(roomKey: RoomKey, make: () => RobotRuntime): boolean {
    if (this.closed || this.entries.has(roomKey)) return false;
    this.starts += 1;
    const token = this.starts;
    const runtime = make();
    const ended = this.follow(roomKey, token, runtime);
    this.entries.set(roomKey, { token, runtime, ended, isRestarting: false });
    this.show();
    return true;
  }

  /** Cancels the runtime, waits until it has ended, and starts another one in its place (ROBOT-4). */
  async restart(roomKey: RoomKey, make: () => RobotRuntime | null): Promise<void> {
    const entry = this.entries.get(roomKey);
    if (entry === undefined || entry.isRestarting) return;
    entry.isRestarting = true;
    entry.runtime.cancel();
    await entry.ended;
    // Stopped meanwhile, or another one was started in its place.
    if (this.closed || this.entries.get(roomKey)?.token !== entry.token) return;
    this.entries.delete(roomKey);
    const next = make();
    if (next !== null) this.start(roomKey, () => next);
    this.show();
  }

  /** Cancels the room's runtime; its place is free at once. */
  stop(roomKey: RoomKey): void {
    const entry = this.entries.get(roomKey);
    if (entry === undefined) return;
    this.entries.delete(roomKey);
    entry.runtime.cancel();
    this.show();
  }

  /** The same for every room of a partition. */
  stopPartition(partition: Partition): void {
    for (const [roomKey, { runtime }] of [...this.entries]) {
      if (runtime.partition === partition) this.stop(roomKey);
    }
  }

  /** Cancels all; nothing is started any more. Idempotent. */
  close(): void {
    this.closed = true;
    for (const roomKey of [...this.entries.keys()]) this.stop(roomKey);
  }

  private async follow(roomKey: RoomKey, token: number, runtime: RobotRuntime): Promise<void> {
    try {
      await runtime.run();
    } catch (error) {
      // A fault of ours. The room goes on without its robots until the next look.
      this.context.log.error({ roomKey, error }, 'the robots of a room have ended over a fault');
    }
    const entry = this.entries.get(roomKey);
    if (entry?.token !== token || entry.isRestarting) return;
    this.entries.delete(roomKey);
    this.show();
  }

  private show(): void {
    const { metrics } = this.context;
    metrics.gauge('cell_robot_rooms', this.entries.size, { kind: this.kind });
  }
}
