/**
 * The bodies of requests that need no fact: the checked request in the words of the domain. Brands
 * are put on here, behind the checks of `parse-command`.
 */
import type { GiftId, MicSessionId, UserId } from '../domain/ids.ts';
import type { CommandBody } from '../domain/room/commands.ts';
import type { RoomMode, UserProfile } from '../domain/room/state.ts';
import { assertNever } from '../kernel/assert.ts';
import type { CommandRequest, ProfileRequest } from '../ports/room-api.ts';

/** Requests that cannot be produced before a fact was found out. */
export type RequestWithFacts = Extract<
  CommandRequest,
  { type: 'CreateRoom' | 'JoinRoom' | 'SetRoomPassword' }
>;

/** All the others. */
export type PlainRequest = Exclude<CommandRequest, RequestWithFacts>;

/** The body of a checked request. */
export function commandBody(request: PlainRequest): CommandBody {
  switch (request.type) {
    case 'LeaveRoom':
    case 'MicUp':
    case 'ChangeMicSeat':
    case 'SetMicSeatLock':
    case 'SetMicSeatMute':
    case 'ApplyForMic':
    case 'CloseRoom':
    case 'DeleteRoom':
    case 'UpdateRoomProfile':
    case 'SetSeatCount':
    case 'SetVisibleRegion':
      return request;
    case 'SetRoomMode':
      return { type: request.type, mode: roomMode(request.mode) };
    case 'UpdateUser':
      return { type: request.type, profile: userProfile(request) };
    case 'KickUser': {
      const { type, userId, reason, expiresAtMs } = request;
      return { type, userId: userId as UserId, reason, expiresAtMs: Number(expiresAtMs) };
    }
    case 'UnbanUser':
    case 'EvictUser':
    case 'TransferOwner':
    case 'SetAdmin':
    case 'InviteToMic':
      return { ...request, userId: request.userId as UserId };
    case 'MicDown':
    case 'ConfirmMicPublishing':
    case 'AnswerMicRequest':
    case 'SendGift':
      return namedBody(request);
    default:
      return assertNever(request, 'a request without a body');
  }
}

/** Requests that name sessions, gifts or an answer. */
function namedBody(
  request: Extract<
    PlainRequest,
    { type: 'MicDown' | 'ConfirmMicPublishing' | 'AnswerMicRequest' | 'SendGift' }
  >,
): CommandBody {
  switch (request.type) {
    case 'MicDown':
      return {
        type: request.type,
        userId: request.userId as UserId | '',
        micSessionId: request.micSessionId as MicSessionId | '',
      };
    case 'ConfirmMicPublishing':
      return { type: request.type, micSessionId: request.micSessionId as MicSessionId };
    case 'AnswerMicRequest': {
      const answer = request.answer === 'accepted' ? 'accepted' : 'declined';
      return { type: request.type, userId: request.userId as UserId | '', answer };
    }
    case 'SendGift':
      return {
        ...request,
        giftId: request.giftId as GiftId,
        targetUserIds: request.targetUserIds as readonly UserId[],
      };
  }
}

/** A checked mode; none is the mode in which everybody may sit down. */
export function roomMode(mode: string): RoomMode {
  return mode === 'apply' ? 'apply' : 'free';
}

/** The profile among the fields of a request. */
export function userProfile(request: ProfileRequest): UserProfile {
  const { nickname, avatarUrl, countryCode, ext } = request;
  return { nickname, avatarUrl, countryCode, ext };
}
