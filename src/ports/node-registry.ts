/**
 * The cell nodes that live, in MySQL: who has which name, which of them operators want drained, and
 * what time it is there. A name is a lease on the database's clock: the group's assignment and the
 * leases of rooms stand on names, so two processes must not have one.
 */

/** A process that wants a name. */
export interface NodeClaim {
  readonly nodeId: string;
  /** Of this process. */
  readonly incarnation: string;
  /** How long the name stays its own without another renewal. */
  readonly ttlMs: number;
  /** A holder that did not renew for so long, and whose process has ended, has the name no more. */
  readonly overdueMs: number;
  /** Records that wait, by partition; what is missing has none. Shown to operators, nothing else. */
  readonly queues: ReadonlyMap<number, number>;
}

/** A process that has its name, and has renewed it in time. */
export interface LivingNode {
  readonly nodeId: string;
  readonly incarnation: string;
  readonly queues: ReadonlyMap<number, number>;
}

/** Who has a name. */
export interface NameHolder {
  readonly incarnation: string;
  /** When it last renewed, by the database: it lives if this moves. */
  readonly renewedAtMs: number;
}

/** What the registry knew after a renewal. */
export interface NodeLook {
  /** The database's wall clock, read while the call was under way. */
  readonly databaseMs: number;
  /** Null: the name is the caller's. */
  readonly heldBy: NameHolder | null;
  /** The operator who wants this process drained; '': nobody, or the name is another's. */
  readonly drainAskedBy: string;
}

/** All methods throw a Retry failure when MySQL cannot be reached. */
export interface NodeRegistry {
  /**
   * Takes the name, or renews it. It is the caller's while nobody else took it, however late it
   * renews; of several that ask for a name that is free, one gets it. A name is free when its lease has run
   * out, and sooner when its holder missed a renewal and its process is seen to have ended: a process that
   * is frozen, or merely slow, is not taken for dead. A new holder begins without its predecessor's drain.
   */
  renew(claim: NodeClaim): Promise<NodeLook>;
  /** Those whose leases run, by name, as they last said. */
  living(): Promise<readonly LivingNode[]>;
  /** Frees the name at once, if it is this incarnation's. */
  release(nodeId: string, incarnation: string): Promise<void>;
}
