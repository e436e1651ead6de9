/**
 * Memory twin of the RTC tickets: readable texts in place of signatures. It keeps the promises of the
 * port, and nobody's doors closed.
 */
import type { RtcTicket, RtcTicketRequest, RtcTickets } from '../../ports/rtc-tickets.ts';

/** See the file header. `sdkAppIds` by app code. */
export class MemoryRtcTickets implements RtcTickets {
  private readonly sdkAppIds: ReadonlyMap<string, number>;

  constructor(sdkAppIds: ReadonlyMap<string, number>) {
    this.sdkAppIds = sdkAppIds;
  }

  sign(request: RtcTicketRequest): RtcTicket | null {
    const sdkAppId = this.sdkAppIds.get(request.appCode);
    if (sdkAppId === undefined) return null;
    const { userId, roomId, maySendAudio, issuedAtSeconds, validSeconds } = request;
    const expiresAtSeconds = issuedAtSeconds + validSeconds;
    return {
      sdkAppId,
      userSig: JSON.stringify({ sdkAppId, userId, expiresAtSeconds }),
      privateMapKey: JSON.stringify({
        sdkAppId,
        userId,
        roomId,
        maySendAudio,
        issuedAtSeconds,
        expiresAtSeconds,
      }),
    };
  }
}
