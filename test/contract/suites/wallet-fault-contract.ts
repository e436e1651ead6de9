/** How every fault that can be ordered at the wallet looks to its client, and in the books. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orderWalletFault } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import type { WalletFault } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import { payee, payer, payment, walletApp, walletKey } from '../../support/wallet-builders.ts';
import { openingCoins, patienceMs } from './wallet-contract.ts';
import type { WalletFixture } from './wallet-contract.ts';

/** Until a client gives up on a call that is not to be answered; it must arrive before that. */
const shortMs = 500;
/** Machines round times, and either side keeps its own. */
const roundingMs = 20;

/** Declares the suite. */
export function walletFaultContract(name: string, makeFixture: () => Promise<WalletFixture>): void {
  describe(`faults of a wallet: ${name}`, () => {
    let fixture: WalletFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.close());

    const order = (fault: Partial<WalletFault> & Pick<WalletFault, 'kind'>): void => {
      expect(orderWalletFault(fixture.standIn.faults, { times: 1, ...fault })).toBeNull();
    };
    const debit = (timeoutMs = patienceMs, change = {}) =>
      fixture.ended(fixture.wallet.debit(payment(change), timeoutMs));
    const find = () => fixture.ended(fixture.wallet.find(walletKey(1), walletApp, patienceMs));
    const voidKey = (timeoutMs = patienceMs) =>
      fixture.ended(fixture.wallet.void(walletKey(1), walletApp, timeoutMs));
    const coins = () => fixture.standIn.ledger.account(walletApp, payer).coins;
    const firstKey = () => fixture.standIn.ledger.keys()[0];

    it('unavailable: nothing is taken, and the next try succeeds', async () => {
      order({ kind: 'unavailable' });
      expect(await debit()).toMatchObject({ kind: 'unknown' });
      expect(coins()).toBe(openingCoins);
      expect(await debit()).toMatchObject({ kind: 'debited' });
    });

    it.each([
      ['applied_then_unavailable', 'UNAVAILABLE'],
      ['applied_then_internal', 'INTERNAL'],
      ['applied_then_hang', 'DEADLINE_EXCEEDED'],
    ] as const)('%s: the coins are gone and the caller does not know', async (kind, cause) => {
      order({ kind });
      const timeoutMs = kind === 'applied_then_hang' ? shortMs : patienceMs;
      expect(await debit(timeoutMs)).toEqual({
        kind: 'unknown',
        cause: expect.stringContaining(cause) as unknown,
      });
      expect(coins()).toBe(990n);
      expect(await find()).toMatchObject({ kind: 'found', receipt: { balanceAfter: 990n } });
      expect(await debit()).toMatchObject({ kind: 'debited', receipt: { balanceAfter: 990n } });
      expect(coins()).toBe(990n);
    });

    it('slow: the coins are taken at once and the answer comes later', async () => {
      order({ kind: 'slow', delayMs: 60 });
      const startedMs = fixture.clock.monoMs();
      const outcome = fixture.wallet.debit(payment(), patienceMs);
      await fixture.until('the coins are taken', () => coins() === 990n);
      expect(await fixture.ended(outcome)).toMatchObject({ kind: 'debited' });
      expect(fixture.clock.monoMs() - startedMs).toBeGreaterThanOrEqual(60);
    });

    it('late: the coins are taken after the caller gave up', async () => {
      order({ kind: 'late', delayMs: 60 });
      const calledAtMs = fixture.clock.wallMs();
      expect(await debit(shortMs)).toMatchObject({ kind: 'unknown' });
      await fixture.until('the late debit is in the books', () => coins() === 990n);
      const [entry] = fixture.standIn.ledger.entries();
      expect(entry?.atMs).toBeGreaterThanOrEqual(calledAtMs + shortMs + 60 - roundingMs);
      expect(await find()).toMatchObject({ kind: 'found' });
    });

    it('late: a debit that arrives behind a void takes nothing', async () => {
      order({ kind: 'late', delayMs: 1_000 });
      expect(await debit(shortMs)).toMatchObject({ kind: 'unknown' });
      expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: 0n });
      await fixture.until('the late debit has arrived', () => firstKey()?.lateDebits === 1);
      expect(coins()).toBe(openingCoins);
    });

    it('twice: a call that arrives twice takes once', async () => {
      order({ kind: 'twice' });
      expect(await debit()).toMatchObject({ kind: 'debited', receipt: { balanceAfter: 990n } });
      expect(coins()).toBe(990n);
      expect(firstKey()).toMatchObject({ repeats: 1, conflicts: 0 });
    });

    it('insufficient and refuse: the debit ends so, and the key stays free', async () => {
      order({ kind: 'insufficient' });
      order({ kind: 'refuse' });
      expect(await debit()).toEqual({ kind: 'insufficient' });
      expect(await debit()).toMatchObject({ kind: 'refused' });
      expect(coins()).toBe(openingCoins);
      expect(await debit()).toMatchObject({ kind: 'debited' });
    });

    it('wrong_amount: another amount is taken, written down and given back', async () => {
      order({ kind: 'wrong_amount' });
      expect(await debit()).toMatchObject({ receipt: { coins: 11n, balanceAfter: 989n } });
      expect(await find()).toMatchObject({ receipt: { coins: 11n } });
      expect(coins()).toBe(989n);
      expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: 11n });
      expect(coins()).toBe(openingCoins);
    });

    it('wrong_payer: the receipt names another, whoever asks for it', async () => {
      order({ kind: 'wrong_payer' });
      expect(await debit()).toMatchObject({ receipt: { payerUserId: 'somebody-else' } });
      expect(await find()).toMatchObject({ receipt: { payerUserId: 'somebody-else' } });
      expect(coins()).toBe(990n);
    });

    it('wrong_purpose: the receipt is for something else, whoever asks for it', async () => {
      order({ kind: 'wrong_purpose' });
      expect(await debit()).toMatchObject({ receipt: { purpose: 'something else' } });
      expect(await find()).toMatchObject({ receipt: { purpose: 'something else' } });
    });

    it('find_lags: a find does not see what was written a moment ago, and later does', async () => {
      await debit();
      order({ kind: 'find_lags', times: null, delayMs: 2_000 });
      expect(await find()).toEqual({ kind: 'absent' });
      expect(coins()).toBe(990n);
      await fixture.until('the find has caught up', async () => (await find()).kind === 'found');
    });

    it('find_lags without a time: absent although it was debited', async () => {
      await debit();
      order({ kind: 'find_lags' });
      expect(await find()).toEqual({ kind: 'absent' });
      expect(await find()).toMatchObject({ kind: 'found' });
    });

    it('a void that fails several times gives back once', async () => {
      await debit();
      order({ kind: 'unavailable', command: 'void', times: 2 });
      order({ kind: 'applied_then_hang', command: 'void' });
      for (const timeoutMs of [patienceMs, patienceMs, shortMs]) {
        expect(await voidKey(timeoutMs)).toMatchObject({ kind: 'unknown' });
      }
      expect(await voidKey()).toEqual({ kind: 'voided', refundedCoins: 10n });
      expect(coins()).toBe(openingCoins);
      expect(fixture.standIn.ledger.account(walletApp, payee).incomeCoins).toBe(0n);
    });

    it('late: a void closes the key after its caller gave up', async () => {
      await debit();
      order({ kind: 'late', command: 'void', delayMs: 60 });
      const calledAtMs = fixture.clock.wallMs();
      expect(await voidKey(shortMs)).toMatchObject({ kind: 'unknown' });
      await fixture.until('the late void is in the books', () => coins() === openingCoins);
      const [, entry] = fixture.standIn.ledger.entries();
      expect(entry?.atMs).toBeGreaterThanOrEqual(calledAtMs + shortMs + 60 - roundingMs);
    });

    it('a fault with a chance hits its share of the calls', async () => {
      order({ kind: 'unavailable', times: null, chance: 0.5 });
      const kinds = new Set<string>();
      await fixture.until('both ends were seen', async () => {
        kinds.add((await find()).kind);
        return kinds.size === 2;
      });
      expect(kinds).toEqual(new Set(['unknown', 'absent']));
    });
  });
}
