/** The rules of the fields of requests about the mic seats. */
import { userIdFault, wideIdFault } from '../domain/ids.ts';
import { assertNever } from '../kernel/assert.ts';
import type { MicRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';
import { anySeatFaults, seatFaults } from './field-rules.ts';

/** Notes every fault of the request's own fields. */
export function micRequestFaults(faults: FieldFaults, request: MicRequest): void {
  switch (request.type) {
    case 'MicUp':
    case 'ApplyForMic':
      return anySeatFaults(faults, 'seat_no', request.seatNo);
    case 'MicDown':
      if (request.userId !== '') faults.add('user_id', userIdFault(request.userId));
      if (request.micSessionId === '') return;
      return faults.add('mic_session_id', wideIdFault(request.micSessionId));
    case 'ChangeMicSeat':
      // Not "the first free one": a forgotten field would move somebody who sits well.
      return seatFaults(faults, 'to_seat_no', request.toSeatNo);
    case 'ConfirmMicPublishing':
      return faults.add('mic_session_id', wideIdFault(request.micSessionId));
    case 'SetMicSeatLock':
    case 'SetMicSeatMute':
      return seatFaults(faults, 'seat_no', request.seatNo);
    case 'InviteToMic':
      faults.add('user_id', userIdFault(request.userId));
      return anySeatFaults(faults, 'seat_no', request.seatNo);
    case 'AnswerMicRequest':
      if (request.userId !== '') faults.add('user_id', userIdFault(request.userId));
      return faults.add('answer', answerFault(request.answer));
    default:
      return assertNever(request, 'a request without rules');
  }
}

/** Neither answer may be taken for the other: one that is not named has no default. */
function answerFault(answer: string): string | null {
  if (answer === '') return 'missing';
  return answer === 'accepted' || answer === 'declined' ? null : 'unknown value';
}
