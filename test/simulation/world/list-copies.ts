/** The copies of the room list in the server that leases live in: who writes them, and what they hold. */
import type { MemoryLeaseServer } from '../../../src/drivers/memory/memory-lease-server.ts';
import type { ListStamp, RoomListCache } from '../../../src/ports/room-list-cache.ts';
import type { ListEntry } from '../../../src/ports/room-queries.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Observation } from '../observations.ts';

/** The copy of one app as it lies there. */
export interface ListCopy {
  /** Begun with its first stamp, and ended by a flush. */
  readonly life: string;
  /** Whether pages are answered from it. */
  readonly isReady: boolean;
  /** Null: it is not listed. */
  readonly rooms: ReadonlyMap<string, { readonly entry: ListEntry | null }>;
}

/** See the file header. */
export class ListCopies {
  private readonly kernel: Kernel;
  private readonly leases: MemoryLeaseServer;
  private readonly observe: (observation: Observation) => void;
  private calls = 0;

  constructor(
    kernel: Kernel,
    leases: MemoryLeaseServer,
    observe: (observation: Observation) => void,
  ) {
    this.kernel = kernel;
    this.leases = leases;
    this.observe = observe;
  }

  /** The same cache, whose stamps and writes are told. */
  told(cache: RoomListCache): RoomListCache {
    const { kernel, observe } = this;
    const stamp: RoomListCache['stamp'] = async (appCode) => {
      this.calls += 1;
      const call = this.calls;
      observe({ kind: 'stampAsked', atMs: kernel.trueMs, appCode, call });
      const given = await cache.stamp(appCode);
      if (given !== null) {
        observe({ kind: 'stamped', atMs: kernel.trueMs, call, stamp: nameOf(given) });
      }
      return given;
    };
    const put: RoomListCache['put'] = async (appCode, given, rooms) => {
      const outcome = await cache.put(appCode, given, rooms);
      if (outcome === 'stored') {
        const roomIds = rooms.map(({ roomId }) => roomId);
        const at = { atMs: kernel.trueMs, appCode, stamp: nameOf(given), roomIds };
        observe({ kind: 'listCopied', ...at });
      }
      return outcome;
    };
    return Object.assign(Object.create(cache) as RoomListCache, { stamp, put });
  }

  /** Null: there is none. */
  of(appCode: string): ListCopy | null {
    const copy = this.leases.documentIfAny<Omit<ListCopy, 'isReady'>>(`room:list:${appCode}`);
    if (copy === null) return null;
    const isReady = this.leases.read(`room:list:${appCode}:ready`) === copy.life;
    return { life: copy.life, rooms: copy.rooms, isReady };
  }
}

function nameOf({ life, at }: ListStamp): string {
  return `${life}.${at}`;
}
