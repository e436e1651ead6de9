/**
 * INV-24: one draw and at most one prize per (command id, target). What a committed lucky gift says it
 * drew is what its key draws, for the stand-in's draws follow from the key alone; its prize is paid
 * once, to the sender, and stands; a prize without a committed gift was taken back with its debit.
 */
import type { LedgerEntry } from '../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { SettlementRecord } from '../../../src/drivers/memory/gift-rows.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { keyBesideDebit } from './derived.ts';
import type { LoggedOf } from './logged-event.ts';
import { giftsOf } from './paid-gifts.ts';
import type { PaidGift } from './paid-gifts.ts';

/** Makes it; see the file header. */
export const luckyGifts: CheckerFactory = (world, report) => new LuckyGifts(world, report);

class LuckyGifts implements Checker {
  readonly invariants = ['INV-24'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  atEnd(): void {
    const { paid, back } = this.prizes();
    const expected = new Set<string>();
    for (const [debitKey, gift] of giftsOf(this.world)) {
      const sent = gift.events.filter((event) => event.type === 'RoomGiftSent');
      for (const [at, event] of sent.entries()) {
        const prizeKey = keyBesideDebit(debitKey, 'prize', at);
        expected.add(prizeKey);
        this.checkDraw(gift, event, keyBesideDebit(debitKey, 'draw', at));
        this.checkPrize(gift, event, paid.get(prizeKey) ?? [], back.get(prizeKey) ?? []);
        this.checkRow(gift, event, this.world.database.settlements.get(prizeKey));
      }
    }
    for (const [key, entries] of paid) {
      if (entries.length > 1) this.fault(null, `key ${key} was paid ${entries.length} prizes`);
      const [prize] = entries;
      if (expected.has(key) || prize === undefined) continue;
      if (back.get(key)?.[0]?.coins === prize.coins) continue;
      const text = `${prize.coins} coins of a prize are ${prize.userId}’s, for no committed gift`;
      this.fault(null, text);
    }
  }

  private checkDraw({ row }: PaidGift, event: LoggedOf<'RoomGiftSent'>, drawKey: string): void {
    const drawId = event.luckyDraw?.drawId;
    if (drawId === undefined || drawId === `draw-${drawKey.slice(0, 24)}`) return;
    this.fault(row, `${row.commandId} for ${event.targetUserId} is another draw than its key’s`);
  }

  private checkPrize(
    { row }: PaidGift,
    { targetUserId, luckyDraw }: LoggedOf<'RoomGiftSent'>,
    paid: readonly LedgerEntry[],
    back: readonly LedgerEntry[],
  ): void {
    const won = luckyDraw?.prizeCoins ?? 0n;
    const got = paid.reduce((sum, { coins }) => sum + coins, 0n);
    const isRight = paid.every(({ userId, appCode }) => {
      return userId === row.actorUserId && appCode === row.appCode;
    });
    if (got === won && isRight && back.length === 0) return;
    const text = `${row.commandId} for ${targetUserId} won ${won} coins, ${got} were paid and ${back.length} prizes taken back`;
    this.fault(row, text);
  }

  /** Only a prize that was pending has a row, and each such has one that says what was paid. */
  private checkRow(
    { row }: PaidGift,
    { targetUserId, luckyDraw }: LoggedOf<'RoomGiftSent'>,
    settlement: SettlementRecord | undefined,
  ): void {
    const isPending = luckyDraw?.prize === 'pending';
    if (!isPending && settlement === undefined) return;
    const isSettled =
      isPending &&
      settlement?.status === 'settled' &&
      settlement.refundedCoins === luckyDraw.prizeCoins;
    if (isSettled) return;
    const how = settlement === undefined ? 'has no row' : `is ${settlement.status} at the end`;
    this.fault(row, `the prize of ${row.commandId} for ${targetUserId} ${how}`);
  }

  private prizes(): Readonly<Record<'paid' | 'back', ReadonlyMap<string, LedgerEntry[]>>> {
    const paid = new Map<string, LedgerEntry[]>();
    const back = new Map<string, LedgerEntry[]>();
    for (const entry of this.world.wallet.ledger.entries()) {
      if (entry.kind !== 'prize' && entry.kind !== 'prizeBack') continue;
      const into = entry.kind === 'prize' ? paid : back;
      into.set(entry.key, [...(into.get(entry.key) ?? []), entry]);
    }
    return { paid, back };
  }

  private fault(room: Violation['room'], text: string): void {
    this.report({ invariant: 'INV-24', text, room });
  }
}
