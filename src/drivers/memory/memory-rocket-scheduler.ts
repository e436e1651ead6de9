/** Memory twin of the rockets' wake-ups: one set that the nodes of a process share. */
import {
  rocketWakeKeptMs,
  rocketWakesMax,
  type RocketLaunchScheduler,
  type RocketWake,
} from '../../ports/rocket-scheduler.ts';

/** The set, and whether it can be reached. */
export class MemoryRocketWakes {
  readonly wakes = new Map<string, RocketWake>();
  isAway = false;

  /** A client of it. */
  open(): RocketLaunchScheduler {
    return new MemoryRocketScheduler(this);
  }
}

class MemoryRocketScheduler implements RocketLaunchScheduler {
  private readonly server: MemoryRocketWakes;

  constructor(server: MemoryRocketWakes) {
    this.server = server;
  }

  schedule(wake: RocketWake): Promise<boolean> {
    const { wakes, isAway } = this.server;
    if (isAway) return Promise.resolve(false);
    if (!wakes.has(nameOf(wake))) wakes.set(nameOf(wake), wake);
    for (const late of inOrder(wakes).slice(rocketWakesMax)) wakes.delete(nameOf(late));
    return Promise.resolve(true);
  }

  due(nowMs: number, limit: number): Promise<readonly RocketWake[]> {
    const { wakes, isAway } = this.server;
    if (isAway) return Promise.resolve([]);
    const due = inOrder(wakes).filter(({ launchAtMs }) => launchAtMs <= nowMs);
    const isOver = ({ launchAtMs }: RocketWake) => launchAtMs <= nowMs - rocketWakeKeptMs;
    for (const wake of due.filter(isOver)) wakes.delete(nameOf(wake));
    return Promise.resolve(due.filter((wake) => !isOver(wake)).slice(0, limit));
  }

  done(wake: RocketWake): Promise<void> {
    if (!this.server.isAway) this.server.wakes.delete(nameOf(wake));
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

function nameOf({ roundNo, roomKey }: RocketWake): string {
  return `${roundNo} ${roomKey}`;
}

function inOrder(wakes: ReadonlyMap<string, RocketWake>): RocketWake[] {
  return [...wakes.values()].sort((left, right) => left.launchAtMs - right.launchAtMs);
}
