/** Requests of the wire about the mic seats as the gateway takes them; see `room-requests.ts`. */
import type { CommandRequest } from '../../ports/room-api.ts';
import { MicAnswer } from './generated/roomcell/v1/room_commands_pb.ts';
import type {
  AnswerMicRequestRequest,
  ApplyForMicRequest,
  ChangeMicSeatRequest,
  ConfirmMicPublishingRequest,
  InviteToMicRequest,
  MicDownRequest,
  MicUpRequest,
  SetMicSeatLockRequest,
  SetMicSeatMuteRequest,
} from './generated/roomcell/v1/room_commands_pb.ts';
import { unknownValue } from './room-requests.ts';

/** MicUp's own field. */
export function micUpOf({ seatNo }: MicUpRequest): CommandRequest {
  return { type: 'MicUp', seatNo };
}

/** MicDown's own fields. */
export function micDownOf({ userId, micSessionId }: MicDownRequest): CommandRequest {
  return { type: 'MicDown', userId, micSessionId };
}

/** ChangeMicSeat's own field. */
export function changeMicSeatOf({ toSeatNo }: ChangeMicSeatRequest): CommandRequest {
  return { type: 'ChangeMicSeat', toSeatNo };
}

/** ConfirmMicPublishing's own field. */
export function confirmMicPublishingOf(request: ConfirmMicPublishingRequest): CommandRequest {
  return { type: 'ConfirmMicPublishing', micSessionId: request.micSessionId };
}

/** SetMicSeatLock's own fields. */
export function setMicSeatLockOf({ seatNo, locked }: SetMicSeatLockRequest): CommandRequest {
  return { type: 'SetMicSeatLock', seatNo, locked };
}

/** SetMicSeatMute's own fields. */
export function setMicSeatMuteOf({ seatNo, muted }: SetMicSeatMuteRequest): CommandRequest {
  return { type: 'SetMicSeatMute', seatNo, muted };
}

/** InviteToMic's own fields. */
export function inviteToMicOf({ userId, seatNo }: InviteToMicRequest): CommandRequest {
  return { type: 'InviteToMic', userId, seatNo };
}

/** ApplyForMic's own field. */
export function applyForMicOf({ seatNo }: ApplyForMicRequest): CommandRequest {
  return { type: 'ApplyForMic', seatNo };
}

/** AnswerMicRequest's own fields. */
export function answerMicRequestOf({ userId, answer }: AnswerMicRequestRequest): CommandRequest {
  return { type: 'AnswerMicRequest', userId, answer: answerText(answer) };
}

function answerText(answer: MicAnswer): string {
  switch (answer) {
    case MicAnswer.UNSPECIFIED:
      return '';
    case MicAnswer.ACCEPTED:
      return 'accepted';
    case MicAnswer.DECLINED:
      return 'declined';
    default:
      return unknownValue(answer);
  }
}
