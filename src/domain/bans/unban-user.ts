/** UnbanUser: the user may join again (PRES-11). Of a user who is not banned it is a success (PRES-21). */
import type { UnbanUser } from '../presence/presence-commands.ts';
import type { RoomUserUnbanned } from '../presence/presence-events.ts';
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';

/** Decides UnbanUser for an active room. */
export function decideUnbanUser(body: UnbanUser, command: RoomCommand, state: RoomState): Decision {
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  if (!state.bans.has(body.userId)) return noEffect();
  const unbanned: RoomUserUnbanned = {
    type: 'RoomUserUnbanned',
    userId: body.userId,
    byUserId: command.actorUserId,
    reason: 'unbanned',
  };
  return applied([unbanned]);
}
