/** Any display, of every type: a new type does not compile without values of it. */
import fc from 'fast-check';
import type { RoomDisplay, RoomDisplayType } from '../../../src/domain/events/displays.ts';
import type { EventId } from '../../../src/domain/ids.ts';
import type { DisplayEnvelope } from '../../../src/protocol/records.ts';
import {
  appCode,
  giftId,
  int,
  long,
  profile,
  roomId,
  text,
  timeMs,
  type,
  userId,
  version,
} from './arbitrary-parts.ts';

type DisplaysByType = {
  readonly [T in RoomDisplayType]: fc.Arbitrary<Extract<RoomDisplay, { readonly type: T }>>;
};

const displaysByType: DisplaysByType = {
  RoomUsersCameAndWent: fc.record({
    type: type('RoomUsersCameAndWent'),
    joined: fc.array(fc.record({ userId, profile, isRobot: fc.boolean() }), { maxLength: 3 }),
    joinedCount: int,
    leftUserIds: fc.array(userId, { maxLength: 3 }),
    leftCount: int,
    onlineCount: int,
  }),
  RoomGiftBatchShown: fc.record({
    type: type('RoomGiftBatchShown'),
    senderUserId: userId,
    giftId,
    giftCount: int,
    targetUserIds: fc.array(userId, { maxLength: 3 }),
    totalCoins: long,
    comboId: text,
  }),
  RoomRocketProgressed: fc.record({
    type: type('RoomRocketProgressed'),
    roundNo: long,
    level: int,
    fuel: long,
    fuelTarget: long,
  }),
  RoomLuckyWinShown: fc.record({
    type: type('RoomLuckyWinShown'),
    senderUserId: userId,
    targetUserId: userId,
    giftId,
    giftCount: int,
    multiplierPercent: int,
    prizeCoins: long,
  }),
};

/** See the file header. */
export const anyDisplay: fc.Arbitrary<RoomDisplay> = fc.oneof(...Object.values(displaysByType));

/** Any display in an envelope that says its type. */
export const anyDisplayEnvelope: fc.Arbitrary<DisplayEnvelope> = fc
  .record({
    eventId: fc.uuid().map((id) => id as EventId),
    appCode,
    roomId,
    roomVersion: version,
    occurredAtMs: timeMs,
    actorUserId: userId,
    display: anyDisplay,
  })
  .map((envelope) => ({ ...envelope, displayType: envelope.display.type }));
