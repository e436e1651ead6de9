/**
 * Watched partitions are confirmed in MySQL again and again, all of them with one query.
 *
 * Race (test "a watch of a node that lost its partition without noticing ends at the next pulse"):
 *   1. A is frozen or cut off; B takes the partition over and commits.
 *   2. A thaws. It commits nothing any more, so no fence refuses it, and its watchers hear nothing.
 *   3. They take the silence for a quiet room, for ever.
 * Closed by asking: A tells nothing wrong meanwhile, since only what it commits is told, yet its
 * silence is worth no more than the last time that MySQL confirmed it.
 */
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { OwnedRooms } from '../reads/owned-rooms.ts';
import type { RoomWatchers } from './room-watchers.ts';

/** How often MySQL is asked while somebody watches. */
export const watchPulseMs = 3_000;
/** A watch whose ownership could not be confirmed for so long ends; its watcher asks elsewhere. */
export const unconfirmedMaxMs = 9_000;

/** See the file header. Beats only while somebody watches. */
export class WatchPulse {
  private readonly context: CellContext;
  private readonly owned: OwnedRooms;
  private readonly watchers: RoomWatchers;
  private readonly confirmedMonoMs = new WeakMap<Partition, number>();
  private cancel: (() => void) | null = null;

  constructor(context: CellContext, owned: OwnedRooms, watchers: RoomWatchers) {
    this.context = context;
    this.owned = owned;
    this.watchers = watchers;
  }

  /** Somebody watches. */
  begin(): void {
    this.cancel ??= this.context.timers.after(watchPulseMs, () => void this.beat());
  }

  stop(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private async beat(): Promise<void> {
    const partitions = this.watchers.partitions();
    await Promise.all([...partitions].map((partition) => this.confirm(partition)));
    // Stopped meanwhile, or nobody is left.
    if (this.cancel === null) return;
    this.cancel = null;
    if (this.watchers.partitions().size > 0) this.begin();
  }

  private async confirm(partition: Partition): Promise<void> {
    const { clock } = this.context;
    const askedMonoMs = clock.monoMs();
    const { kind } = await this.owned.confirm(partition);
    // Lost: the one who looked has said so, and the watchers were ended by that.
    if (kind === 'lost') return;
    if (kind === 'mine') {
      this.confirmedMonoMs.set(partition, askedMonoMs);
      for (const watcher of this.watchers.of(partition)) watcher.alive();
      return;
    }
    const confirmedMonoMs = this.confirmedMonoMs.get(partition) ?? askedMonoMs;
    this.confirmedMonoMs.set(partition, confirmedMonoMs);
    if (clock.monoMs() - confirmedMonoMs < unconfirmedMaxMs) return;
    for (const watcher of this.watchers.of(partition)) watcher.end('UNAVAILABLE');
  }
}
