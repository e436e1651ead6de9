/**
 * The wallet stand-in's pages at the control interface: `GET /sandbox/wallet/balances` shows who has
 * what and `POST` sets it, `GET /sandbox/wallet/ledger` shows every entry with sums per key, counted
 * from the entries alone. Coins are decimal texts.
 */
import { userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, UserId } from '../../domain/ids.ts';
import type { LedgerAccount, LedgerEntry, WalletLedger } from '../wallet-stand-in/wallet-ledger.ts';
import type { JsonAnswer, JsonRequest } from './http-json.ts';
import { jsonObject, textField } from '../json-fields.ts';

/** What stands under one key; `debits` above 1 would be a key that was debited twice. */
export interface ShownKey {
  readonly app_code: string;
  readonly key: string;
  readonly state: 'debited' | 'voided';
  readonly debits: number;
  readonly refunds: number;
  readonly debited_coins: string;
  readonly refunded_coins: string;
  readonly prize_coins: string;
  /** Debits that came again: the same request, another request, after a void. */
  readonly repeats: number;
  readonly conflicts: number;
  readonly late_debits: number;
}

interface Sums {
  debits: number;
  refunds: number;
  debitedCoins: bigint;
  refundedCoins: bigint;
  /** Paid, less what was taken back. */
  prizeCoins: bigint;
}

/** What `setCoins` may set: far below 2^63, so that refunds never pass it. */
const coinsPattern = /^\d{1,18}$/;

/** The page that the request asks for; null: none of the wallet's. */
export function walletPage(ledger: WalletLedger, request: JsonRequest): JsonAnswer | null {
  switch (`${request.method} ${request.url.pathname}`) {
    case 'GET /sandbox/wallet/balances':
      return shown(balances(ledger));
    case 'POST /sandbox/wallet/balances':
      return setBalance(ledger, request.text);
    case 'GET /sandbox/wallet/ledger':
      return shown(wholeLedger(ledger));
    default:
      return null;
  }
}

function balances(ledger: WalletLedger): unknown {
  return {
    opening_coins: String(ledger.openingCoins),
    balances: ledger.allAccounts().map(shownAccount),
  };
}

/** `{"app_code":"demo","user_id":"alice","coins":"500"}`; answers the balance as it is then. */
function setBalance(ledger: WalletLedger, text: string): JsonAnswer {
  const value = jsonObject(text);
  const appCode = textField(value, 'app_code') as AppCode;
  const userId = textField(value, 'user_id') as UserId;
  const coins = textField(value, 'coins');
  if (wideIdFault(appCode) !== null) return refuse('app_code is missing or malformed');
  if (userIdFault(userId) !== null) return refuse('user_id is missing or malformed');
  if (!coinsPattern.test(coins)) return refuse('coins must be a text of up to 18 digits');
  if (!ledger.setCoins(appCode, userId, BigInt(coins))) return refuse('the books are full');
  return shown(shownAccount(ledger.account(appCode, userId)));
}

function wholeLedger(ledger: WalletLedger): unknown {
  const entries = ledger.entries();
  const byKey = new Map<string, Sums>();
  const total = noSums();
  for (const entry of entries) {
    const name = `${entry.appCode}\0${entry.key}`;
    const sums = byKey.get(name) ?? noSums();
    byKey.set(name, sums);
    for (const into of [sums, total]) add(into, entry);
  }
  const keys = ledger.keys().map(({ appCode, key, lateDebits, ...known }): ShownKey => {
    const sums = byKey.get(`${appCode}\0${key}`) ?? noSums();
    return { app_code: appCode, key, ...known, late_debits: lateDebits, ...shownSums(sums) };
  });
  const conflicts = keys.reduce((sum, key) => sum + key.conflicts, 0);
  return { sums: shownSums(total), conflicts, keys, entries: entries.map(shownEntry) };
}

function noSums(): Sums {
  return { debits: 0, refunds: 0, debitedCoins: 0n, refundedCoins: 0n, prizeCoins: 0n };
}

function add(sums: Sums, { kind, coins }: LedgerEntry): void {
  switch (kind) {
    case 'debit':
      sums.debits += 1;
      sums.debitedCoins += coins;
      break;
    case 'refund':
      sums.refunds += 1;
      sums.refundedCoins += coins;
      break;
    case 'prize':
      sums.prizeCoins += coins;
      break;
    case 'prizeBack':
      sums.prizeCoins -= coins;
  }
}

function shownSums({ debits, refunds, debitedCoins, refundedCoins, prizeCoins }: Sums) {
  return {
    debits,
    refunds,
    debited_coins: String(debitedCoins),
    refunded_coins: String(refundedCoins),
    prize_coins: String(prizeCoins),
  };
}

function shownEntry({ kind, appCode, key, userId, coins, atMs }: LedgerEntry): unknown {
  return { kind, app_code: appCode, key, user_id: userId, coins: String(coins), at_ms: atMs };
}

function shownAccount(account: LedgerAccount): unknown {
  return {
    app_code: account.appCode,
    user_id: account.userId,
    opening_coins: String(account.openingCoins),
    adjusted_coins: String(account.adjustedCoins),
    coins: String(account.coins),
    income_coins: String(account.incomeCoins),
  };
}

function shown(body: unknown): JsonAnswer {
  return { kind: 'json', status: 200, body };
}

function refuse(error: string): JsonAnswer {
  return { kind: 'json', status: 400, body: { error } };
}
