/** The books hold, whatever comes in whatever order, and however often. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppCode, UserId } from '../../../../src/domain/ids.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { WalletLedger } from '../../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { LedgerEntry } from '../../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { WalletReceipt } from '../../../../src/ports/wallet.ts';
import { payer, payment, walletApp, walletKey } from '../../../support/wallet-builders.ts';

const apps = ['app1', 'app2'] as AppCode[];
const users = ['u1', 'u2', 'u3'] as UserId[];
const openingCoins = 50n;
const runs = 500;

const place = {
  key: fc.integer({ min: 0, max: 4 }).map(walletKey),
  appCode: fc.constantFrom(...apps),
};
const coins = fc.bigInt({ min: 1n, max: 30n });
const debits = fc
  .record({
    ...place,
    payerUserId: fc.constantFrom(...users),
    coins,
    payees: fc.array(fc.constantFrom(...users), { maxLength: 3 }),
    takesInstead: fc.option(coins, { freq: 5 }),
  })
  .map(({ payees, takesInstead, ...rest }) => ({
    kind: 'debit' as const,
    // The parts must not exceed the coins: as many payees as there are coins, one coin for each.
    request: payment({
      ...rest,
      payees: payees.slice(0, Number(rest.coins)).map((userId) => ({ userId, coins: 1n })),
    }),
    takesInstead,
  }));
const steps = fc.oneof(
  { weight: 4, arbitrary: debits },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('void' as const), ...place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('find' as const), ...place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      appCode: place.appCode,
      userId: fc.constantFrom(...users),
      coins: fc.bigInt({ min: 0n, max: 100n }),
    }),
  },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;
/** Steps, some of which come again later, as calls over a network do. */
const histories = fc
  .array(steps, { minLength: 1, maxLength: 25 })
  .chain((once) =>
    fc
      .shuffledSubarray(once)
      .chain((again) => fc.constantFrom([...once, ...again], [...again, ...once])),
  );

function newLedger(): WalletLedger {
  return new WalletLedger({ clock: new VirtualTime(), openingCoins });
}

function sumOf(entries: readonly LedgerEntry[], kind: LedgerEntry['kind']): bigint {
  return entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.coins : sum), 0n);
}

/** Does a step and judges its answer by what was answered under its key before. */
function play(ledger: WalletLedger, step: Step, told: Map<string, WalletReceipt | 'voided'>): void {
  if (step.kind === 'set') {
    ledger.setCoins(step.appCode, step.userId, step.coins);
    return;
  }
  const { key, appCode } = step.kind === 'debit' ? step.request : step;
  const name = `${appCode} ${key}`;
  const before = told.get(name);
  if (step.kind === 'void') {
    const refundedCoins = expect.any(BigInt) as unknown as bigint;
    expect(ledger.void(key, appCode)).toEqual({ kind: 'voided', refundedCoins });
    told.set(name, 'voided');
    return;
  }
  if (step.kind === 'find') {
    const expected =
      before === undefined
        ? { kind: 'absent' }
        : before === 'voided'
          ? { kind: 'voided' }
          : { kind: 'found', receipt: before };
    expect(ledger.find(key, appCode)).toEqual(expected);
    return;
  }
  const instead = step.takesInstead === null ? {} : { coins: step.takesInstead };
  const answer = ledger.debit(step.request, instead);
  if (before === 'voided') expect(answer).toEqual({ kind: 'voided' });
  else if (before !== undefined) expect(answer).toEqual({ kind: 'debited', receipt: before });
  else if (answer.kind === 'debited') told.set(name, answer.receipt);
  else expect(answer).toEqual({ kind: 'insufficient' });
}

/** What must hold at any time, counted from the entries alone. */
function judge(ledger: WalletLedger): void {
  const entries = ledger.entries();
  for (const account of ledger.allAccounts()) {
    const own = entries.filter(
      ({ appCode, userId }) => appCode === account.appCode && userId === account.userId,
    );
    expect(account.coins).toBe(
      openingCoins + account.adjustedCoins - sumOf(own, 'debit') + sumOf(own, 'refund'),
    );
    expect(account.coins >= 0n).toBe(true);
    expect(account.incomeCoins >= 0n).toBe(true);
  }
  for (const { appCode, key, state } of ledger.keys()) {
    const own = entries.filter((entry) => entry.appCode === appCode && entry.key === key);
    expect(own.map(({ kind }) => kind).join(' ')).toMatch(
      state === 'voided' ? /^(debit refund)?$/ : /^debit$/,
    );
    expect(sumOf(own, 'refund') <= sumOf(own, 'debit')).toBe(true);
    expect(new Set(own.map(({ coins: moved }) => moved)).size).toBeLessThanOrEqual(1);
    expect(new Set(own.map(({ userId }) => userId)).size).toBeLessThanOrEqual(1);
  }
}

describe('the ledger', () => {
  it('keeps balances and keys true through any history with repeats', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        const told = new Map<string, WalletReceipt | 'voided'>();
        for (const step of history) play(ledger, step, told);
        judge(ledger);
      }),
      { numRuns: runs },
    );
  });

  it('gives everything back when every key is voided', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ledger = newLedger();
        const told = new Map<string, WalletReceipt | 'voided'>();
        for (const step of history) play(ledger, step, told);
        for (const { key, appCode } of ledger.keys()) ledger.void(key, appCode);
        for (const account of ledger.allAccounts()) {
          expect(account.coins).toBe(openingCoins + account.adjustedCoins);
          expect(account.incomeCoins).toBe(0n);
        }
      }),
      { numRuns: runs },
    );
  });

  it('tells the same request again from another one, and both from one behind a void', () => {
    const ledger = newLedger();
    ledger.debit(payment());
    ledger.debit(payment());
    ledger.debit(payment({ coins: 11n }));
    ledger.void(walletKey(1), walletApp);
    ledger.debit(payment());
    expect(ledger.keys()).toEqual([
      {
        appCode: walletApp,
        key: walletKey(1),
        state: 'voided',
        repeats: 1,
        conflicts: 1,
        lateDebits: 1,
      },
    ]);
  });

  it('never gives two debits one receipt id', () => {
    const ledger = newLedger();
    const ids = [1, 2, 3].map((nth) => {
      const answer = ledger.debit(payment({ key: walletKey(nth), coins: 1n }));
      return answer.kind === 'debited' ? answer.receipt.receiptId : answer.kind;
    });
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id.startsWith('receipt-'))).toBe(true);
  });

  it('opens an account for who is looked at, but does not write it down', () => {
    const ledger = newLedger();
    expect(ledger.account(walletApp, payer).coins).toBe(openingCoins);
    expect(ledger.allAccounts()).toEqual([]);
    expect(() => ledger.setCoins(walletApp, payer, -1n)).toThrow(/never below zero/);
  });
});
