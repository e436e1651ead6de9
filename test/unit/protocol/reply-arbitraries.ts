/** Any result and any reply. */
import fc from 'fast-check';
import type { PrizeState } from '../../../src/domain/gift/lucky-draw.ts';
import type { ReplyRecord, ResultRecord } from '../../../src/protocol/records.ts';
import {
  anySymbol,
  facts,
  giftId,
  int,
  long,
  micSessionId,
  text,
  timeMs,
  type,
  userId,
  version,
} from './arbitrary-parts.ts';
import { anyUser } from './state-arbitraries.ts';

/** Any result record. */
export const anyResult: fc.Arbitrary<ResultRecord> = fc.record({
  outcome: anySymbol<ResultRecord['outcome']>({ applied: true, no_effect: true, rejected: true }),
  roomVersion: version,
  reason: text,
  facts,
  fields: fc.record(
    {
      user: anyUser,
      seatNo: int,
      micSessionId,
      publishDeadlineMs: timeMs,
      billingReceiptId: text,
      coinBalanceAfter: long,
      giftIncomeBalanceAfter: long,
      roomHeat: long,
      giftRank: fc.array(fc.record({ userId, coins: long, rank: int }), { maxLength: 4 }),
      batchDisplay: fc.record({
        giftId,
        giftCount: int,
        targetUserIds: fc.array(userId, { maxLength: 4 }),
        totalCoins: long,
        comboId: text,
      }),
      luckyDraws: fc.array(
        fc.record({
          ...{ targetUserId: userId, giftId, giftCount: int, drawId: text },
          ...{ multiplierPercent: int, prizeCoins: long, prizeReceiptId: text },
          prize: anySymbol<PrizeState>({ none: true, paid: true, pending: true }),
          balanceAfter: fc.option(long),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  ),
});

/** Any reply without a view (views are projections of states: see `anyState`). */
export const anyReply: fc.Arbitrary<ReplyRecord> = fc.oneof(
  fc.record({
    kind: type('result'),
    resultBytes: fc.uint8Array().map((bytes): Uint8Array => Buffer.from(bytes)),
    replayed: fc.boolean(),
    view: fc.constant(null),
  }),
  fc.record({ kind: type('refusal'), reason: text, facts, retryAfterMs: timeMs }),
  fc.record({
    kind: type('heartbeats'),
    heardAtMs: timeMs,
    notPresent: fc.array(fc.nat()),
    notActive: fc.array(fc.nat()),
    micStale: fc.array(fc.nat()),
  }),
);
