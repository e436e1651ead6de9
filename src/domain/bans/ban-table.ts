/**
 * The room's bans and the earliest end among them. The list of temporary bans is made from the table
 * alone, so that a recovered room has the same one.
 */
import type { PersistentMap } from '../../kernel/persistent-map.ts';
import type { UserId } from '../ids.ts';
import type { RoomBan, RoomState } from '../room/state.ts';

/** Before zero: `left` ends first. Ties by user id, so that the order is one; no user has two bans. */
export function compareBanEnds(left: RoomBan, right: RoomBan): number {
  if (left.expiresAtMs !== right.expiresAtMs) return left.expiresAtMs - right.expiresAtMs;
  return left.userId < right.userId ? -1 : 1;
}

/** The bans with an end, the earliest first. Walks all of them: for recovery and the invariant. */
export function temporaryBansOf(bans: PersistentMap<RoomBan>): readonly RoomBan[] {
  return [...bans.values()].filter(({ expiresAtMs }) => expiresAtMs > 0).sort(compareBanEnds);
}

/** The room with `ban` in the place of an earlier one of the user. */
export function withBan(state: RoomState, ban: RoomBan): RoomState {
  const others = withoutUser(state.temporaryBans, ban.userId);
  const temporaryBans = ban.expiresAtMs > 0 ? [...others, ban].sort(compareBanEnds) : others;
  return { ...state, bans: state.bans.set(ban.userId, ban), temporaryBans };
}

/** The room without a ban of the user. */
export function withoutBan(state: RoomState, userId: UserId): RoomState {
  return {
    ...state,
    bans: state.bans.remove(userId),
    temporaryBans: withoutUser(state.temporaryBans, userId),
  };
}

/**
 * The ban that keeps the user out at `nowMs`, or null. One whose time is over counts no more, even
 * if the timer that takes it away has not run yet.
 */
export function activeBan(state: RoomState, userId: UserId, nowMs: number): RoomBan | null {
  const ban = state.bans.get(userId);
  if (ban === undefined) return null;
  return ban.expiresAtMs === 0 || nowMs < ban.expiresAtMs ? ban : null;
}

function withoutUser(bans: readonly RoomBan[], userId: UserId): readonly RoomBan[] {
  return bans.some((ban) => ban.userId === userId)
    ? bans.filter((ban) => ban.userId !== userId)
    : bans;
}
