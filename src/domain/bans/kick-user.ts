/**
 * KickUser: out of the room with seat and presence, and into its ban set, in one commit (PRES-7,
 * PRES-16, PRES-18). An absent user is banned all the same (PRES-21).
 */
import { leaveEvents } from '../presence/leave-events.ts';
import type { KickUser } from '../presence/presence-commands.ts';
import type { RoomUserKicked } from '../presence/presence-events.ts';
import { refuseProtectedTarget, refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision, Rejected } from '../room/decision.ts';
import { applied, noEffect, rejected } from '../room/outcomes.ts';
import { bansMax } from '../room/room-limits.ts';
import type { RoomState } from '../room/state.ts';

/** Decides KickUser for an active room. */
export function decideKickUser(
  body: KickUser,
  command: RoomCommand,
  nowMs: number,
  state: RoomState,
): Decision {
  // 1. Who may, and against whom.
  const refusal =
    refuseUnlessManager(command, state) ??
    refuseProtectedTarget(command, body.userId, state) ??
    refuseBan(body, nowMs, state);
  if (refusal !== null) return refusal;

  // 2. The same ban again changes nothing; a banned user is not present.
  if (isSameBan(body, state)) return noEffect();

  // 3. Seat, presence, ban. The ban comes last, so that no state is seen in which a banned user is
  //    present.
  const kicked: RoomUserKicked = {
    type: 'RoomUserKicked',
    userId: body.userId,
    byUserId: command.actorUserId,
    reason: body.reason,
    expiresAtMs: body.expiresAtMs,
  };
  return applied([...leaveEvents(body.userId, 'kicked', 'kicked', nowMs, state), kicked]);
}

function refuseBan(body: KickUser, nowMs: number, state: RoomState): Rejected | null {
  if (body.expiresAtMs !== 0 && body.expiresAtMs <= nowMs) {
    return rejected('BAN_END_PAST', { expires_at_ms: String(body.expiresAtMs) });
  }
  if (state.bans.has(body.userId) || state.bans.size < bansMax) return null;
  return rejected('BAN_LIST_FULL', { bans_max: String(bansMax) });
}

function isSameBan(body: KickUser, state: RoomState): boolean {
  const ban = state.bans.get(body.userId);
  return ban?.reason === body.reason && ban.expiresAtMs === body.expiresAtMs;
}
