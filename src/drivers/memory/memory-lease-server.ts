/**
 * The server behind the twins of Redis: keys with an end by the server's own clock, shared by all nodes,
 * and what such a server does on its bad days. Nothing of it happens unless it is ordered.
 */
import type { RoomKey } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CancelTimer, Timers } from '../../ports/timers.ts';
import type { LeaseKey } from './memory-lease-scripts.ts';

/** How the server answers. */
export type LeaseServerMode =
  | { readonly kind: 'up' }
  /** Requests take effect when they come; answers leave `delayMs` later. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Nothing is answered. Requests wait in the server and take effect when it goes on. */
  | { readonly kind: 'frozen' }
  /** Connections are refused. */
  | { readonly kind: 'down' };

/** What came back for a request. */
export type ServerAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'unreachable'; readonly cause: string };

interface Stored {
  readonly value: string;
  /** On the server's clock; null: never. */
  readonly endsMs: number | null;
}

/** A frozen server takes no more requests than its sockets hold. */
const frozenMax = 10_000;

/** See the file header. */
export class MemoryLeaseServer {
  private readonly clock: Clock;
  private readonly timers: Timers;
  private readonly stored = new Map<string, Stored>();
  /** What lies under other names than keys: whole structures, without an end. */
  private readonly documents = new Map<string, object>();
  private mode: LeaseServerMode = { kind: 'up' };
  private clockOffsetMs = 0;
  private twiceLeft = 0;
  private frozen: (() => void)[] = [];

  /** `clock` is the server's, `timers` are the network's. */
  constructor(context: { readonly clock: Clock; readonly timers: Timers }) {
    this.clock = context.clock;
    this.timers = context.timers;
  }

  /**
   * Orders how it answers from now on. A frozen server that goes on lets what waits take effect, in
   * order; one that goes down loses it.
   */
  setMode(mode: LeaseServerMode): void {
    this.mode = mode;
    if (mode.kind === 'frozen') return;
    const waiting = this.frozen.splice(0);
    if (mode.kind !== 'down') for (const run of waiting) run();
  }

  /** Loses everything, as a flush or a failover to an empty replica does. */
  empty(): void {
    this.stored.clear();
    this.documents.clear();
  }

  /** Writes any value over a room's lease, as a stranger would; without `ttlMs` it never ends. */
  plant(roomKey: RoomKey, value: string, ttlMs?: number): void {
    const endsMs = ttlMs === undefined ? null : this.nowMs() + ttlMs;
    this.stored.set(roomKey, { value, endsMs });
  }

  /** Sets the server's clock forward, or back when negative. */
  jumpClock(byMs: number): void {
    this.clockOffsetMs += byMs;
  }

  /** The next `requests` requests run twice; the second answer comes back. */
  runTwice(requests: number): void {
    this.twiceLeft += requests;
  }

  /** What a key holds now; null when nothing. */
  read(name: string): string | null {
    return this.key(name).get();
  }

  /** Names of all keys that have not ended, for a look from outside. */
  get keyNames(): readonly string[] {
    return [...this.stored.keys()].filter((name) => this.read(name) !== null);
  }

  /** The structure under a name, made now if there is none. For work within a request. */
  document<T extends object>(name: string, make: () => T): T {
    const found = this.documentIfAny<T>(name) ?? make();
    this.documents.set(name, found);
    return found;
  }

  /** The structure under a name; the caller knows its kind. */
  documentIfAny<T extends object>(name: string): T | null {
    return (this.documents.get(name) as T | undefined) ?? null;
  }

  /** A key by its name. */
  key(name: string): LeaseKey {
    return {
      get: () => this.live(name)?.value ?? null,
      leftMs: () => {
        const endsMs = this.live(name)?.endsMs ?? null;
        return endsMs === null ? -1 : endsMs - this.nowMs();
      },
      set: (value, ttlMs) => {
        this.stored.set(name, { value, endsMs: this.nowMs() + ttlMs });
      },
      delete: () => {
        this.stored.delete(name);
      },
    };
  }

  /** Sends one request; the end of the wait for its answer is within `budgetMs`. Never rejects. */
  request<T>(work: () => T, budgetMs: number): Promise<ServerAnswer<T>> {
    const { mode } = this;
    if (mode.kind === 'down') return Promise.resolve(unreachable('connection refused'));
    if (budgetMs <= 0) return Promise.resolve(unreachable('no time left'));
    return new Promise((resolve) => {
      const cancel = this.timers.after(budgetMs, () => {
        resolve(unreachable(`no answer within ${budgetMs} ms`));
      });
      if (mode.kind !== 'frozen') return this.run(work, cancel, resolve);
      if (this.frozen.length < frozenMax) {
        this.frozen.push(() => this.run(work, cancel, resolve));
      }
    });
  }

  private run<T>(
    work: () => T,
    cancelLimit: CancelTimer,
    resolve: (answer: ServerAnswer<T>) => void,
  ): void {
    if (this.twiceLeft > 0) {
      this.twiceLeft -= 1;
      work();
    }
    const value = work();
    const answer = (): void => {
      cancelLimit();
      resolve({ kind: 'answered', value });
    };
    if (this.mode.kind === 'slow') this.timers.after(this.mode.delayMs, answer);
    else answer();
  }

  private live(name: string): Stored | undefined {
    const stored = this.stored.get(name);
    if (stored === undefined) return undefined;
    if (stored.endsMs === null || this.nowMs() <= stored.endsMs) return stored;
    // As on a server: a key that has ended is gone, also when the clock is set back afterwards.
    this.stored.delete(name);
    return undefined;
  }

  private nowMs(): number {
    return this.clock.wallMs() + this.clockOffsetMs;
  }
}

function unreachable(cause: string): { readonly kind: 'unreachable'; readonly cause: string } {
  return { kind: 'unreachable', cause };
}
