/**
 * EvictUser: the platform takes a user out of one room (decision 30). The ban that keeps the user out
 * is the platform's and was written before; this room's own bans are not touched.
 */
import { leaveEvents } from '../presence/leave-events.ts';
import type { EvictUser } from '../presence/presence-commands.ts';
import type { RoomUserEvicted } from '../presence/presence-events.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';

/** Decides EvictUser for an active or closing room. Nobody is protected from the platform. */
export function decideEvictUser(
  { userId, reason }: EvictUser,
  command: RoomCommand,
  nowMs: number,
  state: RoomState,
): Decision {
  if (command.actorRole !== 'operator') {
    return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
  }
  if (!state.users.has(userId)) return noEffect();
  const evicted: RoomUserEvicted = {
    type: 'RoomUserEvicted',
    userId,
    byUserId: command.actorUserId,
    reason,
  };
  return applied([...leaveEvents(userId, 'evicted', 'evicted', nowMs, state), evicted]);
}
