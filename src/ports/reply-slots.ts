/** Which gateway listens on which partition of the reply topic: a lease in MySQL. */

/** Times are judged by the database's clock, so that gateways' clocks do not matter. */
export interface ReplySlots {
  /**
   * Leases a free slot (never held, released, or expired) to `incarnation`, or answers null when
   * all are held. Two gateways that ask at once get different slots.
   */
  lease(holder: {
    readonly nodeId: string;
    readonly incarnation: string;
    readonly slotCount: number;
    readonly ttlMs: number;
  }): Promise<number | null>;
  /** Extends the lease; false when it is no longer ours: the gateway must stop using the slot. */
  renew(slot: number, incarnation: string, ttlMs: number): Promise<boolean>;
  /** Frees the slot if it is still ours. */
  release(slot: number, incarnation: string): Promise<void>;
}
