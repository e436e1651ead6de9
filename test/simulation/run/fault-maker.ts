/** Makes the planned faults happen, each at its time, and ends them all when the storm is over. */
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { PlannedFault, PlannedFiring } from '../plan/fault-kinds.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import { aimedFaults } from './aimed-faults.ts';
import type { FaultTable } from './fault-effect.ts';
import { databaseFaults } from './faults-of-database.ts';
import { logFaults } from './faults-of-log.ts';
import { luckyFaults } from './faults-of-lucky-gifts.ts';
import { podFaults } from './faults-of-pods.ts';
import { readFaults } from './faults-of-reads.ts';
import { rtcFaults } from './faults-of-rtc.ts';
import { outsideFaults } from './faults-outside.ts';

const table: FaultTable = {
  ...podFaults,
  ...logFaults,
  ...databaseFaults,
  ...outsideFaults,
  ...readFaults,
  ...rtcFaults,
  ...luckyFaults,
  ...aimedFaults,
};

/** See the file header. */
export class FaultMaker {
  /** How often each kind happened. */
  readonly counts = new Map<string, number>();
  private readonly world: World;
  private readonly lasting = new Set<() => void>();
  private readonly passes = new Map<TracePoint, number>();
  private isOver = false;

  constructor(world: World) {
    this.world = world;
  }

  /** The plan's times count from the start of the run, passes of points from now. */
  begin(faults: readonly PlannedFault[], firings: readonly PlannedFiring[]): void {
    const { kernel } = this.world;
    const timers = kernel.timersOf('faults');
    for (const fault of faults) {
      timers.after(fault.atMs - kernel.nowMs, () => this.make(fault));
    }
    this.world.onPoint = (pod, point) => {
      const nth = (this.passes.get(point) ?? 0) + 1;
      this.passes.set(point, nth);
      const firing = firings.find((one) => one.point === point && one.nth === nth);
      if (firing !== undefined) this.fire(pod, firing);
    };
  }

  /** Nothing is wrong any more: all up, all ways open, all clocks true. */
  end(): void {
    this.isOver = true;
    const { servers, pods, latency, database } = this.world;
    this.world.onPoint = () => undefined;
    for (const end of this.lasting) end();
    this.lasting.clear();
    latency.calm();
    servers.broker.faults.clear();
    servers.reads.setTrue();
    servers.wallet.faults.clear();
    servers.lucky.faults.clear();
    servers.luckyLocks.isAway = false;
    servers.im.faults.clear();
    servers.activity.faults.clear();
    servers.rtc.faults.clear();
    database.server.faults.length = 0;
    for (const lane of servers.lanes.values()) lane.faults.length = 0;
    for (const pod of pods) {
      pod.clock.setTrue();
      pod.thaw();
      pod.start();
      servers.broker.setReach(pod.client, 'open');
    }
  }

  private make(fault: PlannedFault): void {
    if (this.isOver) return;
    const effect = table[fault.kind](this.world, fault);
    if (effect === false) return;
    this.tell(fault.kind, `${fault.kind} ${fault.target} ${fault.lengthMs} ms`);
    if (typeof effect === 'function') this.last(effect, fault.lengthMs);
    else if (effect !== true) this.lasting.add(effect.whenOver);
  }

  private fire(pod: Pod, firing: PlannedFiring): void {
    if (this.isOver) return;
    const { what, point, lengthMs } = firing;
    this.tell(`${what} at ${point}`, `${what} ${pod.incarnation} at ${point}`);
    if (what === 'freeze') {
      pod.freeze();
      this.last(() => pod.thaw(), lengthMs);
    } else {
      pod.kill(what === 'kill');
      this.world.startLater(pod);
    }
  }

  private last(end: () => void, lengthMs: number): void {
    this.lasting.add(end);
    this.world.kernel.timersOf('faults').after(lengthMs, () => {
      if (this.lasting.delete(end)) end();
    });
  }

  private tell(kind: string, text: string): void {
    const { kernel } = this.world;
    kernel.note(`fault ${text}`);
    this.counts.set(`fault ${kind}`, (this.counts.get(`fault ${kind}`) ?? 0) + 1);
    this.world.observe({ kind: 'fault', atMs: kernel.trueMs, text });
  }
}
