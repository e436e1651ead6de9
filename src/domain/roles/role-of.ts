/**
 * Who may do what in a room. The room's own roles are owner, admin and member (decision 13); a
 * service or an operator stands above them. Each guard answers a refusal or nothing.
 */
import type { UserId } from '../ids.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Rejected } from '../room/decision.ts';
import { rejected } from '../room/outcomes.ts';
import type { RoomRole, RoomState } from '../room/state.ts';

/** What the room itself says of a user; presence has no part in it. */
export function roleOf(state: RoomState, userId: UserId): RoomRole {
  if (state.ownerUserId === userId) return 'owner';
  return state.admins.includes(userId) ? 'admin' : 'member';
}

/** Whether the command comes from above the room: the app's backend, an operator, or its owner node. */
export function actsFromAbove({ actorRole }: RoomCommand): boolean {
  return actorRole === 'service' || actorRole === 'operator' || actorRole === 'system';
}

/**
 * Whether the command comes with a manager's rights in this room: from its owner, an admin, or from
 * above. A service names any actor of its app, yet its rights are its own.
 */
export function actsAsManager(command: RoomCommand, state: RoomState): boolean {
  return actsFromAbove(command) || roleOf(state, command.actorUserId) !== 'member';
}

/** NOT_ROOM_MANAGER for whoever is none, else null. The fact repeats only what the caller sent. */
export function refuseUnlessManager(command: RoomCommand, state: RoomState): Rejected | null {
  if (actsAsManager(command, state)) return null;
  return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
}

/** NOT_ROOM_OWNER for an admin and for whoever is less, else null. */
export function refuseUnlessOwner(command: RoomCommand, state: RoomState): Rejected | null {
  if (actsFromAbove(command) || roleOf(state, command.actorUserId) === 'owner') return null;
  return rejected('NOT_ROOM_OWNER', { actor_user_id: command.actorUserId });
}

/**
 * TARGET_PROTECTED when a manager acts against somebody of equal or higher rank, else null. An admin
 * acts against members only, the owner against admins too, and what stands above the room against
 * everybody but the owner, whose room it is.
 */
export function refuseProtectedTarget(
  command: RoomCommand,
  targetUserId: UserId,
  state: RoomState,
): Rejected | null {
  const targetRole = roleOf(state, targetUserId);
  if (targetRole === 'member') return null;
  const actsAsOwner = actsFromAbove(command) || roleOf(state, command.actorUserId) === 'owner';
  if (targetRole === 'admin' && actsAsOwner) return null;
  return rejected('TARGET_PROTECTED', { user_id: targetUserId, role: targetRole });
}
