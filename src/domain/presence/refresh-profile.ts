/** A present user's profile anew: shared by UpdateUser and by a repeated join (PRES-20). */
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { PresentUser, UserProfile } from '../room/state.ts';
import type { RoomUserUpdated } from './presence-events.ts';

/** No version step unless something that others see has changed. */
export function refreshProfile(present: PresentUser, profile: UserProfile): Decision {
  if (isSameProfile(present.profile, profile)) return noEffect({ user: present });
  const updated: RoomUserUpdated = { type: 'RoomUserUpdated', userId: present.userId, profile };
  return applied([updated], { user: { ...present, profile } });
}

function isSameProfile(left: UserProfile, right: UserProfile): boolean {
  return (
    left.nickname === right.nickname &&
    left.avatarUrl === right.avatarUrl &&
    left.countryCode === right.countryCode &&
    left.ext === right.ext
  );
}
