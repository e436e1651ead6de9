/** What every Wallet must do, judged by the books of the wallet behind it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, UserId } from '../../../src/domain/ids.ts';
import type { WalletStandIn } from '../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { DebitOutcome, Wallet } from '../../../src/ports/wallet.ts';
import { payee, payer, payment, walletApp, walletKey } from '../../support/wallet-builders.ts';

/** A client, the wallet behind it, and the way to let time pass for both. */
export interface WalletFixture {
  readonly wallet: Wallet;
  readonly standIn: WalletStandIn;
  readonly clock: Clock;
  /** Lets time pass until the call has ended; answers how. */
  ended<T>(call: Promise<T>): Promise<T>;
  /** Lets time pass until `probe` says yes. */
  until(expected: string, probe: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** Coins of everybody in the suites. */
export const openingCoins = 1_000n;
/** A call that is answered ends far earlier. */
export const patienceMs = 5_000;

/** Declares the suite. */
export function walletContract(name: string, makeFixture: () => Promise<WalletFixture>): void {
  describe(`Wallet contract: ${name}`, () => {
    let fixture: WalletFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.close());

    const debit = (change = {}): Promise<DebitOutcome> =>
      fixture.ended(fixture.wallet.debit(payment(change), patienceMs));
    const find = (key = walletKey(1), appCode = walletApp) =>
      fixture.ended(fixture.wallet.find(key, appCode, patienceMs));
    const voidKey = (key = walletKey(1), appCode = walletApp) =>
      fixture.ended(fixture.wallet.void(key, appCode, patienceMs));
    const account = (userId: UserId = payer, appCode: AppCode = walletApp) =>
      fixture.standIn.ledger.account(appCode, userId);

    describe('a debit', () => {
      it('takes the coins once and answers what was written down (EXT-5)', async () => {
        const outcome = await debit();
        expect(outcome).toEqual({
          kind: 'debited',
          receipt: {
            receiptId: expect.stringMatching(/^[\x21-\x7e]{1,128}$/) as unknown,
            payerUserId: payer,
            coins: 10n,
            purpose: payment().purpose,
            balanceAfter: 990n,
            incomeBalanceAfter: 10n,
          },
        });
        expect(account().coins).toBe(990n);
        expect(account(payee)).toMatchObject({ coins: openingCoins, incomeCoins: 10n });
      });

      it('names an income for a single payee only', async () => {
        const several = ['bob', 'carol'].map((id) => ({ userId: id as UserId, coins: 5n }));
        const shared = await debit({ payees: several });
        expect(shared).toMatchObject({ receipt: { incomeBalanceAfter: null } });
        expect([account(payee).incomeCoins, account('carol' as UserId).incomeCoins]).toEqual([
          5n,
          5n,
        ]);
        const none = await debit({ key: walletKey(2), payees: [] });
        expect(none).toMatchObject({ receipt: { incomeBalanceAfter: null } });
      });

      it('that is repeated takes nothing and answers the first receipt (GIFT-3)', async () => {
        const first = await debit();
        await debit({ key: walletKey(2), coins: 100n });
        expect(await debit()).toEqual(first);
        expect(account().coins).toBe(890n);
        expect(account(payee).incomeCoins).toBe(110n);
      });

      it('that comes many times at once takes once', async () => {
        const calls = Array.from({ length: 20 }, () => fixture.wallet.debit(payment(), patienceMs));
        const outcomes = await fixture.ended(Promise.all(calls));
        expect(outcomes[0]?.kind).toBe('debited');
        for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
        expect(account().coins).toBe(990n);
      });

      it.each([
        ['another payer', { payerUserId: 'mallory' as UserId }],
        ['another amount', { coins: 11n }],
        ['another purpose', { purpose: 'something else' }],
        ['other payees', { payees: [] }],
      ])('with %s under a known key shows the first receipt', async (_, change) => {
        const first = await debit();
        expect(await debit(change)).toEqual(first);
        expect([account().coins, account('mallory' as UserId).coins]).toEqual([990n, openingCoins]);
        expect(fixture.standIn.ledger.keys()).toMatchObject([{ repeats: 0, conflicts: 1 }]);
      });

      it('of another app is another debit under the same key', async () => {
        const other = 'other' as AppCode;
        await debit();
        expect(await debit({ appCode: other, coins: 3n })).toMatchObject({
          kind: 'debited',
          receipt: { coins: 3n },
        });
        expect([account().coins, account(payer, other).coins]).toEqual([990n, 997n]);
        expect(await find(walletKey(1), other)).toMatchObject({ receipt: { coins: 3n } });
      });

      it('above the balance takes nothing and leaves the key free', async () => {
        expect(await debit({ coins: 1_001n })).toEqual({ kind: 'insufficient' });
        expect(account().coins).toBe(openingCoins);
        expect(await find()).toEqual({ kind: 'absent' });
        expect(await debit({ coins: 1_000n })).toMatchObject({ receipt: { balanceAfter: 0n } });
      });

      it.each([
        ['no coins', { coins: 0n, payees: [] }],
        ['coins below zero', { coins: -1n, payees: [] }],
        ['more coins than 64 bits hold', { coins: 2n ** 63n, payees: [] }],
        ['a part below zero', { payees: [{ userId: payee, coins: -1n }] }],
        ['parts above the coins', { payees: [{ userId: payee, coins: 11n }] }],
        ['a key of another form', { key: 'k1' }],
        ['a payer who is no user id', { payerUserId: 'a b' as UserId }],
        ['a payee who is no user id', { payees: [{ userId: '' as UserId, coins: 1n }] }],
        ['a purpose that is too long', { purpose: 'p'.repeat(256) }],
      ])('with %s is refused and takes nothing', async (_, change) => {
        expect(await debit(change)).toEqual({
          kind: 'refused',
          cause: expect.stringMatching(/\w/) as unknown,
        });
        expect(fixture.standIn.ledger.entries()).toEqual([]);
      });

      it('keeps every digit of amounts that no double can hold', async () => {
        const odd = 9_007_199_254_740_993n;
        fixture.standIn.ledger.setCoins(walletApp, payer, 2n * odd + 1n);
        const outcome = await debit({ coins: odd });
        expect(outcome).toMatchObject({
          receipt: { coins: odd, balanceAfter: odd + 1n, incomeBalanceAfter: odd },
        });
        expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: odd });
      });
    });

    describe('a find', () => {
      it('shows nothing, then the first receipt, then the void', async () => {
        expect(await find()).toEqual({ kind: 'absent' });
        const outcome = await debit();
        const receipt = outcome.kind === 'debited' ? outcome.receipt : null;
        expect(await find()).toEqual({ kind: 'found', receipt });
        await voidKey();
        expect(await find()).toEqual({ kind: 'voided' });
      });

      it('changes nothing', async () => {
        await find();
        expect(fixture.standIn.ledger.keys()).toEqual([]);
        expect(await debit()).toMatchObject({ kind: 'debited' });
      });
    });

    describe('a void', () => {
      it('gives back what was taken, from payees too, and closes the key', async () => {
        await debit();
        expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: 10n });
        expect([account().coins, account(payee).incomeCoins]).toEqual([openingCoins, 0n]);
        expect(await debit()).toEqual({ kind: 'voided' });
        expect(account().coins).toBe(openingCoins);
      });

      it('of a key without a debit sets a tombstone that no later debit passes', async () => {
        expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: 0n });
        expect(await find()).toEqual({ kind: 'voided' });
        expect(await debit()).toEqual({ kind: 'voided' });
        expect(fixture.standIn.ledger.entries()).toEqual([]);
        expect(fixture.standIn.ledger.keys()).toMatchObject([{ lateDebits: 1 }]);
      });

      it('that is repeated answers the same and gives nothing back again', async () => {
        await debit();
        const first = await voidKey();
        expect(await voidKey()).toEqual(first);
        expect(account().coins).toBe(openingCoins);
      });

      it('touches no other key and no other app', async () => {
        await debit();
        expect(await voidKey(walletKey(2))).toMatchObject({ refundedCoins: 0n });
        expect(await voidKey(walletKey(1), 'other' as AppCode)).toMatchObject({
          refundedCoins: 0n,
        });
        expect(await find()).toMatchObject({ kind: 'found' });
        expect(account().coins).toBe(990n);
      });
    });

    describe('the client', () => {
      const calls: readonly (readonly [string, (wallet: Wallet, timeoutMs: number) => unknown])[] =
        [
          ['debit', (wallet, timeoutMs) => wallet.debit(payment(), timeoutMs)],
          ['find', (wallet, timeoutMs) => wallet.find(walletKey(1), walletApp, timeoutMs)],
          ['void', (wallet, timeoutMs) => wallet.void(walletKey(1), walletApp, timeoutMs)],
        ];

      it.each(calls)('ends a %s within its time when no answer comes', async (command, call) => {
        fixture.standIn.faults.add({ kind: 'applied_then_hang', times: 1, command });
        const timeoutMs = 150;
        const startedMs = fixture.clock.monoMs();
        expect(await fixture.ended(call(fixture.wallet, timeoutMs) as Promise<unknown>)).toEqual({
          kind: 'unknown',
          cause: expect.stringContaining('DEADLINE_EXCEEDED') as unknown,
        });
        const tookMs = fixture.clock.monoMs() - startedMs;
        // A busy machine may be late by as much again as nobody would wait.
        expect(tookMs).toBeLessThan(timeoutMs + 3_000);
      });

      it.each(calls)('ends an open %s at its stop', async (command, call) => {
        fixture.standIn.faults.add({ kind: 'applied_then_hang', times: 1, command });
        const open = call(fixture.wallet, 3_600_000) as Promise<unknown>;
        await fixture.until('the call has arrived', () => {
          return fixture.standIn.faults.show().length === 0;
        });
        await fixture.wallet.stop();
        expect(await fixture.ended(open)).toMatchObject({ kind: 'unknown' });
      });

      it.each(calls)('answers a %s after its stop with a doubt', async (_, call) => {
        await fixture.wallet.stop();
        await fixture.wallet.stop();
        expect(await fixture.ended(call(fixture.wallet, patienceMs) as Promise<unknown>)).toEqual({
          kind: 'unknown',
          cause: expect.stringMatching(/\w/) as unknown,
        });
        expect(fixture.standIn.ledger.keys()).toEqual([]);
      });
    });
  });
}
