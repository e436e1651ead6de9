/**
 * UpdateRoomProfile: the parts that are named change, the others stay (META-4). Rare and dear to the
 * owner, so a snapshot follows at once instead of waiting for `snapshot_every_n`.
 */
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from './commands.ts';
import type { Decision } from './decision.ts';
import { appliedWithSnapshot, noEffect } from './outcomes.ts';
import type { UpdateRoomProfile } from './room-commands.ts';
import type { RoomProfileUpdated } from './room-events.ts';
import type { RoomProfile, RoomState } from './state.ts';

/** Decides UpdateRoomProfile for an active room. */
export function decideUpdateRoomProfile(
  body: UpdateRoomProfile,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  const profile = merged(state.profile, body);
  if (isSame(profile, state.profile)) return noEffect();
  const updated: RoomProfileUpdated = {
    type: 'RoomProfileUpdated',
    byUserId: command.actorUserId,
    profile,
  };
  return appliedWithSnapshot([updated]);
}

function merged(before: RoomProfile, body: UpdateRoomProfile): RoomProfile {
  return {
    title: body.title ?? before.title,
    coverUrl: body.coverUrl ?? before.coverUrl,
    announcement: body.announcement ?? before.announcement,
    backgroundUrl: body.backgroundUrl ?? before.backgroundUrl,
    tags: body.tags ?? before.tags,
    ext: body.ext ?? before.ext,
  };
}

function isSame(left: RoomProfile, right: RoomProfile): boolean {
  return (
    left.title === right.title &&
    left.coverUrl === right.coverUrl &&
    left.announcement === right.announcement &&
    left.backgroundUrl === right.backgroundUrl &&
    left.ext === right.ext &&
    left.tags.length === right.tags.length &&
    left.tags.every((tag, index) => tag === right.tags[index])
  );
}
