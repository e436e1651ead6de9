/** Tickets as Tencent RTC takes them: a UserSig, and a PrivateMapKey for one room named by text. */
import type { RtcTicket, RtcTicketRequest, RtcTickets } from '../../ports/rtc-tickets.ts';
import { encodeRtcRights, rtcRights } from '../private-map-key.ts';
import { signUserSig } from '../user-sig.ts';

/** The RTC application of one app. */
export interface RtcSigningApp {
  readonly sdkAppId: number;
  readonly secretKey: string;
}

/**
 * Whoever comes first makes the room at the vendor, so everybody may: the ticket is good for this
 * room alone. Video is nobody's.
 */
const listener = rtcRights.create | rtcRights.enter | rtcRights.receiveAudio;

/** `apps` by app code; an app without an entry has no RTC. */
export function createTencentRtcTickets(apps: ReadonlyMap<string, RtcSigningApp>): RtcTickets {
  return {
    sign(request) {
      const app = apps.get(request.appCode);
      return app === undefined ? null : signed(app, request);
    },
  };
}

function signed({ sdkAppId, secretKey }: RtcSigningApp, request: RtcTicketRequest): RtcTicket {
  const { roomId, userId, issuedAtSeconds: timeSeconds, validSeconds: expireSeconds } = request;
  const userBuf = encodeRtcRights({
    account: userId,
    sdkAppId,
    roomId,
    expiresAtSeconds: timeSeconds + expireSeconds,
    bits: request.maySendAudio ? listener | rtcRights.sendAudio : listener,
  });
  const fields = { sdkAppId, identifier: userId, timeSeconds, expireSeconds };
  return {
    sdkAppId,
    userSig: signUserSig(secretKey, fields),
    privateMapKey: signUserSig(secretKey, { ...fields, userBuf }),
  };
}
