/** The twin of the wallet client keeps the wallet's contract, in virtual time. */
import { describe, expect, it } from 'vitest';
import { createMemoryWallet } from '../../../../src/drivers/memory/memory-wallet.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { settled, VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { WalletStandIn } from '../../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import { openingCoins, walletContract } from '../../../contract/suites/wallet-contract.ts';
import type { WalletFixture } from '../../../contract/suites/wallet-contract.ts';
import { walletFaultContract } from '../../../contract/suites/wallet-fault-contract.ts';
import { walletPrizeContract } from '../../../contract/suites/wallet-prize-contract.ts';
import { payment } from '../../../support/wallet-builders.ts';

const hourMs = 3_600_000;

function makeFixture() {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const random = createSeededRandom('wallet');
  const standIn = new WalletStandIn({ clock: time, timers: time, random, openingCoins });
  const wallet = createMemoryWallet(standIn, time);
  const passUntil = async (expected: string, probe: () => boolean): Promise<void> => {
    await settled();
    while (!probe()) {
      if (time.monoMs() > hourMs) throw new Error(`waited an hour for: ${expected}`);
      await time.advance(1);
    }
  };
  const ended = async <T>(call: Promise<T>): Promise<T> => {
    let hasEnded = false;
    const note = (): void => void (hasEnded = true);
    call.then(note, note);
    await passUntil('the call has ended', () => hasEnded);
    return call;
  };
  const fixture: WalletFixture = {
    wallet,
    standIn,
    clock: time,
    ended,
    async until(expected, probe) {
      for (;;) {
        if (await probe()) return;
        if (time.monoMs() > hourMs) throw new Error(`waited an hour for: ${expected}`);
        await time.advance(1);
      }
    },
    async close() {
      await wallet.stop();
      standIn.stop();
    },
  };
  return { time, ...fixture };
}

walletContract('in memory', () => Promise.resolve(makeFixture()));
walletFaultContract('in memory', () => Promise.resolve(makeFixture()));
walletPrizeContract('in memory', () => Promise.resolve(makeFixture()));

describe('the wallet in memory', () => {
  it('leaves no timer behind a call that was answered, nor behind its stop', async () => {
    const { wallet, standIn, time } = makeFixture();
    await wallet.debit(payment(), 1_000);
    expect(time.pending).toBe(0);
    standIn.faults.add({ kind: 'applied_then_hang', times: 1 });
    standIn.faults.add({ kind: 'slow', times: 1 });
    standIn.faults.add({ kind: 'late', times: 1 });
    const calls = [1, 2, 3].map(() => wallet.debit(payment(), 1_000));
    await settled();
    await wallet.stop();
    for (const outcome of await Promise.all(calls)) expect(outcome.kind).toBe('unknown');
    await settled();
    // The late call is the wallet's own business by now.
    expect(time.pending).toBe(1);
    standIn.stop();
    await settled();
    expect(time.pending).toBe(0);
  });

  it('ends a call exactly at its time', async () => {
    const { wallet, standIn, time } = makeFixture();
    standIn.faults.add({ kind: 'applied_then_hang', times: 1 });
    let endedAtMs: number | null = null;
    const call = wallet.debit(payment(), 250).then(() => (endedAtMs = time.monoMs()));
    await time.advance(249);
    expect(endedAtMs).toBeNull();
    await time.advance(1);
    await call;
    expect(endedAtMs).toBe(250);
  });

  it('takes a late debit only while the wallet runs, whether or not its client does', async () => {
    const { wallet, standIn, time } = makeFixture();
    standIn.faults.add({ kind: 'late', times: 1, delayMs: 500 });
    const call = wallet.debit(payment(), 100);
    await settled();
    await wallet.stop();
    await call;
    await time.advance(499);
    expect(standIn.ledger.entries()).toHaveLength(0);
    await time.advance(1);
    expect(standIn.ledger.entries()).toHaveLength(1);

    const other = makeFixture();
    other.standIn.faults.add({ kind: 'late', times: 1, delayMs: 500 });
    const unanswered = other.wallet.debit(payment(), 100);
    await other.time.advance(200);
    expect(await unanswered).toMatchObject({ kind: 'unknown' });
    other.standIn.stop();
    await other.time.advance(1_000);
    expect(other.standIn.ledger.entries()).toHaveLength(0);
  });
});
