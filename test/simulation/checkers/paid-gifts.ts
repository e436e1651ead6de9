/** The committed gifts of a run by the wallet's names for their payments. */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { CheckedWorld } from './checker.ts';
import { debitKeyOf } from './derived.ts';
import type { LoggedEvent } from './logged-event.ts';
import { eventsOf } from './world-reading.ts';

/** One command that gave something. */
export interface PaidGift {
  readonly row: LogRow;
  readonly events: readonly LoggedEvent[];
  /** For all targets together. */
  readonly coins: bigint;
}

/** All of them, by debit key, as the log has them now. */
export function giftsOf({ database }: CheckedWorld): ReadonlyMap<string, PaidGift> {
  const gifts = new Map<string, PaidGift>();
  for (const row of database.log.values()) {
    if (row.commandType !== 'SendGift' || row.events === null) continue;
    const { events } = eventsOf(row);
    const key = debitKeyOf(row.appCode, row.roomId, row.commandId);
    gifts.set(key, { row, events, coins: giftCoins(events) });
  }
  return gifts;
}

/** Coins of the gifts among the events. */
export function giftCoins(events: readonly LoggedEvent[]): bigint {
  return events.reduce((sum, event) => {
    return sum + (event.type === 'RoomGiftSent' ? event.coins : 0n);
  }, 0n);
}
