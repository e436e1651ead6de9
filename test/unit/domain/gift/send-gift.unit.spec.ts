/** SendGift: who may give to whom, what a charge makes of it, and what is answered (GIFT-1…7). */
import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../../src/domain/gift/charge.ts';
import type { GiftId, UserId } from '../../../../src/domain/ids.ts';
import type { SendGift } from '../../../../src/domain/gift/gift-commands.ts';
import { plan } from '../../../../src/domain/room/plan.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { commandOf, given, GivenRoom } from '../../../support/decider-spec.ts';
import { charged, sendGift } from '../../../support/command-builders.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closed,
  created,
  gifted,
  joined,
  left,
  rose,
} from '../../../support/room-builders.ts';

const int64Max = 2n ** 63n - 1n;
const room = given(created(), [joined(alice), joined(bob), joined(carol)]);

/** Every end of a charge that took nothing for certain. */
const unpaid: readonly Charge[] = [
  { kind: 'insufficient' },
  { kind: 'notOffered' },
  { kind: 'notCharged', cause: 'x' },
];

function planOf(on: GivenRoom, body: SendGift, by: UserId = alice): string {
  return plan(commandOf(body, { by }), on.state).kind;
}

describe('A paid gift', () => {
  it('makes one fact per target in the order named, each of price × count (EVT-3, GIFT-6)', () => {
    const fields = { giftCount: 3, comboId: 'combo-1' };
    const fact = { ...fields, unitPrice: 10n, catalogueVersion: 7n, billingReceiptId: 'receipt-1' };
    room
      .when(sendGift([carol, bob], fields), { charge: charged(10n) })
      .thenApplied([gifted(alice, carol, 30n, fact), gifted(alice, bob, 30n, fact)], {
        billingReceiptId: 'receipt-1',
        roomHeat: 60n,
        giftRank: [{ userId: alice, coins: 60n, rank: 1 }],
        batchDisplay: {
          ...{ giftId: rose, giftCount: 3, comboId: 'combo-1' },
          ...{ targetUserIds: [carol, bob], totalCoins: 60n },
        },
      });
  });

  it('to several targets is one picture for its sender, and to one target none (BATCH-1, RES-16)', () => {
    const resultOf = (targets: readonly UserId[]): unknown => {
      const { decision } = room.when(sendGift(targets, { giftCount: 2 }), { charge: charged(5n) });
      return decision.kind === 'applied' ? decision.result : decision;
    };
    const batchDisplay = { giftCount: 2, targetUserIds: [bob, carol], totalCoins: 20n };
    expect(resultOf([bob, carol])).toMatchObject({ batchDisplay });
    expect(resultOf([bob])).not.toHaveProperty('batchDisplay');
  });

  it('may be given to oneself', () => {
    room.when(sendGift([alice]), { charge: charged(5n) }).thenApplied([gifted(alice, alice, 5n)]);
  });

  it('reaches 50 targets at once (GIFT-1)', () => {
    const crowd = Array.from({ length: 50 }, (_, n) => asUser(`listener-${n}`));
    const full = given(created(), [joined(alice), ...crowd.map((userId) => joined(userId))]);
    const outcome = full.when(sendGift(crowd), { charge: charged(2n) });
    outcome.thenApplied(crowd.map((userId) => gifted(alice, userId, 2n)));
    expect(outcome.state.heat).toBe(100n);
    expect(outcome.state.giftSenders.get(alice)?.coins).toBe(100n);
  });

  it('keeps every digit of prices and sums beyond 2^53', () => {
    const price = 9_007_199_254_740_993n;
    const after = room
      .after(sendGift([bob]), { charge: charged(price) })
      .after(sendGift([bob]), { by: carol, charge: charged(price) })
      .when(sendGift([bob, carol]), { charge: charged(price) });
    expect(after.decision).toMatchObject({
      result: {
        roomHeat: 36_028_797_018_963_972n,
        giftRank: [
          { userId: alice, coins: 27_021_597_764_222_979n, rank: 1 },
          { userId: carol, coins: price, rank: 2 },
        ],
      },
    });
  });

  it('answers as many places of the rank as configured (CFG-3, SVC-3, RES-13)', () => {
    const after = room.after(sendGift([bob]), { by: bob, charge: charged(1n) });
    const limits = { giftRankMax: 1 };
    expect(after.when(sendGift([bob]), { charge: charged(2n), limits }).decision).toMatchObject({
      result: { giftRank: [{ userId: alice, coins: 2n, rank: 1 }] },
    });
  });
});

describe('The balances answered', () => {
  const told = { balanceAfter: 0n, incomeBalanceAfter: 7n };
  const answer = (targets: readonly UserId[], charge: Charge): unknown => {
    const { decision } = room.when(sendGift(targets), { charge });
    return decision.kind === 'applied' ? decision.result : decision;
  };

  it('are those of the receipt, 0 among them, for a single target (RES-10, RES-11, GIFT-7)', () => {
    expect(answer([bob], charged(1n, told))).toMatchObject({
      coinBalanceAfter: 0n,
      giftIncomeBalanceAfter: 7n,
    });
  });

  it('leave the receivers out when there are several (GIFT-7)', () => {
    const result = answer([bob, carol], charged(1n, told));
    expect(result).toMatchObject({ coinBalanceAfter: 0n });
    expect(result).not.toHaveProperty('giftIncomeBalanceAfter');
  });

  it('are absent where the wallet did not say', () => {
    const result = answer([bob], charged(1n));
    expect(result).not.toHaveProperty('coinBalanceAfter');
    expect(result).not.toHaveProperty('giftIncomeBalanceAfter');
  });
});

describe('A gift that was not paid', () => {
  it('for want of coins is refused', () => {
    room
      .when(sendGift([bob]), { charge: { kind: 'insufficient' } })
      .thenRejected('INSUFFICIENT_BALANCE');
  });

  it('because the app does not sell it is refused by its name', () => {
    room
      .when(sendGift([bob], { giftId: 'sold-out' as GiftId }), { charge: { kind: 'notOffered' } })
      .thenRejected('GIFT_NOT_OFFERED', { gift_id: 'sold-out' });
  });

  it('for any other cause is refused and names it', () => {
    room
      .when(sendGift([bob]), { charge: { kind: 'notCharged', cause: 'wallet timed out' } })
      .thenRejected('GIFT_NOT_CHARGED', { cause: 'wallet timed out' });
  });

  it('although the room takes it and nobody asked the wallet, is a fault of ours', () => {
    expect(() => room.when(sendGift([bob]))).toThrow(InvariantError);
  });

  it('because its price is 0 or less is a fault of ours', () => {
    for (const price of [0n, -1n]) {
      expect(() => room.when(sendGift([bob]), { charge: charged(price) })).toThrow(InvariantError);
    }
  });
});

describe('The room refuses before any payment, and says the same whatever the wallet said', () => {
  const fifty = Array.from({ length: 50 }, (_, n) => asUser(`u${n}`));
  const refused = (body: SendGift, by: UserId, reason: string, facts: object, on = room): void => {
    expect(planOf(on, body, by)).toBe('none');
    for (const charge of [null, charged(1n), ...unpaid]) {
      const { decision } = on.when(body, { by, ...(charge === null ? {} : { charge }) });
      expect(decision).toEqual({ kind: 'rejected', reason, facts, followUp: null });
    }
  };

  it('a gift in a closed room, before it looks at anything else (GIFT-2)', () => {
    const over = given(created(), closed());
    refused(sendGift([]), alice, 'ROOM_CLOSED', { room_status: 'closed' }, over);
  });

  it('a gift in a room that is closing, in which sender and target still are', () => {
    // `closing` exists only with a configured grace, which has no event yet: made by hand.
    const closing = new GivenRoom({ ...room.state, status: 'closing' }, 2);
    refused(sendGift([bob]), alice, 'ROOM_CLOSED', { room_status: 'closing' }, closing);
  });

  it('a gift in a room that was never made', () => {
    refused(sendGift([bob]), alice, 'ROOM_NOT_FOUND', {}, given());
  });

  it.each([0, -1, 10_000, 1.5, Number.NaN])('a count of %d (GIFT-2)', (giftCount) => {
    refused(sendGift([bob], { giftCount }), alice, 'INVALID_GIFT', {
      field: 'gift_count',
      fault: 'not a whole number from 1 to 9999',
    });
  });

  it.each<readonly [string, readonly UserId[]]>([
    ['missing', []],
    ['more than 50', [...fifty, bob]],
    ['named twice', [bob, carol, bob]],
  ])('targets with the fault "%s", although they are absent too (GIFT-2)', (fault, targets) => {
    const facts = { field: 'target_user_ids', fault };
    refused(sendGift(targets), asUser('stranger'), 'INVALID_GIFT', facts);
  });

  it('an absent sender, before absent targets (GIFT-2)', () => {
    const facts = { user_id: 'stranger' };
    refused(sendGift([asUser('ghost')]), asUser('stranger'), 'USER_NOT_PRESENT', facts);
  });

  it('absent targets, by the first of them in the order named', () => {
    const facts = { user_id: 'ghost-2', role: 'target' };
    const targets = [bob, asUser('ghost-2'), asUser('ghost-1')];
    refused(sendGift(targets), alice, 'USER_NOT_PRESENT', facts);
  });

  it('nothing that is at its limit and in order', () => {
    expect(planOf(room, sendGift([alice, bob, carol], { giftCount: 9_999 }))).toBe('debit');
  });
});

describe('Races', () => {
  it('a gift that was paid for a target who left meanwhile is refused', () => {
    const body = sendGift([bob, carol]);
    expect(planOf(room, body)).toBe('debit');
    const later = given(created(), [joined(alice), joined(bob), joined(carol)], left(carol));
    later
      .when(body, { charge: charged(1n) })
      .thenRejected('USER_NOT_PRESENT', { user_id: carol, role: 'target' });
  });

  it('a gift that was paid in a room that closed meanwhile is refused', () => {
    given(created(), [joined(alice), joined(bob)], closed({ finalOnlineCount: 2 }))
      .when(sendGift([bob]), { charge: charged(1n) })
      .thenRejected('ROOM_CLOSED', { room_status: 'closed' });
  });
});

describe('Sums at the end of 63 bits', () => {
  const rich = room.after(sendGift([bob]), { charge: charged(int64Max - 10n) });

  it('take the last coin', () => {
    const outcome = rich.when(sendGift([bob, carol]), { charge: charged(5n) });
    expect(outcome.state.heat).toBe(int64Max);
    expect(outcome.state.giftSenders.get(alice)?.coins).toBe(int64Max);
  });

  it('refuse one coin more, and so the gift, whatever it is made of', () => {
    const refusal = { cause: 'HEAT_FULL' };
    rich.when(sendGift([bob]), { charge: charged(11n) }).thenRejected('GIFT_NOT_CHARGED', refusal);
    rich
      .when(sendGift([bob, carol]), { by: carol, charge: charged(6n) })
      .thenRejected('GIFT_NOT_CHARGED', refusal);
    room
      .when(sendGift([bob], { giftCount: 2 }), { charge: charged(int64Max) })
      .thenRejected('GIFT_NOT_CHARGED', refusal);
  });
});
