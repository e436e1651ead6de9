/** What every Wallet must do about prizes, judged by the books of the wallet behind it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, UserId } from '../../../src/domain/ids.ts';
import type { PrizeOutcome, PrizeRequest } from '../../../src/ports/wallet.ts';
import { payer, payment, walletApp, walletKey } from '../../support/wallet-builders.ts';
import { patienceMs, type WalletFixture } from './wallet-contract.ts';

const prize: PrizeRequest = {
  key: walletKey(7),
  debitKey: walletKey(1),
  appCode: walletApp,
  winnerUserId: payer,
  coins: 25n,
  drawId: 'draw-1',
};

/** Declares the suite. */
export function walletPrizeContract(name: string, makeFixture: () => Promise<WalletFixture>): void {
  describe(`Wallet contract for prizes: ${name}`, () => {
    let fixture: WalletFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
      await fixture.ended(fixture.wallet.debit(payment(), patienceMs));
    });
    afterEach(() => fixture.close());

    const pay = (change: Partial<PrizeRequest> = {}): Promise<PrizeOutcome> =>
      fixture.ended(fixture.wallet.payPrize({ ...prize, ...change }, patienceMs));
    const giveBack = () => fixture.ended(fixture.wallet.void(walletKey(1), walletApp, patienceMs));
    const coins = (): bigint => fixture.standIn.ledger.account(walletApp, payer).coins;

    it('pays once per key and answers what was written down (LUCKY-3)', async () => {
      const first = await pay();
      expect(first).toEqual({
        kind: 'paid',
        receipt: {
          receiptId: expect.stringMatching(/^[\x21-\x7e]{1,128}$/) as unknown,
          winnerUserId: payer,
          coins: 25n,
          balanceAfter: 1_015n,
        },
      });
      expect(await pay({ coins: 99n, winnerUserId: 'mallory' as UserId })).toEqual(first);
      expect(coins()).toBe(1_015n);
    });

    it('takes prizes back with their debit, and pays none behind it', async () => {
      await pay();
      expect(await giveBack()).toEqual({ kind: 'voided', refundedCoins: 10n });
      expect(coins()).toBe(1_000n);
      expect(await pay()).toEqual({ kind: 'voided' });
      expect(await pay({ key: walletKey(8) })).toEqual({ kind: 'voided' });
      await giveBack();
      expect(coins()).toBe(1_000n);
    });

    it('pays nothing for a debit that is not there, and leaves the key free', async () => {
      expect(await pay({ debitKey: walletKey(2) })).toMatchObject({ kind: 'refused' });
      expect(await pay()).toMatchObject({ kind: 'paid' });
    });

    it.each([
      ['no coins', { coins: 0n }],
      ['more coins than 64 bits hold', { coins: 2n ** 63n }],
      ['a key of another form', { key: 'k1' }],
      ['a winner who is no user id', { winnerUserId: 'a b' as UserId }],
    ])('refuses a prize with %s', async (_, change) => {
      expect(await pay(change)).toMatchObject({ kind: 'refused' });
      expect(coins()).toBe(990n);
    });

    it('keeps apps apart', async () => {
      expect(await pay({ appCode: 'other' as AppCode })).toMatchObject({ kind: 'refused' });
    });

    it('doubts what it did not hear; the next call hears of the one payment', async () => {
      fixture.standIn.faults.add({ kind: 'applied_then_internal', times: 1, command: 'prize' });
      expect(await pay()).toMatchObject({ kind: 'unknown' });
      expect(await pay()).toMatchObject({ kind: 'paid', receipt: { balanceAfter: 1_015n } });
      expect(coins()).toBe(1_015n);
    });

    it('ends a call within its time when no answer comes, and at its stop', async () => {
      fixture.standIn.faults.add({ kind: 'applied_then_hang', times: 1, command: 'prize' });
      const call = fixture.wallet.payPrize(prize, 150);
      expect(await fixture.ended(call)).toMatchObject({ kind: 'unknown' });
      await fixture.wallet.stop();
      expect(await pay()).toMatchObject({ kind: 'unknown' });
    });
  });
}
