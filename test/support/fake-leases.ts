/** The lease twin as tests of the cell use it: keys that several nodes share, and a view per node. */
import { MemoryLeaseDirectory } from '../../src/drivers/memory/memory-lease-directory.ts';
import { parseLease, tokenOf } from '../../src/drivers/memory/memory-lease-scripts.ts';
import { MemoryLeaseServer } from '../../src/drivers/memory/memory-lease-server.ts';
import { VirtualTime } from '../../src/drivers/memory/virtual-time.ts';
import type { RoomKey } from '../../src/domain/ids.ts';

/** No lease runs out by itself. */
const leaseTtlMs = 30_000;

/** A look at the leases; the keys of nodes are not among them. */
export interface HeldLeases {
  readonly size: number;
  clear(): void;
  get(roomKey: RoomKey): { readonly ownerNodeId: string; readonly token: string } | undefined;
}

/** The keys that several nodes share. */
export class FakeLeaseKeys {
  /** The server's own time: it moves when a test moves it, and not with the nodes'. */
  readonly time = new VirtualTime();
  readonly server = new MemoryLeaseServer({ clock: this.time, timers: this.time });

  /** When set, every call answers `unreachable`. */
  set unreachable(isUnreachable: boolean) {
    this.server.setMode({ kind: isUnreachable ? 'down' : 'up' });
  }

  /** Leases that are held now. */
  get held(): HeldLeases {
    const { server } = this;
    return {
      size: server.keyNames.filter((name) => name.includes('\0')).length,
      clear: () => server.empty(),
      get(roomKey) {
        const lease = parseLease(server.read(roomKey));
        return lease === null ? undefined : { ownerNodeId: lease.owner, token: tokenOf(lease) };
      },
    };
  }

  /** Writes a token of somebody who was never an owner (F36). */
  forge(roomKey: RoomKey, epoch: bigint): void {
    this.server.plant(roomKey, `${epoch}.99|forged`, leaseTtlMs);
  }
}

/** One node's view of the keys. */
export class FakeLeases extends MemoryLeaseDirectory {
  constructor(keys: FakeLeaseKeys, nodeId: string) {
    super({ nodeId, leaseTtlMs }, keys.server);
  }
}
