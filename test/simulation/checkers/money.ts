/**
 * The wallet's books against the log. INV-22: each key is debited once at most; a committed gift has
 * a debit of exactly its coins that stands; a debit without a gift was given back, by a settlement
 * that is acknowledged.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { LedgerEntry } from '../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { SettlementRecord } from '../../../src/drivers/memory/gift-rows.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { debitKeyOf } from './derived.ts';
import { giftCoins, giftsOf } from './paid-gifts.ts';
import type { PaidGift } from './paid-gifts.ts';
import { robotOriginOf } from './robot-ids.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

/** What the books say under one key. */
interface Book {
  readonly appCode: string;
  readonly debits: LedgerEntry[];
  readonly refunds: LedgerEntry[];
}

/** Makes it; see the file header. */
export const money: CheckerFactory = (world, report) => new Money(world, report);

class Money implements Checker {
  readonly invariants = ['INV-22'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  /** Coins are taken before a gift is committed, never after. */
  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const { row, events } of this.steps.fresh()) {
      const coins = giftCoins(events);
      if (coins === 0n) continue;
      const key = debitKeyOf(row.appCode, row.roomId, row.commandId);
      const found = this.world.wallet.ledger.find(key, row.appCode);
      if (found.kind === 'found' && found.receipt.coins === coins) continue;
      const held =
        found.kind === 'found'
          ? `${found.receipt.coins} coins are debited`
          : `its key is ${found.kind}`;
      this.fault(row, `${row.commandId} was committed as a gift of ${coins} coins, and ${held}`);
    }
  }

  atEnd(): void {
    this.look();
    const books = this.books();
    const gifts = giftsOf(this.world);
    for (const [key, gift] of gifts) this.checkGift(gift, books.get(key));
    for (const [key, book] of books) {
      this.checkOnce(key, book);
      if (!gifts.has(key)) this.checkGivenBack(key, book);
    }
    for (const row of this.world.database.settlements.values()) {
      if (row.prize !== null) continue;
      this.checkSettlement(row, gifts.has(row.debitKey), books.get(row.debitKey));
    }
  }

  private checkGift({ row, coins }: PaidGift, book: Book | undefined): void {
    const [debit] = book?.debits ?? [];
    const what = `${row.commandId} gave ${coins} coins of ${row.actorUserId}`;
    if (debit === undefined) this.fault(row, `${what}, and nothing was debited for it`);
    else if (
      debit.coins !== coins ||
      debit.userId !== this.payerOf(row) ||
      book?.appCode !== row.appCode
    ) {
      this.fault(
        row,
        `${what}, and ${debit.coins} of ${debit.userId} in ${debit.appCode} were debited`,
      );
    }
    if (book?.refunds.length !== 0) this.fault(row, `${what}, and its debit was given back`);
  }

  private payerOf({ commandId, actorUserId }: LogRow): string {
    const account = this.world.robotWalletAccount ?? '';
    return account !== '' && robotOriginOf(commandId) !== null ? account : actorUserId;
  }

  private checkOnce(key: string, { appCode, debits, refunds }: Book): void {
    if (debits.length <= 1 && refunds.length <= debits.length) return;
    const text = `key ${key} of ${appCode} was debited ${debits.length} times and given back ${refunds.length} times`;
    this.report({ invariant: 'INV-22', text, room: null });
  }

  private checkGivenBack(key: string, { appCode, debits, refunds }: Book): void {
    const settlement = this.world.database.settlements.get(key);
    const [debit] = debits;
    const [refund] = refunds;
    if (debit === undefined || refund?.coins === debit.coins) return;
    const room = settlement === undefined ? null : { appCode, roomId: settlement.roomId };
    const why =
      settlement === undefined
        ? 'and no settlement knows of it'
        : `and its settlement (${settlement.commandId}, ${settlement.reason}) is ${settlement.status} after ${settlement.tries} tries: ${settlement.lastError}`;
    const text = `${debit.coins} coins of ${debit.userId} were debited under ${key} for no committed gift, ${refund?.coins ?? 0n} given back, ${why}`;
    this.report({ invariant: 'INV-22', text, room });
  }

  private checkSettlement(row: SettlementRecord, isGift: boolean, book: Book | undefined): void {
    const { appCode, roomId, commandId } = row;
    const log = this.world.database.log.get(`${appCode}\0${roomId}\0${commandId}`);
    const given = book?.refunds[0]?.coins ?? 0n;
    const faults = [
      ...(row.status === 'settled'
        ? []
        : [`is ${row.status} at the end after ${row.tries} tries: ${row.lastError}`]),
      ...(isGift ? ['voids the debit of a gift that is committed'] : []),
      ...(row.debitKey === debitKeyOf(appCode, roomId, commandId)
        ? []
        : ['is not under its command’s key']),
      ...(log?.outcome === 'rejected'
        ? []
        : [`belongs to a command that ended ${log?.outcome ?? 'nowhere'}`]),
      ...(row.status !== 'settled' || row.refundedCoins === given
        ? []
        : [`says ${row.refundedCoins} coins were given back, and the books ${given}`]),
    ];
    for (const fault of faults) {
      this.report({
        invariant: 'INV-22',
        text: `the settlement of ${commandId} ${fault}`,
        room: { appCode, roomId },
      });
    }
  }

  private books(): ReadonlyMap<string, Book> {
    const books = new Map<string, Book>();
    for (const entry of this.world.wallet.ledger.entries()) {
      const { key, appCode, kind } = entry;
      if (kind === 'prize' || kind === 'prizeBack') continue;
      const book = books.get(key) ?? { appCode, debits: [], refunds: [] };
      books.set(key, book);
      (kind === 'debit' ? book.debits : book.refunds).push(entry);
    }
    return books;
  }

  private fault({ appCode, roomId }: LogRow, text: string): void {
    this.report({ invariant: 'INV-22', text, room: { appCode, roomId } });
  }
}
