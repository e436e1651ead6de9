/** A memory database of a test's own, with every port on it and a time that the test moves. */
import {
  createMemoryDrivers,
  type MemoryDrivers,
} from '../../src/drivers/memory/memory-drivers.ts';
import { MemoryDatabase } from '../../src/drivers/memory/memory-database.ts';
import { settled, VirtualTime } from '../../src/drivers/memory/virtual-time.ts';

/** See the file header. */
export interface MemorySpace {
  readonly time: VirtualTime;
  readonly database: MemoryDatabase;
  readonly drivers: MemoryDrivers;
  /** Another set of ports on the same database, as another process has. */
  moreDrivers(): MemoryDrivers;
  /** Lets time pass, from timer to timer, until `promise` ends; fails after two virtual minutes. */
  ended<T>(promise: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Longest that `ended` lets pass. */
const patienceMs = 120_000;

/** Opens an empty one. The time begins late enough to be a time. */
export function openMemorySpace(): MemorySpace {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const database = new MemoryDatabase({ clock: time, timers: time });
  const moreDrivers = (): MemoryDrivers => createMemoryDrivers(database);
  return {
    time,
    database,
    drivers: moreDrivers(),
    moreDrivers,
    ended: (promise) => ended(time, promise),
    close: () => Promise.resolve(),
  };
}

async function ended<T>(time: VirtualTime, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  // Whoever asked gets the rejection from `promise` itself.
  over.catch(() => undefined);
  const giveUpAtMs = time.monoMs() + patienceMs;
  for (;;) {
    await settled();
    if (isOver) return promise;
    if (!time.step(giveUpAtMs)) throw new Error(`not ended after ${patienceMs} virtual ms`);
  }
}
