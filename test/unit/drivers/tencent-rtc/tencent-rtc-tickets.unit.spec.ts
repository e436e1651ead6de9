/** Tickets of Tencent RTC keep the contract, and are what another implementation makes. */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../../src/domain/ids.ts';
import {
  decodeRtcRights,
  encodeRtcRights,
  rtcRights,
} from '../../../../src/drivers/private-map-key.ts';
import { createTencentRtcTickets } from '../../../../src/drivers/tencent-rtc/tencent-rtc-tickets.ts';
import { decodeUserSig, verifyUserSig } from '../../../../src/drivers/user-sig.ts';
import { rtcTicketsContract } from '../../../contract/suites/rtc-tickets-contract.ts';

const apps = new Map([
  ['app1', { sdkAppId: 1, secretKey: 'the key of one app' }],
  ['app2', { sdkAppId: 2, secretKey: 'the key of another' }],
]);

rtcTicketsContract('Tencent RTC', () => ({
  here: createTencentRtcTickets(apps),
  there: createTencentRtcTickets(new Map(apps)),
  read(ticket, appCode, nowSeconds) {
    const { sdkAppId, secretKey } = apps.get(appCode) ?? { sdkAppId: 0, secretKey: '' };
    const rights = rightsIn(ticket.privateMapKey);
    const expected = { sdkAppId, identifier: rights?.account ?? '' };
    for (const text of [ticket.userSig, ticket.privateMapKey]) {
      if (!verifyUserSig(secretKey, text, expected, nowSeconds).ok) return null;
    }
    if (rights === null) return null;
    const { account: userId, bits, ...rest } = rights;
    return { userId, maySendAudio: (bits & rtcRights.sendAudio) !== 0, ...rest };
  },
}));

function rightsIn(privateMapKey: string) {
  const carried = String(decodeUserSig(privateMapKey)?.['TLS.userbuf']);
  return decodeRtcRights(Buffer.from(carried, 'base64'));
}

describe('a ticket of Tencent RTC', () => {
  /** The vendor's public demonstration key; record and signature made by its own npm package. */
  const secretKey = '5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e';
  const tickets = createTencentRtcTickets(
    new Map([['demo', { sdkAppId: 1_400_000_000, secretKey }]]),
  );

  it.each([
    {
      userId: 'xiaojun',
      validSeconds: 300,
      roomId: 'room-1',
      maySendAudio: true,
      record: '0100077869616f6a756e53724e00000000006553f22c0000000f000000000006726f6f6d2d31',
      signature: 'D5xj3328IywA4pxc9yR9RoP2Ul9cLPSEGzlOMSkrar8=',
    },
    {
      userId: 'u_1',
      validSeconds: 120,
      roomId: '100200300',
      maySendAudio: false,
      record: '010003755f3153724e00000000006553f1780000000b000000000009313030323030333030',
      signature: 'XJye6OeG1600zA75OaEFkgvbEnOhGlmlqVgEluLRIR0=',
    },
  ])('is what the vendor’s package makes for $userId', (known) => {
    const { record, signature, maySendAudio, validSeconds } = known;
    const ticket = tickets.sign({
      appCode: 'demo' as AppCode,
      roomId: known.roomId as RoomId,
      userId: known.userId as UserId,
      maySendAudio,
      issuedAtSeconds: 1_700_000_000,
      validSeconds,
    });
    expect(decodeUserSig(ticket?.privateMapKey ?? '')).toEqual({
      'TLS.ver': '2.0',
      'TLS.identifier': known.userId,
      'TLS.sdkappid': 1_400_000_000,
      'TLS.time': 1_700_000_000,
      'TLS.expire': validSeconds,
      'TLS.userbuf': Buffer.from(record, 'hex').toString('base64'),
      'TLS.sig': signature,
    });
  });

  it('a record that was cut, lengthened or written for numbered rooms says nothing', () => {
    const rights = { account: 'u1', sdkAppId: 7, roomId: 'r1', expiresAtSeconds: 9, bits: 11 };
    const record = Buffer.from(encodeRtcRights(rights));
    expect(decodeRtcRights(record)).toEqual(rights);
    for (let length = 0; length < record.length; length += 1) {
      expect(decodeRtcRights(record.subarray(0, length))).toBeNull();
    }
    expect(decodeRtcRights(Buffer.concat([record, Buffer.alloc(1)]))).toBeNull();
    record.writeUInt8(0, 0);
    expect(decodeRtcRights(record)).toBeNull();
  });
});
