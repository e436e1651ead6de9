/** Who is in a room and who may not come in, after an event; see `evolved.ts`. */
import type { LoggedOf } from './logged-event.ts';
import type { RoomModel } from './room-model.ts';

/** The room without these users, and without what they had asked for at the mic. */
export function withUsersGone(room: RoomModel, userIds: readonly string[]): RoomModel {
  const users = new Map(room.users);
  for (const userId of userIds) users.delete(userId);
  const micRequests = room.micRequests.filter(({ userId }) => !userIds.includes(userId));
  return { ...room, users, micRequests };
}

/** The room with a ban of the user, who has no rights in it any more. */
export function bannedBy(
  room: RoomModel,
  { userId, byUserId, reason, expiresAtMs }: LoggedOf<'RoomUserKicked'>,
  bannedAtMs: bigint,
): RoomModel {
  const ban = { userId, byUserId, reason, bannedAtMs, expiresAtMs };
  const admins = room.admins.filter((admin) => admin !== userId);
  return { ...room, admins, bans: new Map(room.bans).set(userId, ban) };
}

/** The table without one user. */
export function without<T>(table: ReadonlyMap<string, T>, userId: string): ReadonlyMap<string, T> {
  if (!table.has(userId)) return table;
  const rest = new Map(table);
  rest.delete(userId);
  return rest;
}
