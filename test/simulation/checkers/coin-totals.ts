/**
 * INV-25, the ring: no coin is made and none is lost, but for prizes, which INV-24 judges. Users who give to each other in a ring, however often and
 * through whatever faults, have together what they began with: less in their accounts by exactly what
 * was debited and not given back, and more in income by exactly the committed gifts.
 */
import type { Checker, CheckerFactory } from './checker.ts';
import { giftsOf } from './paid-gifts.ts';

/** Makes it; see the file header. */
export const coinTotals: CheckerFactory = (world, report): Checker => {
  const { ledger } = world.wallet;
  const fault = (text: string): void => report({ invariant: 'INV-25', text, room: null });

  const checkAccounts = (): void => {
    const moved = new Map<string, bigint>();
    const owing = new Set<string>();
    for (const { kind, appCode, userId, coins } of ledger.entries()) {
      const isLess = kind === 'debit' || kind === 'prizeBack';
      add(moved, `${appCode}/${userId}`, isLess ? -coins : coins);
      if (kind === 'prizeBack') owing.add(`${appCode}/${userId}`);
    }
    for (const { appCode, userId, openingCoins, adjustedCoins, coins } of ledger.allAccounts()) {
      const expected = openingCoins + adjustedCoins + (moved.get(`${appCode}/${userId}`) ?? 0n);
      // Below zero is only who spent a prize before it was taken back with its debit (ADR 20).
      const mayOwe = owing.has(`${appCode}/${userId}`);
      if (coins === expected && (coins >= 0n || mayOwe)) continue;
      fault(
        `${userId} of ${appCode} has ${coins} coins, and what it began with and was moved makes ${expected}`,
      );
    }
  };

  /** What payers have less, receivers have more. */
  const checkIncome = (): void => {
    const given = new Map<string, bigint>();
    for (const { row, events } of giftsOf(world).values()) {
      for (const event of events) {
        if (event.type !== 'RoomGiftSent') continue;
        add(given, `${row.appCode}/${event.targetUserId}`, event.coins);
      }
    }
    for (const { appCode, userId, incomeCoins } of ledger.allAccounts()) {
      const expected = given.get(`${appCode}/${userId}`) ?? 0n;
      if (incomeCoins === expected) continue;
      fault(
        `${userId} of ${appCode} has an income of ${incomeCoins} coins, and the committed gifts to it are worth ${expected}`,
      );
    }
  };

  return {
    invariants: ['INV-25'],
    atEnd: () => {
      checkAccounts();
      checkIncome();
    },
  };
};

function add(sums: Map<string, bigint>, of: string, coins: bigint): void {
  sums.set(of, (sums.get(of) ?? 0n) + coins);
}
