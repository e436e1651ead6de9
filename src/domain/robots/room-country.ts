/**
 * The country of a room of people, by which its robots are chosen (ROBOT-3): the owner's, while the
 * owner is there and has one; else the one that most people of the room have, of several the first.
 */
import type { RoomState } from '../room/state.ts';

/** Null: nobody there has a country. Robots have no part in it. */
export function countryOfRoom({ users, ownerUserId }: RoomState): string | null {
  const owner = ownerUserId === null ? undefined : users.get(ownerUserId);
  if (owner !== undefined && !owner.isRobot && owner.profile.countryCode !== '') {
    return owner.profile.countryCode;
  }
  const people = new Map<string, number>();
  for (const { isRobot, profile } of users.values()) {
    const { countryCode } = profile;
    if (isRobot || countryCode === '') continue;
    people.set(countryCode, (people.get(countryCode) ?? 0) + 1);
  }
  const [most] = [...people].sort(
    ([leftCode, left], [rightCode, right]) =>
      right - left || (leftCode === rightCode ? 0 : leftCode < rightCode ? -1 : 1),
  );
  return most?.[0] ?? null;
}
