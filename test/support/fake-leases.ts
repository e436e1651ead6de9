/** A lease directory in memory: enough of Redis for tests of the cell, with its bad behaviours. */
import type { RoomKey } from '../../src/domain/ids.ts';
import type { LeaseClaim, LeaseDirectory, LeaseVerdict } from '../../src/ports/lease-directory.ts';

interface Held {
  readonly ownerNodeId: string;
  readonly epoch: bigint;
  readonly counter: bigint;
}

/** The keys that several nodes share. */
export class FakeLeaseKeys {
  readonly held = new Map<RoomKey, Held>();
  /** When set, every call answers `unreachable`. */
  unreachable = false;

  /** Writes a token of somebody who was never an owner (F36). */
  forge(roomKey: RoomKey, epoch: bigint): void {
    this.held.set(roomKey, { ownerNodeId: 'forged', epoch, counter: 99n });
  }
}

/** One node's view of the keys. */
export class FakeLeases implements LeaseDirectory {
  private readonly keys: FakeLeaseKeys;
  private readonly nodeId: string;

  constructor(keys: FakeLeaseKeys, nodeId: string) {
    this.keys = keys;
    this.nodeId = nodeId;
  }

  ensure(claims: readonly LeaseClaim[]): Promise<readonly LeaseVerdict[]> {
    return this.each(claims, (claim, held) => {
      if (held !== undefined && held.epoch > claim.epoch) return foreign(held);
      if (held?.ownerNodeId === this.nodeId && held.epoch === claim.epoch) return kept(held);
      return this.write(claim, 1n);
    });
  }

  verify(claims: readonly LeaseClaim[]): Promise<readonly LeaseVerdict[]> {
    return this.each(claims, (claim, held) => {
      if (held !== undefined && tokenOf(held) === claim.token) return kept(held);
      return held === undefined ? { kind: 'foreign', ownerNodeId: '', token: '' } : foreign(held);
    });
  }

  overwrite(claims: readonly LeaseClaim[]): Promise<readonly LeaseVerdict[]> {
    return this.each(claims, (claim, held) => this.write(claim, (held?.counter ?? 0n) + 1n));
  }

  release(claims: readonly LeaseClaim[]): Promise<void> {
    for (const { roomKey, token } of claims) {
      const held = this.keys.held.get(roomKey);
      if (held !== undefined && tokenOf(held) === token) this.keys.held.delete(roomKey);
    }
    return Promise.resolve();
  }

  ownerOf(roomKey: RoomKey): Promise<{ ownerNodeId: string; token: string } | null> {
    const held = this.keys.held.get(roomKey);
    return Promise.resolve(
      held === undefined ? null : { ownerNodeId: held.ownerNodeId, token: tokenOf(held) },
    );
  }

  announceNode(): Promise<void> {
    return Promise.resolve();
  }

  addressOf(): Promise<string | null> {
    return Promise.resolve(null);
  }

  isHealthy(): boolean {
    return !this.keys.unreachable;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private each(
    claims: readonly LeaseClaim[],
    answer: (claim: LeaseClaim, held: Held | undefined) => LeaseVerdict,
  ): Promise<readonly LeaseVerdict[]> {
    return Promise.resolve(
      claims.map((claim) =>
        this.keys.unreachable
          ? { kind: 'unreachable', cause: 'switched off by the test' }
          : answer(claim, this.keys.held.get(claim.roomKey)),
      ),
    );
  }

  private write(claim: LeaseClaim, counter: bigint): LeaseVerdict {
    const held = { ownerNodeId: this.nodeId, epoch: claim.epoch, counter };
    this.keys.held.set(claim.roomKey, held);
    return kept(held);
  }
}

function tokenOf({ epoch, counter }: Held): string {
  return `${epoch}.${counter}`;
}

function kept(held: Held): LeaseVerdict {
  return { kind: 'held', token: tokenOf(held) };
}

function foreign(held: Held): LeaseVerdict {
  return { kind: 'foreign', ownerNodeId: held.ownerNodeId, token: tokenOf(held) };
}
