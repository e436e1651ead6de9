/**
 * SendGift: one paid fact per target, all or none (GIFT-1…7, BATCH-1). The wallet was asked between
 * `plan` and here; its word is a fact like any other, and the room may have changed meanwhile.
 */
import { assertDefined, assertNever } from '../../kernel/assert.ts';
import type { UserId } from '../ids.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { SendGift } from './gift-commands.ts';
import type { DecideFacts, Decision, ResultFields } from '../room/decision.ts';
import { nextEventPosition } from '../room/event-position.ts';
import type { RoomGiftSent } from './gift-events.ts';
import { applied, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import type { ChargeReceipt } from './charge.ts';
import { evolveGiftSent } from './evolve-gift.ts';
import { batchDisplay } from './batch-display.ts';
import { coinsMax } from './gift-limits.ts';
import { giftRank } from './gift-rank.ts';
import { refuseGift } from './gift-rules.ts';

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
      return give(body, charge.receipt, command.actorUserId, facts, state);
    case 'insufficient':
      return rejected('INSUFFICIENT_BALANCE');
    case 'notOffered':
      return rejected('GIFT_NOT_OFFERED', { gift_id: body.giftId });
    case 'notCharged':
      return rejected('GIFT_NOT_CHARGED', { cause: charge.cause });
    default:
      return assertNever(charge, 'a charge of an unknown kind');
  }
}

function give(
  body: SendGift,
  receipt: ChargeReceipt,
  senderUserId: UserId,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  const coins = receipt.unitPrice * BigInt(body.giftCount);
  // Heat holds the coins of everybody, so no sum of one sender can be beyond it.
  if (state.heat + coins * BigInt(body.targetUserIds.length) > coinsMax) {
    return rejected('GIFT_NOT_CHARGED', { cause: 'HEAT_FULL' });
  }
  const events = body.targetUserIds.map((targetUserId): RoomGiftSent => ({
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
  }));
  const position = nextEventPosition(state, facts.nowMs);
  const batch = batchDisplay(body, receipt);
  const after = events.reduce((room, event) => evolveGiftSent(room, event, position), state);
  return applied(events, {
    ...balances(receipt, events.length),
    billingReceiptId: receipt.receiptId,
    roomHeat: after.heat,
    giftRank: giftRank(after.topGiftSenders, facts.limits.giftRankMax),
    ...(batch === null ? {} : { batchDisplay: batch }),
  });
}

/** Several receivers have several balances, so none is answered for them (GIFT-7). */
function balances(receipt: ChargeReceipt, targetCount: number): ResultFields {
  const { balanceAfter, incomeBalanceAfter } = receipt;
  const tellsIncome = targetCount === 1 && incomeBalanceAfter !== null;
  return {
    ...(balanceAfter === null ? {} : { coinBalanceAfter: balanceAfter }),
    ...(tellsIncome ? { giftIncomeBalanceAfter: incomeBalanceAfter } : {}),
  };
}
