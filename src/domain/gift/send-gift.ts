/**
 * SendGift: one paid fact per target, all or none (GIFT-1…7, BATCH-1). The wallet was asked between
 * `plan` and here; its word is a fact like any other, and the room may have changed meanwhile.
 */
import { assert, assertDefined, assertNever } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { SendGift } from './gift-commands.ts';
import type { DecideFacts, Decision, ResultFields } from '../room/decision.ts';
import { nextEventPosition } from '../room/event-position.ts';
import type { RoomGiftSent } from './gift-events.ts';
import { fuelRocket } from '../rocket/fuel-rocket.ts';
import { applied, rejected, retryLater } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { Charge, ChargeReceipt } from './charge.ts';
import { evolveGiftSent } from './evolve-gift.ts';
import { batchDisplay } from './batch-display.ts';
import { coinsMax } from './gift-limits.ts';
import { giftRank } from './gift-rank.ts';
import { refuseGift } from './gift-rules.ts';
import type { DrawFact, LuckyDraw, LuckyDrawResult } from './lucky-draw.ts';

type Charged = Extract<Charge, { readonly kind: 'charged' }>;

/** How long a sender whose last lucky gift is on its way had better wait. */
const luckyBusyPauseMs = 300;

/** Decides SendGift. A rejection after a charge is what makes the cell give the coins back. */
export function decideSendGift(
  body: SendGift,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. The room's own rules, before the charge counts. Race: the target leaves while the wallet is
  //    asked; the gift is refused although it was paid. Test: "a gift that was paid for a target who
  //    left meanwhile is refused".
  const refusal = refuseGift(body, command.actorUserId, state);
  if (refusal !== null) return refusal;

  // 2. The charge. `plan` named it, because the rules of 1 are the rules of `plan`.
  const charge = assertDefined(facts.charge, 'a gift that the room takes came without a charge');
  switch (charge.kind) {
    case 'charged':
      return give(body, charge, command.actorUserId, facts, state);
    case 'insufficient':
      return rejected('INSUFFICIENT_BALANCE');
    case 'notOffered':
      return rejected('GIFT_NOT_OFFERED', { gift_id: body.giftId });
    case 'luckyRefused':
      return rejected('LUCKY_GIFT_NOT_ENABLED', { gift_id: body.giftId, cause: charge.cause });
    case 'luckyBusy':
      return retryLater('LUCKY_GIFT_BUSY', luckyBusyPauseMs);
    case 'notCharged':
      return rejected('GIFT_NOT_CHARGED', { cause: charge.cause });
    default:
      return assertNever(charge, 'a charge of an unknown kind');
  }
}

function give(
  body: SendGift,
  { receipt, draws }: Charged,
  senderUserId: UserId,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const coins = receipt.unitPrice * BigInt(body.giftCount);
  // Heat holds the coins of everybody, so no sum of one sender can be beyond it.
  if (state.heat + coins * BigInt(body.targetUserIds.length) > coinsMax) {
    return rejected('GIFT_NOT_CHARGED', { cause: 'HEAT_FULL' });
  }
  assert(
    draws.length === 0 || draws.length === body.targetUserIds.length,
    'a lucky gift has one draw per target',
  );
  const isUncounted = !facts.robotGiftsCount && state.users.get(senderUserId)?.isRobot === true;
  const events = body.targetUserIds.map((targetUserId, at): RoomGiftSent => ({
    type: 'RoomGiftSent',
    senderUserId,
    targetUserId,
    giftId: body.giftId,
    giftCount: body.giftCount,
    coins,
    unitPrice: receipt.unitPrice,
    catalogueVersion: receipt.catalogueVersion,
    comboId: body.comboId,
    billingReceiptId: receipt.receiptId,
    luckyDraw: publicDraw(draws[at]),
    isUncounted,
  }));
  const position = nextEventPosition(state, facts.nowMs);
  const batch = batchDisplay(body, receipt);
  const after = events.reduce((room, event) => evolveGiftSent(room, event, position), state);
  const given = { senderUserId, coins: coins * BigInt(events.length), nowMs: facts.nowMs };
  return applied([...events, ...fuelRocket(given, facts.rocketRules, state)], {
    ...balances(receipt, draws, events.length),
    billingReceiptId: receipt.receiptId,
    roomHeat: after.heat,
    giftRank: giftRank(after.topGiftSenders, facts.limits.giftRankMax),
    ...(batch === null ? {} : { batchDisplay: batch }),
    ...(draws.length === 0 ? {} : { luckyDraws: drawResults(body, draws) }),
  });
}

/** A draw without receipt and balance, which are no business of the room. */
function publicDraw(fact: DrawFact | undefined): LuckyDraw | null {
  if (fact === undefined) return null;
  const { drawId, multiplierPercent, prizeCoins, prize } = fact;
  return { drawId, multiplierPercent, prizeCoins, prize };
}

function drawResults(body: SendGift, draws: readonly DrawFact[]): readonly LuckyDrawResult[] {
  const { giftId, giftCount } = body;
  return body.targetUserIds.flatMap((targetUserId, at) => {
    const draw = draws[at];
    return draw === undefined ? [] : [{ ...draw, targetUserId, giftId, giftCount }];
  });
}

/**
 * Several receivers have several balances, so none is answered for them (GIFT-7). The sender's is the
 * one after its last prize, when the wallet told it (RES-10): prizes are paid one after another.
 */
function balances(
  receipt: ChargeReceipt,
  draws: readonly DrawFact[],
  targetCount: number,
): ResultFields {
  const { incomeBalanceAfter } = receipt;
  const balanceAfter = draws.reduce(
    (last, draw) => (draw.balanceAfter === null ? last : draw.balanceAfter),
    receipt.balanceAfter,
  );
  const tellsIncome = targetCount === 1 && incomeBalanceAfter !== null;
  return {
    ...(balanceAfter === null ? {} : { coinBalanceAfter: balanceAfter }),
    ...(tellsIncome ? { giftIncomeBalanceAfter: incomeBalanceAfter } : {}),
  };
}
