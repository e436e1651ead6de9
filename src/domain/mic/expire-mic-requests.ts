/** ExpireMicRequests: the room's own timer ends wishes for the mic that nobody answered in time. */
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomMicRequestEnded } from './mic-events.ts';

/** Decides ExpireMicRequests for every room that exists; the list is bounded, so all end at once. */
export function decideExpireMicRequests(
  command: RoomCommand,
  nowMs: number,
  state: RoomState,
): Decision {
  const over = state.micRequests.filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  if (over.length === 0) return noEffect();
  return applied(
    over.map(({ kind, userId }): RoomMicRequestEnded => ({
      type: 'RoomMicRequestEnded',
      kind,
      userId,
      byUserId: command.actorUserId,
      end: 'expired',
    })),
  );
}
