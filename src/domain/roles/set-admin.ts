/**
 * SetAdmin: the owner gives or takes an admin's rights. The user need not be present: an owner sorts
 * the room's affairs when it is empty too.
 */
import type { RoomCommand } from '../room/commands.ts';
import type { Decision, Rejected } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import type { SetAdmin } from '../room/room-commands.ts';
import type { RoomAdminChanged } from '../room/room-events.ts';
import { adminsMax } from '../room/room-limits.ts';
import type { RoomState } from '../room/state.ts';
import { refuseUnlessOwner, roleOf } from './role-of.ts';

/** Decides SetAdmin for an active room. */
export function decideSetAdmin(body: SetAdmin, command: RoomCommand, state: RoomState): Decision {
  const { userId, isAdmin } = body;
  // 1. Who may.
  const refusal = refuseUnlessOwner(command, state);
  if (refusal !== null) return refusal;

  // 2. Nothing to change; then what stands in the way of a new admin.
  if ((roleOf(state, userId) === 'admin') === isAdmin) return noEffect();
  const hindrance = isAdmin ? refuseNewAdmin(body, state) : null;
  if (hindrance !== null) return hindrance;

  const changed: RoomAdminChanged = {
    type: 'RoomAdminChanged',
    byUserId: command.actorUserId,
    userId,
    isAdmin,
  };
  return applied([changed]);
}

function refuseNewAdmin({ userId }: SetAdmin, state: RoomState): Rejected | null {
  if (state.ownerUserId === userId) {
    return rejected('TARGET_PROTECTED', { user_id: userId, role: 'owner' });
  }
  // A banned user cannot come in; rights in a room that one may not enter would only confuse.
  if (state.bans.has(userId)) return rejected('USER_BANNED', { user_id: userId });
  if (state.admins.length < adminsMax) return null;
  return rejected('TOO_MANY_ADMINS', { admins_max: String(adminsMax) });
}
