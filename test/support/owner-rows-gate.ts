/** A gate between a cell and the owner rows of MySQL, for tests of what the cell asks them and when. */
import { Failure } from '../../src/kernel/failure.ts';
import type { OwnerRow, PartitionStore } from '../../src/ports/partition-store.ts';

/** Counts queries, and holds answers that MySQL has given. Its `gate` is the rig's. */
export class OwnerRowsGate {
  queries = 0;
  isAway = false;
  private holding = false;
  private held: (() => void)[] = [];

  readonly gate = <Port extends object>(port: Port): Port => {
    if (!('readOwners' in port)) return port;
    const store = port as unknown as PartitionStore;
    return new Proxy(port, {
      get: (target, name) => {
        if (name === 'readOwners') return () => this.readOwners(store);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };

  hold(): void {
    this.holding = true;
  }

  stopHolding(): void {
    this.holding = false;
    this.release();
  }

  get heldCount(): number {
    return this.held.length;
  }

  release(): void {
    for (const go of this.held.splice(0)) go();
  }

  private async readOwners(store: PartitionStore): Promise<readonly OwnerRow[]> {
    this.queries += 1;
    if (this.isAway) throw new Failure('retry', 'UNAVAILABLE', 'MySQL is away');
    const rows = (await store.readOwners()).map((row) => ({ ...row }));
    if (this.holding) await new Promise<void>((go) => this.held.push(go));
    return rows;
  }
}
