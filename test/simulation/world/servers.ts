/** What the processes of a simulated run share: log, tables, leases, wallet, IM and activity. */
import { ActivityStandIn } from '../../../src/drivers/delivery-stand-in/activity-stand-in.ts';
import { ImStandIn } from '../../../src/drivers/delivery-stand-in/im-stand-in.ts';
import type { ReceivedEvents } from '../../../src/drivers/delivery-stand-in/received-events.ts';
import { RtcStandIn } from '../../../src/drivers/delivery-stand-in/rtc-stand-in.ts';
import { LuckyStandIn } from '../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import { MemoryBroker } from '../../../src/drivers/memory/memory-broker.ts';
import type { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryLuckyGiftLocks } from '../../../src/drivers/memory/memory-lucky-gift-send-locker.ts';
import { MemoryRocketWakes } from '../../../src/drivers/memory/memory-rocket-scheduler.ts';
import { MemoryWakeHub } from '../../../src/drivers/memory/memory-wake.ts';
import { WalletStandIn } from '../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { randomPort, SimRandom } from '../kernel/sim-random.ts';
import type { Observation } from '../observations.ts';
import { FarLeaseServer } from './far-lease-server.ts';
import type { Latency } from './latency.ts';
import { ListCopies } from './list-copies.ts';
import { ReadsBetweenPods } from './reads-between-pods.ts';
import { silentLog } from './sim-log.ts';

/** Small enough that a gift is refused now and then. */
const openingCoins = 2_000n;

/** See the file header. */
export interface Servers {
  readonly broker: MemoryBroker;
  readonly database: MemoryDatabase;
  readonly leases: FarLeaseServer;
  readonly reads: ReadsBetweenPods;
  readonly wakeHub: MemoryWakeHub;
  /** Hints between cells, through the same Redis. */
  readonly handOverHub: MemoryWakeHub;
  readonly rocketWakes: MemoryRocketWakes;
  readonly wallet: WalletStandIn;
  readonly lucky: LuckyStandIn;
  readonly luckyLocks: MemoryLuckyGiftLocks;
  readonly im: ImStandIn;
  readonly activity: ActivityStandIn;
  readonly rtc: RtcStandIn;
  readonly listCopies: ListCopies;
  /** By incarnation, of all lives of all cells. */
  readonly lanes: Map<string, MemoryCommitLane>;
}

/** Makes them, each with timers of its own name; what they take or change is told to `observe`. */
export function createServers(
  kernel: Kernel,
  chance: { readonly seed: number; readonly latency: Latency },
  observe: (observation: Observation) => void,
): Servers {
  const { time: clock } = kernel;
  const { latency } = chance;
  const randomOf = (name: string): Random => randomPort(new SimRandom(chance.seed, name));
  const ofBroker = randomOf('broker');
  const broker = new MemoryBroker(
    {
      clock,
      timers: withoutEmptySleeps(kernel.timersOf('broker')),
      random: {
        ...ofBroker,
        // The broker asks for a share of its span, which is one millisecond.
        fraction: (why) =>
          why === 'broker latency' ? latency.drawNearMs() : ofBroker.fraction(why),
      },
    },
    { latencyMs: { min: 0, max: 1 } },
  );
  broker.onAppended = (record) => observe({ kind: 'appended', atMs: kernel.trueMs, ...record });
  broker.faults.onMet = (fault) => {
    const where = 'topic' in fault ? ` at ${fault.topic}` : '';
    observe({ kind: 'fault', atMs: kernel.trueMs, text: `${fault.kind} hits the log${where}` });
  };
  const database = new MemoryDatabase({
    clock,
    timers: kernel.timersOf('database'),
    latencyMs: () => latency.drawNearMs(),
  });
  database.afterCommit = () => observe({ kind: 'committed', atMs: kernel.trueMs });
  const ofStandIns = { clock, timers: kernel.timersOf('stand-in'), random: randomOf('stand-in') };
  const im = new ImStandIn(ofStandIns);
  const activity = new ActivityStandIn(ofStandIns);
  tellArrivals(im.received, 'im', kernel, observe);
  tellArrivals(activity.received, 'activity', kernel, observe);
  const leases = new FarLeaseServer({ clock, timers: kernel.timersOf('leases'), latency });
  return {
    broker,
    database,
    leases,
    reads: new ReadsBetweenPods({ clock, timers: kernel.timersOf('reads'), latency }),
    wakeHub: new MemoryWakeHub({ timers: kernel.timersOf('wake'), log: silentLog }),
    rocketWakes: new MemoryRocketWakes(),
    handOverHub: new MemoryWakeHub({ timers: kernel.timersOf('wake'), log: silentLog }),
    wallet: new WalletStandIn({ ...ofStandIns, openingCoins }),
    lucky: new LuckyStandIn(ofStandIns),
    luckyLocks: new MemoryLuckyGiftLocks(clock),
    im,
    activity,
    rtc: new RtcStandIn(ofStandIns),
    listCopies: new ListCopies(kernel, leases, observe),
    lanes: new Map(),
  };
}

/** What takes no time at all goes on at once, as the same event. */
function withoutEmptySleeps(timers: Timers): Timers {
  return {
    after: timers.after,
    sleep: (delayMs, signal) => (delayMs === 0 ? Promise.resolve() : timers.sleep(delayMs, signal)),
  };
}

/** Repeats that the receiver knows as such are arrivals, too; notifications are about one. */
function tellArrivals(
  received: ReceivedEvents,
  destination: 'im' | 'activity',
  kernel: Kernel,
  observe: (observation: Observation) => void,
): void {
  const record = received.record.bind(received);
  received.record = (arrival, how) => {
    record(arrival, how);
    if (how === 'notification') return;
    const { appCode, roomId, eventId, bytes } = arrival;
    const atMs = kernel.trueMs;
    observe({ kind: 'arrived', atMs, destination, appCode, roomId, eventId, bytes });
  };
}
