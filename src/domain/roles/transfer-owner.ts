/**
 * TransferOwner: the room gets another owner (decision 13). Only somebody who is present can be
 * given a room, so that nobody becomes responsible for one without noticing.
 */
import { assertDefined } from '../../kernel/assert.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { Decision } from '../room/decision.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { TransferOwner } from '../room/room-commands.ts';
import type { RoomOwnerTransferred } from '../room/room-events.ts';
import { refuseUnlessPresent } from '../room/room-guards.ts';
import type { RoomState } from '../room/state.ts';
import { refuseUnlessOwner } from './role-of.ts';

/** Decides TransferOwner for an active room. */
export function decideTransferOwner(
  body: TransferOwner,
  command: RoomCommand,
  state: RoomState,
): Decision {
  const refusal = refuseUnlessOwner(command, state);
  if (refusal !== null) return refusal;
  const fromUserId = assertDefined(state.ownerUserId, 'an active room without an owner');
  if (fromUserId === body.userId) return noEffect();
  const absent = refuseUnlessPresent(state, body.userId);
  if (absent !== null) return absent;
  const transferred: RoomOwnerTransferred = {
    type: 'RoomOwnerTransferred',
    byUserId: command.actorUserId,
    fromUserId,
    toUserId: body.userId,
  };
  return applied([transferred]);
}
