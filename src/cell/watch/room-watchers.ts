/**
 * Who watches which room of this node. Steps are made once per room, however many watch it, and not
 * at all for a room that nobody watches.
 */
import type { RoomKey } from '../../domain/ids.ts';
import type { CellContext } from '../cell-context.ts';
import type { RoomDraft } from '../lane/draft.ts';
import type { Partition } from '../partition/partition.ts';
import { refused } from '../reads/refused.ts';
import { stepsOfDraft } from './room-steps.ts';
import type { Watcher } from './watcher.ts';

/** See the file header. */
export class RoomWatchers {
  private readonly context: CellContext;
  private readonly rooms = new Map<RoomKey, Set<Watcher>>();

  constructor(context: CellContext) {
    this.context = context;
  }

  /** From now on the watcher gets every step of its room. Throws OWNER_BUSY when the room is full. */
  enlist(watcher: Watcher): void {
    const watchers = this.rooms.get(watcher.roomKey) ?? new Set();
    if (watchers.size >= this.context.options.watchersPerRoomMax) throw refused('OWNER_BUSY');
    this.rooms.set(watcher.roomKey, watchers.add(watcher));
  }

  /** Idempotent. */
  dismiss(watcher: Watcher): void {
    const watchers = this.rooms.get(watcher.roomKey);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.rooms.delete(watcher.roomKey);
  }

  /** A batch was put into effect. */
  committed(drafts: readonly RoomDraft[]): void {
    for (const draft of drafts) {
      const watchers = this.rooms.get(draft.room.key);
      if (watchers === undefined) continue;
      for (const step of stepsOfDraft(this.context, draft)) {
        for (const watcher of watchers) {
          if (watcher.partition === draft.room.partition) watcher.push(step);
        }
      }
    }
  }

  /** Ownerships under which somebody watches. */
  partitions(): ReadonlySet<Partition> {
    return new Set([...this.all()].map(({ partition }) => partition));
  }

  /** Those who watch a room of the partition. */
  of(partition: Partition): readonly Watcher[] {
    return [...this.all()].filter((watcher) => watcher.partition === partition);
  }

  private *all(): Generator<Watcher> {
    for (const watchers of this.rooms.values()) yield* watchers;
  }
}
