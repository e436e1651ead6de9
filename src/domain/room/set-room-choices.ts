/**
 * SetRoomMode and SetVisibleRegion: two choices of the room's managers that each replace one value
 * (META-1, META-2).
 */
import { refuseUnlessManager } from '../roles/role-of.ts';
import type { RoomCommand } from './commands.ts';
import type { Decision } from './decision.ts';
import { applied, noEffect } from './outcomes.ts';
import type { SetRoomMode, SetVisibleRegion } from './room-commands.ts';
import type { RoomState } from './state.ts';

/** Decides SetRoomMode for an active room. Who sits stays; in mode `free` applications end. */
export function decideSetRoomMode(
  { mode }: SetRoomMode,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  if (mode === state.mode) return noEffect();
  return applied([{ type: 'RoomModeChanged', byUserId: command.actorUserId, mode }]);
}

/** Decides SetVisibleRegion for an active room. */
export function decideSetVisibleRegion(
  { visibleRegionId }: SetVisibleRegion,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;
  if (visibleRegionId === state.visibleRegionId) return noEffect();
  return applied([
    { type: 'RoomVisibleRegionChanged', byUserId: command.actorUserId, visibleRegionId },
  ]);
}
