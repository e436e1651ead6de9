/**
 * SetRoomPassword: sets, changes or clears the password (PWD-1). Only its hash ever arrives. Present
 * users stay (PWD-3); the new version makes every verdict about the old password stale.
 */
import { emptyPersistentMap } from '../../kernel/persistent-map.ts';
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { SetRoomPassword } from '../room/room-commands.ts';
import type { RoomPasswordChanged } from '../room/room-events.ts';
import type { RoomState } from '../room/state.ts';

/** Decides SetRoomPassword for an active room. */
export function decideSetRoomPassword(
  body: SetRoomPassword,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  // Two hashes of one password differ by their salts, so only "still open" is seen as no change.
  if (body.passwordHash === '' && state.passwordHash === '') return noEffect();
  const changed: RoomPasswordChanged = {
    type: 'RoomPasswordChanged',
    byUserId: command.actorUserId,
    passwordHash: body.passwordHash,
    locked: body.passwordHash !== '',
    passwordVersion: state.passwordVersion + 1n,
  };
  return applied([changed]);
}

/** RoomPasswordChanged: attempts at the former password are forgotten. */
export function evolvePasswordChanged(state: RoomState, event: RoomPasswordChanged): RoomState {
  return {
    ...state,
    passwordHash: event.passwordHash,
    passwordVersion: event.passwordVersion,
    passwordAttempts: emptyPersistentMap(),
  };
}
