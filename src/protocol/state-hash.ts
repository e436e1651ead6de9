/** The hash that a snapshot is stored with: a damaged one is passed over, never trusted (SNAP-3). */
import { createHash } from 'node:crypto';

/** SHA-256 of a snapshot's bytes, which are canonical: equal states have equal hashes. */
export function stateHashOf(snapshotBytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(snapshotBytes).digest();
}
