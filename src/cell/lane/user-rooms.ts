/** Rows that say who is present where (decision 30), from the events of a batch. Pure. */
import type { UserId } from '../../domain/ids.ts';
import type { RoomEvent } from '../../domain/room/events.ts';
import type { UserRoomsChange } from '../../ports/commit-lane.ts';
import type { RoomDraft } from './draft.ts';

/** How one user stands at the end: the time of the join, or null for gone. */
type Stays = Map<UserId, number | null>;

/**
 * What the batch does to the rows of one room's users; nothing for a batch in which nobody came or
 * went. Events count in their order: who leaves and comes again is present, at the later time.
 */
export function userRoomsOf({ state, ends }: RoomDraft): UserRoomsChange[] {
  const stays: Stays = new Map();
  let everybodyLeft = false;
  for (const end of ends) {
    if (end.kind !== 'logged') continue;
    for (const { event } of end.step?.events ?? []) {
      follow(stays, event, end.decidedAtMs);
      everybodyLeft ||= event.type === 'RoomClosed' || event.type === 'RoomDeleted';
    }
  }
  // A closed room takes nobody in again, so whoever came in this batch has gone with it as well.
  if (everybodyLeft) stays.clear();
  if (!everybodyLeft && stays.size === 0) return [];
  const { appCode, roomId } = state;
  const left = [...stays].filter(([, joinedAtMs]) => joinedAtMs === null).map(([userId]) => userId);
  const joined = [...stays].flatMap(([userId, joinedAtMs]) =>
    joinedAtMs === null ? [] : [{ userId, joinedAtMs }],
  );
  return [{ appCode, roomId, everybodyLeft, left, joined }];
}

/** Kicks and evictions tell why; the leave of who was present stands before them. */
function follow(stays: Stays, event: RoomEvent, atMs: number): void {
  if (event.type === 'RoomUserJoined') stays.set(event.userId, atMs);
  else if (event.type === 'RoomUserLeft') stays.set(event.userId, null);
  else if (event.type === 'RoomUsersStaleLeft') {
    for (const userId of event.userIds) stays.set(userId, null);
  }
}
