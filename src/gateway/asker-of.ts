/** In whose name, and for how long, a caller of the gateway asks a room's owner. */
import { userIdFault } from '../domain/ids.ts';
import type { UserId } from '../domain/ids.ts';
import type { ReadAsker, ReadCall } from '../ports/owner-reads.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import { allowedMs } from './call-time.ts';
import type { GatewayLimits } from './limits.ts';
import { refusal } from './refusals.ts';

/** A user's subject becomes an id here, or is refused. */
export function askerOf({ role, subject }: Caller): ReadAsker {
  if (role !== 'user') return { role, userId: null };
  const fault = userIdFault(subject);
  if (fault !== null) throw refusal('INVALID_FIELD', { field: 'token.sub', fault });
  return { role, userId: subject as UserId };
}

/** The caller's time as the owner's. */
export function readCallOf(frame: CallFrame, limits: GatewayLimits): ReadCall {
  return { withinMs: allowedMs(frame, limits), signal: frame.signal };
}
