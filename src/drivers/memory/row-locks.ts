/**
 * Row locks as InnoDB gives them to writers: exclusive, held until the transaction ends, waited for
 * in order of arrival. A wait that passes its limit ends only the statement that waited (1205); a
 * circle of waits ends the transaction in it that changed least (1213).
 */
import type { CancelTimer, Timers } from '../../ports/timers.ts';

/** Who holds locks: one open transaction. */
export interface LockHolder {
  /** Rows changed so far, by which the victim of a deadlock is chosen. */
  readonly changes: number;
  /** Called for a victim; it must roll back, which gives its locks free. */
  chosenAsVictim(): void;
}

/** How a wait ended. `ended`: the waiting transaction itself is over. */
export type LockEnd = 'granted' | 'timedOut' | 'ended';

interface Wait {
  readonly key: string;
  readonly holder: LockHolder;
  readonly end: (how: LockEnd) => void;
}

/** See the file header. */
export class RowLocks {
  private readonly timers: Timers;
  private readonly held = new Map<string, LockHolder>();
  private readonly keysOf = new Map<LockHolder, Set<string>>();
  /** In order of arrival; a transaction waits for one row at a time. */
  private waits: Wait[] = [];

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** Whether a transaction holds the row. */
  isHeld(key: string): boolean {
    return this.held.has(key);
  }

  /** How many transactions wait for rows whose name begins like this. */
  waitersFor(prefix: string): number {
    return this.waits.filter(({ key }) => key.startsWith(prefix)).length;
  }

  /** Waits for the row at most `limitMs`; what a transaction holds already it gets at once. */
  acquire(holder: LockHolder, key: string, limitMs: number): Promise<LockEnd> {
    const other = this.held.get(key);
    if (other === undefined || other === holder) {
      this.grant(key, holder);
      return Promise.resolve('granted');
    }
    return new Promise((resolve) => {
      let cancel: CancelTimer = () => undefined;
      const wait: Wait = {
        key,
        holder,
        end: (how) => {
          cancel();
          this.waits = this.waits.filter((each) => each !== wait);
          resolve(how);
        },
      };
      this.waits.push(wait);
      cancel = this.timers.after(limitMs, () => wait.end('timedOut'));
      this.victimAround(holder)?.chosenAsVictim();
    });
  }

  /** The transaction is over: its locks go to whoever waits longest, its own wait ends. */
  releaseAll(holder: LockHolder): void {
    this.waits.find((wait) => wait.holder === holder)?.end('ended');
    const keys = this.keysOf.get(holder) ?? new Set<string>();
    this.keysOf.delete(holder);
    for (const key of keys) {
      this.held.delete(key);
      const next = this.waits.find((wait) => wait.key === key);
      if (next === undefined) continue;
      this.grant(key, next.holder);
      next.end('granted');
    }
  }

  private grant(key: string, holder: LockHolder): void {
    this.held.set(key, holder);
    const keys = this.keysOf.get(holder);
    if (keys === undefined) this.keysOf.set(holder, new Set([key]));
    else keys.add(key);
  }

  /** Follows who waits for whom from `start`; null unless the way leads back to it. */
  private victimAround(start: LockHolder): LockHolder | null {
    const circle: LockHolder[] = [];
    for (let at: LockHolder | undefined = start; at !== undefined; at = this.waitsFor(at)) {
      if (at === start && circle.length > 0) break;
      // A circle further on, without `start`, was broken when it closed.
      if (circle.includes(at)) return null;
      circle.push(at);
    }
    const last = circle.at(-1);
    if (last === undefined || this.waitsFor(last) !== start) return null;
    return circle.reduce((least, each) => (each.changes < least.changes ? each : least));
  }

  private waitsFor(holder: LockHolder): LockHolder | undefined {
    const wait = this.waits.find((each) => each.holder === holder);
    return wait === undefined ? undefined : this.held.get(wait.key);
  }
}
