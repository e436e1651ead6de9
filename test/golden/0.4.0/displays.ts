/** The displays that came with 0.4.0. */
import type { RoomDisplay } from '../../../src/domain/events/displays.ts';
import type { GiftId, UserId } from '../../../src/domain/ids.ts';

/** One of every type. */
export const displays: readonly RoomDisplay[] = [
  {
    type: 'RoomUsersCameAndWent',
    joined: [
      {
        userId: 'u2' as UserId,
        profile: { nickname: 'Bea', avatarUrl: 'https://a/b', countryCode: 'DE', ext: '{}' },
        isRobot: true,
      },
    ],
    joinedCount: 12,
    leftUserIds: ['u3' as UserId],
    leftCount: 3,
    onlineCount: 209,
  },
  {
    type: 'RoomGiftBatchShown',
    senderUserId: 'u1' as UserId,
    giftId: 'rose' as GiftId,
    giftCount: 3,
    targetUserIds: ['u2' as UserId, 'u3' as UserId],
    totalCoins: 9_007_199_254_740_993n,
    comboId: 'combo-1',
  },
  {
    type: 'RoomRocketProgressed',
    roundNo: 7n,
    level: 2,
    fuel: 9_007_199_254_740_993n,
    fuelTarget: 9_007_199_254_741_000n,
  },
  {
    type: 'RoomLuckyWinShown',
    senderUserId: 'u1' as UserId,
    targetUserId: 'u2' as UserId,
    giftId: 'clover' as GiftId,
    giftCount: 2,
    multiplierPercent: 10_000,
    prizeCoins: 9_007_199_254_740_993n,
  },
];
