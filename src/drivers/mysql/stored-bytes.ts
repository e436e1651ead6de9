/**
 * Reading blobs back: the lane stores a CRC-32C beside each, and bytes that no longer fit it are
 * damage, to be told apart from bytes that this release cannot read.
 */
import { Failure } from '../../kernel/failure.ts';
import type { FailureFacts } from '../../kernel/failure.ts';
import { crc32c } from '../../protocol/crc32c.ts';

/** The bytes of a column; throws a Corrupt failure with `facts` when they are missing or damaged. */
export function checkedBytes(value: unknown, checksum: unknown, facts: FailureFacts): Uint8Array {
  if (!(value instanceof Uint8Array)) throw damaged('is missing', facts);
  if (crc32c(value) !== Number(checksum)) throw damaged('does not fit its checksum', facts);
  return value;
}

/** The bytes of a column that has no checksum of its own (hashes); missing ones are Corrupt. */
export function presentBytes(value: unknown, facts: FailureFacts): Uint8Array {
  if (!(value instanceof Uint8Array)) throw damaged('is missing', facts);
  return value;
}

function damaged(how: string, facts: FailureFacts): Failure {
  return new Failure('corrupt', 'INTERNAL', `A stored value ${how}.`, { facts });
}
