/**
 * AnswerMicRequest: a manager answers an application, the invited user an invitation; whoever made
 * the request takes it back. An accepted one seats its user in the same commit.
 */
import type { UserId } from '../ids.ts';
import { actsAsManager } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Decision } from '../room/decision.ts';
import { applied, rejected } from '../room/outcomes.ts';
import type { MicRequest, RoomState } from '../room/state.ts';
import type { AnswerMicRequest } from './mic-commands.ts';
import type { RoomMicRequestEnded } from './mic-events.ts';
import { findMicRequest } from './mic-requests.ts';
import { chooseSeat, seatUser } from './seat-user.ts';

/** Decides AnswerMicRequest for an active room. */
export function decideAnswerMicRequest(
  body: AnswerMicRequest,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const userId = body.userId === '' ? command.actorUserId : body.userId;
  const isOwn = userId === command.actorUserId;
  const isManager = actsAsManager(command, state);

  // 1. Who may, before what there is: a stranger learns nothing about another's request.
  if (!isOwn && !isManager) {
    return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
  }
  const request = findMicRequest(state.micRequests, userId);
  if (request === null) return rejected('MIC_REQUEST_NOT_FOUND', { user_id: userId });

  // 2. Taken back or declined.
  if (body.answer === 'declined') return applied([ended(request, command.actorUserId)]);

  // 3. Accepted, by the other side only: the invited user, or a manager (by 1) who is not the
  //    applicant. Nobody lets itself up; a manager need not ask and takes a seat by MicUp.
  if (request.kind === 'invite' ? !isOwn : isOwn) {
    return rejected('NOT_YOUR_MIC_REQUEST', { kind: request.kind });
  }
  const seat = chooseSeat(request.seatNo, state);
  return 'kind' in seat ? seat : seatUser(userId, seat, facts);
}

function ended(request: MicRequest, byUserId: UserId): RoomMicRequestEnded {
  const isMaker = byUserId === request.byUserId;
  return {
    type: 'RoomMicRequestEnded',
    kind: request.kind,
    userId: request.userId,
    byUserId,
    end: isMaker ? 'withdrawn' : 'declined',
  };
}
