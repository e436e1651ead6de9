/**
 * ExpireBans: the room's own timer takes away bans whose time is over (decision 14). JoinRoom looks
 * at the time itself, so a late timer keeps nobody out.
 */
import type { RoomUserUnbanned } from '../presence/presence-events.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import { bansPerExpiryMax } from '../room/room-limits.ts';
import type { RoomState } from '../room/state.ts';

/** Decides ExpireBans for every room that exists. */
export function decideExpireBans(command: RoomCommand, nowMs: number, state: RoomState): Decision {
  const over = state.temporaryBans
    .slice(0, bansPerExpiryMax)
    .filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  if (over.length === 0) return noEffect();
  return applied(
    over.map((ban): RoomUserUnbanned => ({
      type: 'RoomUserUnbanned',
      userId: ban.userId,
      byUserId: command.actorUserId,
      reason: 'expired',
    })),
  );
}
