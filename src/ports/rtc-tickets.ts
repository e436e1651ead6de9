/**
 * Tickets to RTC rooms. Who may hold one is judged before: a signer knows keys, and nothing of rooms.
 */
import type { AppCode, RoomId, UserId } from '../domain/ids.ts';

/** For whom, where to, and until when. */
export interface RtcTicketRequest {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly userId: UserId;
  /** Else the ticket lets its holder enter and listen. */
  readonly maySendAudio: boolean;
  /** Whole seconds since 1970. */
  readonly issuedAtSeconds: number;
  /** Above 0. */
  readonly validSeconds: number;
}

/** What a client enters an RTC room with. Both texts are secrets of their user. */
export interface RtcTicket {
  readonly sdkAppId: number;
  /** Proves to the vendor who enters. */
  readonly userSig: string;
  /** Binds user, room, rights and end; of use where the app demands it of everybody who enters. */
  readonly privateMapKey: string;
}

/** Signs tickets. */
export interface RtcTickets {
  /** Null when the app has no RTC. The same request gives the same ticket on every node. */
  sign(request: RtcTicketRequest): RtcTicket | null;
}
