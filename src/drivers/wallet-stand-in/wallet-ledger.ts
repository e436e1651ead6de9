/**
 * The books of the wallet stand-in: exact balances per (app, user), an entry for every movement of
 * coins, and what stands under each key. It keeps the promises of `wallet.proto` and knows nothing
 * of transports and faults. Everything happens at once, so that two calls never meet in the middle.
 */
import type { AppCode, UserId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  DebitRequest,
  FoundDebit,
  PrizeReceipt,
  PrizeRequest,
  WalletReceipt,
} from '../../ports/wallet.ts';
import { debitFault, keyFault, prizeFault } from './debit-fault.ts';

/** One movement of a payer's coins. Entries are never changed and never deleted. */
export interface LedgerEntry {
  /** `prize`: paid to a winner; `prizeBack`: taken from it again with the refund of its debit. */
  readonly kind: 'debit' | 'refund' | 'prize' | 'prizeBack';
  readonly appCode: AppCode;
  readonly key: string;
  readonly userId: UserId;
  readonly coins: bigint;
  readonly atMs: number;
}

/**
 * What a user has. `coins` = opening + adjusted − debits + refunds + prizes − prizes taken back. They
 * are below zero only for somebody who spent a prize before it was taken back.
 */
export interface LedgerAccount {
  readonly appCode: AppCode;
  readonly userId: UserId;
  readonly openingCoins: bigint;
  /** Sum of what `setCoins` changed. */
  readonly adjustedCoins: bigint;
  readonly coins: bigint;
  /** Parts of other users' payments that were not given back. */
  readonly incomeCoins: bigint;
}

/** What stands under a key, and how often debits came for it. */
export interface LedgerKey {
  readonly appCode: AppCode;
  readonly key: string;
  readonly state: 'debited' | 'voided';
  /** Debits that came again with the same request. */
  readonly repeats: number;
  /** Debits that came with another request: each would have been a second spending. */
  readonly conflicts: number;
  /** Debits that came after the key was voided. */
  readonly lateDebits: number;
}

/** The request breaks the contract, or the books are full: nothing was changed. */
export type LedgerRefusal =
  { readonly kind: 'invalid'; readonly cause: string } | { readonly kind: 'full' };
/** How a debit ends in the books. */
export type LedgerDebit =
  | { readonly kind: 'debited'; readonly receipt: WalletReceipt }
  | { readonly kind: 'insufficient' }
  | { readonly kind: 'voided' }
  | LedgerRefusal;
/** What the books say of a key. */
export type LedgerFound = Exclude<FoundDebit, { kind: 'unknown' }> | LedgerRefusal;
/** How a void ends in the books. */
export type LedgerVoid =
  { readonly kind: 'voided'; readonly refundedCoins: bigint } | LedgerRefusal;

/** How a prize ends in the books. */
export type LedgerPrize =
  | { readonly kind: 'paid'; readonly receipt: PrizeReceipt }
  | { readonly kind: 'voided' }
  | LedgerRefusal;

/** What a faulty wallet writes down instead of what it was asked. `coins` are really taken. */
export interface WrittenInstead {
  readonly coins?: bigint;
  readonly payerUserId?: UserId;
  readonly purpose?: string;
}

type Account = { -readonly [Key in keyof LedgerAccount]: LedgerAccount[Key] };
interface KeyRecord {
  readonly appCode: AppCode;
  readonly key: string;
  readonly debit: { readonly request: DebitRequest; readonly receipt: WalletReceipt } | null;
  /** Null: not voided. */
  refundedCoins: bigint | null;
  writtenAtMs: number;
  repeats: number;
  conflicts: number;
  lateDebits: number;
  /** Prizes that hang on it, while it is not voided. */
  readonly prizes: { readonly request: PrizeRequest; readonly receipt: PrizeReceipt }[];
}

/** Keys and accounts that fit; one more of either is answered `full`. */
const keysMax = 500_000;
const accountsMax = 500_000;

/** See the file header. */
export class WalletLedger {
  /** Coins of a user who is seen for the first time. */
  readonly openingCoins: bigint;
  private readonly clock: Clock;
  private readonly accounts = new Map<string, Account>();
  private readonly records = new Map<string, KeyRecord>();
  private readonly written: LedgerEntry[] = [];
  /** By app and key: the key of the debit that each prize hangs on, and what it was answered. */
  private readonly prizes = new Map<string, { debitKey: string; receipt: PrizeReceipt }>();

  constructor(options: { readonly clock: Clock; readonly openingCoins: bigint }) {
    this.clock = options.clock;
    this.openingCoins = options.openingCoins;
  }

  /** Takes the coins, or answers what stands under the key. */
  debit(request: DebitRequest, instead: WrittenInstead = {}): LedgerDebit {
    const cause = debitFault(request);
    if (cause !== null) return { kind: 'invalid', cause };
    const known = this.records.get(nameOf(request.appCode, request.key));
    if (known !== undefined) return repeated(known, request);
    if (this.records.size >= keysMax || !this.hasRoomFor(request)) return { kind: 'full' };
    const payer = this.accountOf(request.appCode, request.payerUserId);
    const coins = instead.coins ?? request.coins;
    if (payer.coins < coins) return { kind: 'insufficient' };
    payer.coins -= coins;
    const receipt: WalletReceipt = {
      receiptId: `receipt-${this.records.size + 1}-${request.key.slice(0, 16)}`,
      payerUserId: instead.payerUserId ?? request.payerUserId,
      coins,
      purpose: instead.purpose ?? request.purpose,
      balanceAfter: payer.coins,
      incomeBalanceAfter: this.credit(request),
    };
    this.enter('debit', request, coins);
    this.open(request, { request, receipt });
    return { kind: 'debited', receipt };
  }

  /** What stands under the key. */
  find(key: string, appCode: AppCode): LedgerFound {
    const cause = keyFault(key, appCode);
    if (cause !== null) return { kind: 'invalid', cause };
    const record = this.records.get(nameOf(appCode, key));
    if (record === undefined) return { kind: 'absent' };
    if (record.refundedCoins !== null || record.debit === null) return { kind: 'voided' };
    return { kind: 'found', receipt: record.debit.receipt };
  }

  /** Gives back what was taken under the key, if anything, and closes it for ever. */
  void(key: string, appCode: AppCode): LedgerVoid {
    const cause = keyFault(key, appCode);
    if (cause !== null) return { kind: 'invalid', cause };
    const known = this.records.get(nameOf(appCode, key));
    if (known === undefined && this.records.size >= keysMax) return { kind: 'full' };
    const record = known ?? this.open({ appCode, key }, null);
    record.refundedCoins ??= this.giveBack(record);
    return { kind: 'voided', refundedCoins: record.refundedCoins };
  }

  /** Pays a prize, or answers what stands under its key. */
  payPrize(request: PrizeRequest): LedgerPrize {
    const cause = prizeFault(request);
    if (cause !== null) return { kind: 'invalid', cause };
    const { appCode, key, debitKey, winnerUserId, coins } = request;
    const known = this.prizes.get(nameOf(appCode, key));
    const record = this.records.get(nameOf(appCode, known?.debitKey ?? debitKey));
    if (record === undefined) return { kind: 'invalid', cause: 'nothing stands under debit_key' };
    if (record.refundedCoins !== null || record.debit === null) return { kind: 'voided' };
    if (known !== undefined) return { kind: 'paid', receipt: known.receipt };
    if (this.prizes.size >= keysMax) return { kind: 'full' };
    const account = this.accountOf(appCode, winnerUserId);
    account.coins += coins;
    const receiptId = `prize-${this.prizes.size + 1}-${key.slice(0, 16)}`;
    const receipt = { receiptId, winnerUserId, coins, balanceAfter: account.coins };
    this.prizes.set(nameOf(appCode, key), { debitKey, receipt });
    record.prizes.push({ request, receipt });
    this.write('prize', { appCode, key, userId: winnerUserId, coins });
    return { kind: 'paid', receipt };
  }

  /** When the key last changed, wall time; null: nothing stands there. */
  writtenAtMs(key: string, appCode: AppCode): number | null {
    return this.records.get(nameOf(appCode, key))?.writtenAtMs ?? null;
  }

  /** Sets a balance; it moves no money of anybody else. False when the books are full. */
  setCoins(appCode: AppCode, userId: UserId, coins: bigint): boolean {
    assert(coins >= 0n, 'a balance is never below zero', { coins });
    if (!this.hasRoomFor({ appCode, payerUserId: userId, payees: [] })) return false;
    const account = this.accountOf(appCode, userId);
    account.adjustedCoins += coins - account.coins;
    account.coins = coins;
    return true;
  }

  /** What a user has, seen before or not. */
  account(appCode: AppCode, userId: UserId): LedgerAccount {
    return { ...(this.accounts.get(nameOf(appCode, userId)) ?? this.fresh(appCode, userId)) };
  }

  /** Everybody who was seen. */
  allAccounts(): readonly LedgerAccount[] {
    return [...this.accounts.values()].map((account) => ({ ...account }));
  }

  /** Every movement of coins, in its order. */
  entries(): readonly LedgerEntry[] {
    return [...this.written];
  }

  /** Every key under which something stands, in the order of first arrival. */
  keys(): readonly LedgerKey[] {
    return [...this.records.values()].map((record) => ({
      appCode: record.appCode,
      key: record.key,
      state: record.refundedCoins === null ? 'debited' : 'voided',
      repeats: record.repeats,
      conflicts: record.conflicts,
      lateDebits: record.lateDebits,
    }));
  }

  /** Adds the parts to the payees' income; answers the income of a single payee. */
  private credit({ appCode, payees }: DebitRequest): bigint | null {
    for (const { userId, coins } of payees) this.accountOf(appCode, userId).incomeCoins += coins;
    const [single] = payees;
    return payees.length !== 1 || single === undefined
      ? null
      : this.accountOf(appCode, single.userId).incomeCoins;
  }

  private giveBack(record: KeyRecord): bigint {
    record.writtenAtMs = this.clock.wallMs();
    if (record.debit === null) return 0n;
    const { request, receipt } = record.debit;
    this.accountOf(request.appCode, request.payerUserId).coins += receipt.coins;
    for (const { userId, coins } of request.payees) {
      this.accountOf(request.appCode, userId).incomeCoins -= coins;
    }
    this.enter('refund', request, receipt.coins);
    for (const { request: prize } of record.prizes) {
      const { appCode, key, winnerUserId: userId, coins } = prize;
      this.accountOf(appCode, userId).coins -= coins;
      this.write('prizeBack', { appCode, key, userId, coins });
    }
    return receipt.coins;
  }

  private enter(kind: LedgerEntry['kind'], request: DebitRequest, coins: bigint): void {
    const { appCode, key, payerUserId: userId } = request;
    this.write(kind, { appCode, key, userId, coins });
  }

  private write(kind: LedgerEntry['kind'], moved: Omit<LedgerEntry, 'kind' | 'atMs'>): void {
    this.written.push({ kind, ...moved, atMs: this.clock.wallMs() });
  }

  private open(at: { appCode: AppCode; key: string }, debit: KeyRecord['debit']): KeyRecord {
    const record: KeyRecord = {
      appCode: at.appCode,
      key: at.key,
      debit,
      refundedCoins: null,
      writtenAtMs: this.clock.wallMs(),
      repeats: 0,
      conflicts: 0,
      lateDebits: 0,
      prizes: [],
    };
    this.records.set(nameOf(at.appCode, at.key), record);
    return record;
  }

  private hasRoomFor(people: Pick<DebitRequest, 'appCode' | 'payerUserId' | 'payees'>): boolean {
    return this.accounts.size + 1 + people.payees.length <= accountsMax;
  }

  private accountOf(appCode: AppCode, userId: UserId): Account {
    const name = nameOf(appCode, userId);
    const account = this.accounts.get(name) ?? this.fresh(appCode, userId);
    this.accounts.set(name, account);
    return account;
  }

  private fresh(appCode: AppCode, userId: UserId): Account {
    const { openingCoins } = this;
    const coins = openingCoins;
    return { appCode, userId, openingCoins, adjustedCoins: 0n, coins, incomeCoins: 0n };
  }
}

/** A debit under a known key takes nothing, whatever it asks. */
function repeated(record: KeyRecord, request: DebitRequest): LedgerDebit {
  if (record.refundedCoins !== null || record.debit === null) {
    record.lateDebits += 1;
    return { kind: 'voided' };
  }
  if (isSame(record.debit.request, request)) record.repeats += 1;
  else record.conflicts += 1;
  return { kind: 'debited', receipt: record.debit.receipt };
}

function isSame(first: DebitRequest, second: DebitRequest): boolean {
  return (
    first.payerUserId === second.payerUserId &&
    first.coins === second.coins &&
    first.purpose === second.purpose &&
    first.payees.length === second.payees.length &&
    first.payees.every(({ userId, coins }, at) => {
      const other = second.payees[at];
      return other?.userId === userId && other.coins === coins;
    })
  );
}

/** Neither part can hold a NUL. */
function nameOf(appCode: AppCode, key: string): string {
  return `${appCode}\0${key}`;
}
