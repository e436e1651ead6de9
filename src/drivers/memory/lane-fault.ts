/** What the next transaction of a memory lane does instead of ending normally. */
import type { CommitOutcome } from '../../ports/commit-lane.ts';

/**
 * Each kind says how a real server is brought to it; the suite "what befalls a commit lane" does so
 * and expects the same of both. The others are told by the driver's own tables alone: `readOnly`
 * (1290) and `tooManyConnections` (1203) would take a shared server away from everybody, and
 * `duplicateCommand` without a row cannot happen at all: a real 1062 always has a row, which a
 * look-up before the transaction may have missed.
 */
export type LaneFault =
  /** The batch is stored, the answer to COMMIT is lost: a proxy swallows the answer. */
  | { readonly kind: 'lostAfterCommit' }
  /** The connection is lost before COMMIT took effect: a proxy swallows COMMIT. */
  | { readonly kind: 'lostBeforeCommit' }
  /** 1213, everything is rolled back: a second connection closes a circle of lock waits. */
  | { readonly kind: 'conflict' }
  /**
   * 1205 outside of the fence rows: the server rolls back the statement that waited and nothing
   * else, the lane the rest. A second connection holds a row.
   */
  | { readonly kind: 'lockWait' }
  /** 1205 on these partitions' owner rows: a second connection holds one. */
  | { readonly kind: 'fenceBusy'; readonly partitions: readonly number[] }
  /** 1062 on the id of a command, whose row nobody can see. */
  | { readonly kind: 'duplicateCommand' }
  /** Refused for the server's own reasons. */
  | { readonly kind: 'unavailable' }
  /** The server takes no writes. */
  | { readonly kind: 'readOnly' }
  /** The lane has lost its connection and gets no other. */
  | { readonly kind: 'tooManyConnections' }
  /** The idle connection had died unnoticed: a proxy cuts it. The batch goes out on a new one. */
  | { readonly kind: 'lostBeforePacket' }
  /** The connection dies while the first packet runs: KILL while it waits for a row. */
  | { readonly kind: 'lostInPacket' }
  /** The connection dies between the first packet and COMMIT: KILL while the gate is awaited. */
  | { readonly kind: 'lostAtGate' };

/** The outcome of a fault that meets the batch before anything of it is done; null for the others. */
export function refusedBy(fault: LaneFault | null): CommitOutcome | null {
  switch (fault?.kind) {
    case 'fenceBusy':
      return fault;
    case 'duplicateCommand':
      return { kind: 'duplicateCommand', cause: 'log: 1062 by the test' };
    case 'unavailable':
    case 'readOnly':
    case 'tooManyConnections':
      return { kind: 'unavailable', cause: `${fault.kind} by the test` };
    default:
      return null;
  }
}
