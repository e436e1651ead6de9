/**
 * The rules of each request's own fields, by topic; a new request adds one function to its topic's
 * file and one line to the dispatch there.
 */
import type { CommandRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';
import { giftRequestFaults } from './gift-request-faults.ts';
import { micRequestFaults } from './mic-request-faults.ts';
import { presenceRequestFaults } from './presence-request-faults.ts';
import { roomRequestFaults } from './room-request-faults.ts';

/** Notes every fault of the request's own fields. */
export function requestFaults(
  faults: FieldFaults,
  request: CommandRequest,
  rules: { readonly seatCounts: readonly number[] },
): void {
  switch (request.type) {
    case 'JoinRoom':
    case 'UpdateUser':
    case 'LeaveRoom':
    case 'KickUser':
    case 'UnbanUser':
    case 'EvictUser':
      return presenceRequestFaults(faults, request);
    case 'MicUp':
    case 'MicDown':
    case 'ChangeMicSeat':
    case 'ConfirmMicPublishing':
    case 'SetMicSeatLock':
    case 'SetMicSeatMute':
    case 'InviteToMic':
    case 'ApplyForMic':
    case 'AnswerMicRequest':
      return micRequestFaults(faults, request);
    case 'SendGift':
      return giftRequestFaults(faults, request);
    default:
      return roomRequestFaults(faults, request, rules);
  }
}
