/**
 * SweepStaleUsers: users whose heartbeats ceased are taken out (PRES-6, PRES-17). The sweep that
 * named them looked at the soft table a moment ago; here, in the room's own order, each is looked at
 * again (PRES-19).
 */
import { micDownOf } from '../mic/mic-down-event.ts';
import { findSeatByUser } from '../mic/seats.ts';
import type { DecideFacts, Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import { staleUsersPerSweepMax } from '../room/room-limits.ts';
import type { RoomState } from '../room/state.ts';
import type { SweepStaleUsers } from './presence-commands.ts';
import type { RoomUsersStaleLeft } from './presence-events.ts';
import { isStale } from './staleness.ts';

/** Decides SweepStaleUsers for an active or closing room: seats in sweep order, then the leaves. */
export function decideSweepStaleUsers(
  body: SweepStaleUsers,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // Race (PRES-19, TST-7): a heartbeat, or a leave and a new join, meets the sweep.
  //   1. The sweep sees that user u was last seen too long ago and names it.
  //   2. A heartbeat of u is taken; or u leaves and joins anew.
  //   3. The sweep is decided. Whoever was seen since stays, and so does a stay that began since.
  //   Test: "a heartbeat that lands after the scan wins".
  const userIds = [...new Set(body.userIds)]
    .slice(0, staleUsersPerSweepMax)
    .filter((userId) => isStale(state.users.get(userId), facts.heartbeats));
  if (userIds.length === 0) return noEffect();
  const downs = userIds
    .map((userId) => findSeatByUser(state.seats, userId))
    .filter((held) => held !== null)
    .map((held) => micDownOf(held, 'stale', facts.nowMs));
  const left: RoomUsersStaleLeft = { type: 'RoomUsersStaleLeft', userIds };
  return applied([...downs, left]);
}
