/**
 * Snapshots: written after the commit, off the lane, every N versions. A failure costs recovery
 * time and nothing else; the log is the truth (PIPE-14, OCFG-1).
 */
import { stateHashOf } from '../protocol/state-hash.ts';
import type { CellContext } from './cell-context.ts';
import type { RoomCell } from './registry/room-cell.ts';

/** Snapshots written at the same time on one node. */
const concurrentWritesMax = 4;

/** See the file header. One snapshot in flight per room; the newest state wins. */
export class Snapshots {
  private readonly context: CellContext;
  private readonly waiting = new Set<RoomCell>();
  private writing = 0;

  constructor(context: CellContext) {
    this.context = context;
  }

  get idle(): boolean {
    return this.writing === 0 && this.waiting.size === 0;
  }

  /** Writes one if the room is N versions ahead of its last snapshot. */
  consider(room: RoomCell): void {
    if (room.phase !== 'ready') return;
    const ahead = room.state.version - room.snapshotVersion;
    if (ahead < BigInt(this.context.options.snapshotEveryN) || room.snapshotInFlight) return;
    this.waiting.add(room);
    this.writeNext();
  }

  private writeNext(): void {
    for (const room of this.waiting) {
      if (this.writing >= concurrentWritesMax) return;
      this.waiting.delete(room);
      if (!room.usable) continue;
      this.writing += 1;
      room.snapshotInFlight = true;
      void this.write(room).finally(() => {
        this.writing -= 1;
        room.snapshotInFlight = false;
        this.writeNext();
      });
    }
  }

  private async write(room: RoomCell): Promise<void> {
    const { codec, snapshots, clock, log, metrics, options, trace } = this.context;
    // Taken together: the live state is replaced only between turns.
    const { state, chainHash } = room;
    const startedMonoMs = clock.monoMs();
    try {
      const bytes = codec.encodeSnapshot({ state });
      const stateHash = stateHashOf(bytes);
      trace.at('cell.snapshot_before_write');
      const row = { roomKey: room.key, version: state.version, bytes, stateHash, chainHash };
      await snapshots.save({ ...row, createdAtMs: clock.wallMs() }, options.snapshotsKept);
      room.snapshotVersion = state.version;
      metrics.observeMs('cell_snapshot_ms', clock.monoMs() - startedMonoMs);
    } catch (error) {
      // An outage or a fault of ours: one room's snapshot must not cost the node's other rooms.
      metrics.count('cell_snapshot_failures_total');
      log.warn({ roomKey: room.key, error }, 'a snapshot was not written');
    }
  }
}
