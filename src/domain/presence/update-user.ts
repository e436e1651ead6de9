/** UpdateUser: a present user's profile. Presence is not touched, nor made by it. */
import { assertDefined } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import type { Decision } from '../room/decision.ts';
import { refuseUnlessPresent } from '../room/room-guards.ts';
import type { RoomState } from '../room/state.ts';
import type { UpdateUser } from './presence-commands.ts';
import { refreshProfile } from './refresh-profile.ts';

/** Decides UpdateUser for an active room. The actor is the user. */
export function decideUpdateUser(body: UpdateUser, userId: UserId, state: RoomState): Decision {
  const absent = refuseUnlessPresent(state, userId);
  if (absent !== null) return absent;
  const user = assertDefined(state.users.get(userId), 'a present user without an entry');
  return refreshProfile(user, body.profile);
}
