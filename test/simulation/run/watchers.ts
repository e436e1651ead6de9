/** Those who watch rooms in a run, and whether each has been told all that there is (INV-44). */
import { roomKeyOf, type AppCode, type RoomId } from '../../../src/domain/ids.ts';
import { RoomWatcher } from '../clients/room-watcher.ts';
import { WatchNetwork } from '../clients/watch-network.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import type { PlannedWatch } from '../plan/planned-call.ts';
import type { World } from '../world/world.ts';

const pauseMs = { min: 50, spread: 450 };

/** See the file header. */
export class Watchers {
  private readonly world: World;
  private readonly plans: readonly PlannedWatch[];
  private readonly watchers: readonly RoomWatcher[];

  constructor(world: World, plans: readonly PlannedWatch[]) {
    const network = new WatchNetwork(world);
    const pauses = new SimRandom(world.options.seed, 'watch pauses');
    const context = {
      timers: world.kernel.timersOf('watcher'),
      watch: (...call: Parameters<typeof network.watch>) => network.watch(...call),
      pauseMs: () => pauseMs.min + pauseMs.spread * pauses.fraction(),
    };
    this.world = world;
    this.plans = plans;
    this.watchers = plans.map((plan, at) => new RoomWatcher(context, plan, at + 1));
  }

  /** Each begins when its time has come. */
  begin(): void {
    const timers = this.world.kernel.timersOf('watcher');
    for (const [at, watcher] of this.watchers.entries()) {
      timers.after(this.plans[at]?.fromMs ?? 0, () => void watcher.run());
    }
  }

  /** What a watcher above its room has not been told of it; null: nothing. */
  untold(): string | null {
    for (const watcher of this.watchers) {
      const roomKey = roomKeyOf(watcher.appCode as AppCode, watcher.roomId as RoomId);
      const missing = watcher.missing(this.world.database.rooms.get(roomKey)?.version ?? 0n);
      if (missing !== null) return missing;
    }
    return null;
  }
}
