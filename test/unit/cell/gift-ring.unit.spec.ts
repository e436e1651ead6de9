/**
 * The ring (INV-25): users who each give to the next, through a wallet that lies in every way, over an
 * owner that dies in the middle. Goal: no coin is made and none is lost. Method: the wallet's accounts
 * of everybody, before and after, with what its own entries say was won.
 */
import { describe, expect, it } from 'vitest';
import type { WalletFaultKind } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import type { CellRig, RigNode } from '../../support/cell-rig.ts';
import {
  booksAgree,
  giftBody,
  openGiftRig,
  openingCoins,
  orderFault,
  passTime,
  sell,
} from '../../support/gift-rig.ts';

const ring = ['u1', 'u2', 'u3', 'u4', 'u5'];
const lies: readonly WalletFaultKind[] = [
  ...(['applied_then_unavailable', 'applied_then_internal', 'applied_then_hang', 'slow'] as const),
  ...(['late', 'twice', 'unavailable', 'wrong_amount', 'wrong_payer', 'find_lags'] as const),
];

/** What everybody has and got, less what prizes brought. */
function coinsInTheRing({ wallet }: CellRig): bigint {
  const sum = (of: readonly bigint[]): bigint => of.reduce((all, one) => all + one, 0n);
  const { ledger } = wallet;
  const held = sum(ledger.allAccounts().map(({ coins, incomeCoins }) => coins + incomeCoins));
  const won = ledger.entries().map(({ kind, coins }) => {
    if (kind === 'prize') return coins;
    return kind === 'prizeBack' ? -coins : 0n;
  });
  return held - sum(won);
}

/** Everybody gives a rose and a lucky gift to the next, all at once; resolves when all have ended. */
async function goRound(rig: CellRig, node: RigNode, round: number): Promise<void> {
  const sent = ring.flatMap((user, at) => {
    const next = [ring[(at + 1) % ring.length] ?? user];
    return ['rose', 'clover'].map((gift) =>
      rig.send('r1', `${gift}-${round}-${user}`, user, giftBody(next, 1, gift)),
    );
  });
  await passTime(rig, `round ${round} has ended`, () =>
    sent.every((id) => node.replies.byCorrelation.has(id)),
  );
}

describe('users in a ring who each give to the next', () => {
  it('have together what they began with, whatever the wallet does and whoever dies (INV-25)', async () => {
    const { rig, node } = await openGiftRig();
    await sell(rig, 'clover', 20n, true);
    let owner = node;
    for (const [round, kind] of lies.entries()) {
      orderFault(rig, { kind, times: 3, delayMs: 500 });
      await goRound(rig, owner, round);
      if (round !== 4) continue;
      owner.source.assign([]);
      await owner.cell.stop();
      owner = await rig.startNode('b');
    }
    rig.wallet.faults.clear();
    await passTime(rig, 'nothing is open', () =>
      [...rig.database.settlements.values()].every(({ status }) => status === 'settled'),
    );
    await booksAgree(rig);
    expect(coinsInTheRing(rig)).toBe(BigInt(ring.length) * openingCoins);
    // Coins did go round.
    expect([...rig.database.rooms.values()][0]?.heat).toBeGreaterThan(500n);
  });
});
