/** The events that came with 0.4.0, and old ones with what they gained. */
import type { LuckyDraw } from '../../../src/domain/gift/lucky-draw.ts';
import type { GiftId } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { ann, bob } from '../0.3.0/names.ts';

const draws: readonly LuckyDraw[] = [
  { drawId: 'draw/1', multiplierPercent: 0, prizeCoins: 0n, prize: 'none' },
  { drawId: '抽-2', multiplierPercent: 250, prizeCoins: 9007199254740993n, prize: 'paid' },
  { drawId: '', multiplierPercent: 50_000, prizeCoins: 1n, prize: 'pending' },
];

export const events: readonly RoomEvent[] = draws.map((luckyDraw) => ({
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
}));
