/** Lucky gifts in the room: draws come in as facts, and the room only records them (LUCKY-3, LUCKY-4). */
import { describe, expect, it } from 'vitest';
import type { Charge } from '../../../../src/domain/gift/charge.ts';
import type { DrawFact } from '../../../../src/domain/gift/lucky-draw.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { charged, sendGift } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  carol,
  created,
  gifted,
  joined,
  left,
  rose,
} from '../../../support/room-builders.ts';

const room = given(created(), [joined(alice), joined(bob), joined(carol)]);

function draw(fields: Partial<DrawFact> = {}): DrawFact {
  const nothing = { multiplierPercent: 0, prizeCoins: 0n, prize: 'none' as const };
  return { drawId: 'draw-1', ...nothing, prizeReceiptId: '', balanceAfter: null, ...fields };
}

const won = draw({
  ...{ multiplierPercent: 250, prizeCoins: 25n, prize: 'paid', prizeReceiptId: 'prize-1' },
  balanceAfter: 115n,
});

function drew(draws: readonly DrawFact[], balanceAfter: bigint | null = 90n): Charge {
  return { ...charged(10n, { balanceAfter }), draws } as Charge;
}

describe('A lucky gift', () => {
  it('keeps each target’s draw in its fact, without receipt and balance (LUCKY-4)', () => {
    const { events } = appliedWith([won, draw({ drawId: 'draw-2' })]);
    expect(events).toEqual([
      gifted(alice, bob, 10n, {
        luckyDraw: { drawId: 'draw-1', multiplierPercent: 250, prizeCoins: 25n, prize: 'paid' },
      }),
      gifted(alice, carol, 10n, {
        luckyDraw: { drawId: 'draw-2', multiplierPercent: 0, prizeCoins: 0n, prize: 'none' },
      }),
    ]);
  });

  it('answers its sender every draw with target, gift and count (RES-14, RES-15, LUCKY-4)', () => {
    const { result } = appliedWith([won, draw({ drawId: 'draw-2' })]);
    const of = { giftId: rose, giftCount: 1 };
    expect(result).toMatchObject({
      luckyDraws: [
        { ...won, ...of, targetUserId: bob },
        { ...draw({ drawId: 'draw-2' }), ...of, targetUserId: carol },
      ],
    });
  });

  it('answers the balance after the prizes, or the receipt’s when nobody told one (RES-10)', () => {
    expect(appliedWith([won, draw()]).result).toMatchObject({ coinBalanceAfter: 115n });
    const pending = draw({ multiplierPercent: 100, prizeCoins: 10n, prize: 'pending' });
    expect(appliedWith([pending, draw()]).result).toMatchObject({ coinBalanceAfter: 90n });
  });

  it('is worth its price in heat and rank, whatever it wins', () => {
    const { result } = appliedWith([won, won]);
    expect(result).toMatchObject({ roomHeat: 20n, giftRank: [{ userId: alice, coins: 20n }] });
  });

  it('without a draw for each target is a fault of ours', () => {
    expect(() => appliedWith([won])).toThrow(InvariantError);
  });

  it('that may not be sent is refused with the cause, for good (LUCKY-1)', () => {
    room
      .when(sendGift([bob]), { charge: { kind: 'luckyRefused', cause: 'NOT_CONFIGURED' } })
      .thenRejected('LUCKY_GIFT_NOT_ENABLED', { gift_id: rose, cause: 'NOT_CONFIGURED' });
  });

  it('behind another one of its sender is put off, and its id stays free (LUCKY-2)', () => {
    const { decision } = room.when(sendGift([bob]), { charge: { kind: 'luckyBusy' } });
    expect(decision).toMatchObject({ kind: 'retry', reason: 'LUCKY_GIFT_BUSY' });
  });

  it('for a target who left meanwhile is refused, whatever it drew', () => {
    given(created(), [joined(alice), joined(bob)], left(bob))
      .when(sendGift([bob]), { charge: drew([won]) })
      .thenRejected('USER_NOT_PRESENT', { user_id: bob, role: 'target' });
  });
});

describe('A gift that is not lucky', () => {
  it('has no draw in its fact and none in its answer (RES-14)', () => {
    const { decision } = room.when(sendGift([bob]), { charge: charged(10n) });
    expect(decision).toMatchObject({ events: [{ luckyDraw: null }] });
    expect(decision.kind === 'applied' && decision.result).not.toHaveProperty('luckyDraws');
  });
});

function appliedWith(draws: readonly DrawFact[]) {
  const { decision } = room.when(sendGift([bob, carol]), { charge: drew(draws) });
  if (decision.kind !== 'applied') throw new Error(`the gift ended ${decision.kind}`);
  return decision;
}
