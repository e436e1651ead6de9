/**
 * IssueRtcTicket (RTC-3): the key to a room's audio, for whoever the guard lets in. A ticket cannot be
 * called back, so it is short-lived: a banned user is taken out of the RTC room, and gets no further
 * ticket; one from before the ban is over within `rtcTicketMs`.
 */
import type { AppCode, RoomId } from '../domain/ids.ts';
import type { AskGuard } from '../owners/ask-guard.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoomReadApi } from '../ports/room-read-api.ts';
import type { RtcTickets } from '../ports/rtc-tickets.ts';
import { readCallOf } from './asker-of.ts';
import { checkUser } from './check-place.ts';
import type { GatewayLimits } from './limits.ts';
import { refusal } from './refusals.ts';

/** What issuing stands on. */
export interface IssueRtcTicketPorts {
  readonly clock: Clock;
  readonly rtcTickets: RtcTickets;
}

/** Throws the guard's no, and RTC_NOT_CONFIGURED for an app without RTC. */
export function createIssueRtcTicket(
  ports: IssueRtcTicketPorts,
  parts: { readonly askGuard: AskGuard; readonly limits: GatewayLimits },
): RoomReadApi['issueRtcTicket'] {
  const validSeconds = Math.floor(parts.limits.rtcTicketMs / 1000);
  return async (frame, asked) => {
    const { appCode, roomId, userId, asker } = checkUser(frame, asked);
    // From before the guard is asked: waiting for its word must not make the ticket last longer.
    const issuedAtSeconds = Math.floor(ports.clock.wallMs() / 1000);
    const about = { appCode, roomId, userId, asker };
    const word = await parts.askGuard(readCallOf(frame, parts.limits), about);
    if (word.refusal !== null) throw refusal(word.refusal);
    const maySendAudio = word.onSeat;
    const ticket = ports.rtcTickets.sign({
      appCode: appCode as AppCode,
      roomId: roomId as RoomId,
      userId,
      maySendAudio,
      issuedAtSeconds,
      validSeconds,
    });
    if (ticket === null) throw refusal('RTC_NOT_CONFIGURED');
    const { roomVersion, ownerEpoch } = word;
    const expiresAtMs = (issuedAtSeconds + validSeconds) * 1000;
    const rights = { userId, maySendAudio, expiresAtMs, roomVersion, ownerEpoch };
    return { ...ticket, rtcRoomId: roomId, ...rights };
  };
}
