/** What every RtcTickets must do, told by what whoever checks a ticket reads in it. */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { RtcTicket, RtcTicketRequest, RtcTickets } from '../../../src/ports/rtc-tickets.ts';

/** What a PrivateMapKey says once its signature has been checked. */
export interface ReadTicket {
  readonly userId: string;
  readonly sdkAppId: number;
  readonly roomId: string;
  readonly maySendAudio: boolean;
  readonly expiresAtSeconds: number;
}

/** Two nodes of one deployment that know the apps `app1` (SdkAppId 1) and `app2` (2), no other. */
export interface RtcTicketsFixture {
  readonly here: RtcTickets;
  readonly there: RtcTickets;
  /** Reads as the vendor would with the app's key; null when it would let nobody in. */
  read(ticket: RtcTicket, app: string, nowSeconds: number): ReadTicket | null;
}

const request: RtcTicketRequest = {
  appCode: 'app1' as AppCode,
  roomId: 'r1' as RoomId,
  userId: 'u1' as UserId,
  maySendAudio: false,
  issuedAtSeconds: 1_700_000_000,
  validSeconds: 120,
};

/** Declares the suite. */
export function rtcTicketsContract(name: string, makeFixture: () => RtcTicketsFixture): void {
  describe(`RtcTickets contract: ${name}`, () => {
    const signed = (change: Partial<RtcTicketRequest> = {}): RtcTicket => {
      const ticket = makeFixture().here.sign({ ...request, ...change });
      if (ticket === null) throw new Error('no ticket was signed');
      return ticket;
    };
    const read = (ticket: RtcTicket, app = 'app1', nowSeconds = 1_700_000_000) =>
      makeFixture().read(ticket, app, nowSeconds);

    it('a ticket names its user, its room, its end and no right to send (RTC-3)', () => {
      const ticket = signed();
      expect(ticket.sdkAppId).toBe(1);
      expect(read(ticket)).toEqual({
        userId: 'u1',
        sdkAppId: 1,
        roomId: 'r1',
        maySendAudio: false,
        expiresAtSeconds: 1_700_000_120,
      });
    });

    it('the right to send audio is given when it is asked for', () => {
      expect(read(signed({ maySendAudio: true }))).toMatchObject({ maySendAudio: true });
    });

    it('the longest ids go in whole', () => {
      const ids = { roomId: 'r:'.repeat(32) as RoomId, userId: 'u-'.repeat(16) as UserId };
      expect(read(signed(ids))).toMatchObject(ids);
    });

    it('an app that is not known has no tickets', () => {
      expect(makeFixture().here.sign({ ...request, appCode: 'app3' as AppCode })).toBeNull();
    });

    it('every node signs the same, and each user, room and app something else', () => {
      const { there } = makeFixture();
      expect(there.sign(request)).toEqual(signed());
      const keys = [
        signed(),
        signed({ userId: 'u2' as UserId }),
        signed({ roomId: 'r2' as RoomId }),
        signed({ appCode: 'app2' as AppCode }),
        signed({ maySendAudio: true }),
        signed({ issuedAtSeconds: 1_700_000_001 }),
        signed({ validSeconds: 121 }),
      ].map(({ privateMapKey }) => privateMapKey);
      expect(new Set(keys).size).toBe(keys.length);
    });

    it('lets nobody in behind its end, nor at another app', () => {
      expect(read(signed(), 'app1', 1_700_000_119)).not.toBeNull();
      expect(read(signed(), 'app1', 1_700_000_120)).toBeNull();
      expect(read(signed(), 'app2')).toBeNull();
    });
  });
}
