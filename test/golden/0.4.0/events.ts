/** The events that came with 0.4.0, and old ones with what they gained. */
import type { LuckyDraw } from '../../../src/domain/gift/lucky-draw.ts';
import type { GiftId } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { ann, bob, eve, timeMs } from '../0.3.0/names.ts';

const draws: readonly LuckyDraw[] = [
  { drawId: 'draw/1', multiplierPercent: 0, prizeCoins: 0n, prize: 'none' },
  { drawId: '抽-2', multiplierPercent: 250, prizeCoins: 9007199254740993n, prize: 'paid' },
  { drawId: '', multiplierPercent: 50_000, prizeCoins: 1n, prize: 'pending' },
];

/** Old events with what they gained. */
const luckyGifts: readonly RoomEvent[] = draws.map((luckyDraw) => ({
  type: 'RoomGiftSent',
  senderUserId: ann,
  targetUserId: bob,
  giftId: 'clover' as GiftId,
  giftCount: 1,
  coins: 9007199254740993n,
  unitPrice: 9007199254740993n,
  catalogueVersion: 1n,
  comboId: '',
  billingReceiptId: 'receipt/1',
  luckyDraw,
  isUncounted: false,
}));

/** A rocket's round from its first fuel to its launch. */
const rocketEvents: readonly RoomEvent[] = [
  {
    type: 'RoomRocketFueled',
    userId: ann,
    coins: 9223372036854775807n,
    fuel: 9223372036854775806n,
    roundNo: 7n,
    level: 2,
    fuelTarget: 1000n,
    rulesVersion: 3n,
  },
  {
    type: 'RoomRocketIgnited',
    roundNo: 7n,
    level: 2,
    fuel: 1000n,
    igniterUserId: ann,
    launchAtMs: timeMs,
    rulesVersion: 3n,
    carriedFuel: 12n,
    minimumContribution: 10n,
    rewards: [{ fromRank: 1, toRank: 3, rewardId: 'frame.gold', quantity: 2n }],
    nextLevel: 3,
    nextFuelTarget: 5000n,
  },
  {
    type: 'RoomRocketLaunched',
    roundNo: 7n,
    level: 2,
    igniterUserId: ann,
    launchAtMs: timeMs,
    rulesVersion: 3n,
    winners: [
      {
        userId: ann,
        coins: 900n,
        rank: 1,
        prizes: [{ rewardId: 'frame.gold', quantity: 2n }],
      },
      { userId: eve, coins: 100n, rank: 2, prizes: [] },
    ],
    nextRoundNo: 8n,
    nextLevel: 3,
    nextFuelTarget: 5000n,
    nextFuel: 12n,
  },
];

export const events: readonly RoomEvent[] = [...luckyGifts, ...rocketEvents];
