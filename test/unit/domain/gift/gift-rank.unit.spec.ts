/** The rank of senders (decision 13): its order, and its first places kept from gift to gift. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topGiftSendersMax } from '../../../../src/domain/gift/gift-limits.ts';
import {
  compareGiftSenders,
  giftRank,
  topOfGiftSenders,
  withGiftSender,
} from '../../../../src/domain/gift/gift-rank.ts';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import type { GiftSender } from '../../../../src/domain/room/state.ts';
import { asUser } from '../../../support/room-builders.ts';

const senderOf = (name: string, coins: bigint, version = 1n): GiftSender => ({
  userId: asUser(name),
  coins,
  reachedAtVersion: version as RoomVersion,
});
const names = (senders: readonly GiftSender[]): readonly string[] =>
  senders.map(({ userId }) => userId);

describe('the order of senders', () => {
  it('is by coins, of equal ones by earlier reach, then by user id (GIFT-6)', () => {
    const senders = [
      senderOf('d', 5n, 2n),
      senderOf('e', 4n, 1n),
      senderOf('c', 5n, 1n),
      senderOf('b', 5n, 1n),
      senderOf('a', 9_007_199_254_740_993n, 9n),
      senderOf('z', 9_007_199_254_740_992n, 1n),
    ];
    expect(names(topOfGiftSenders(senders))).toEqual(['a', 'z', 'b', 'c', 'd', 'e']);
  });

  it('is the same whatever order the senders come in', () => {
    const [left, right] = [senderOf('a', 1n), senderOf('b', 1n)];
    expect(compareGiftSenders(left, right)).toBeLessThan(0);
    expect(compareGiftSenders(right, left)).toBeGreaterThan(0);
    expect(compareGiftSenders(left, left)).toBe(0);
  });
});

describe('the kept first places', () => {
  const steps = fc.array(
    fc.record({ number: fc.nat(topGiftSendersMax + 40), coins: fc.bigInt({ min: 1n, max: 4n }) }),
    { minLength: topGiftSendersMax, maxLength: 600, size: 'max' },
  );

  it('are those of all senders sorted, after every gift of any history', () => {
    fc.assert(
      fc.property(steps, (gifts) => {
        const all = new Map<string, GiftSender>();
        let top: readonly GiftSender[] = [];
        gifts.forEach(({ number, coins }, index) => {
          const name = `u${number}`;
          const sum = (all.get(name)?.coins ?? 0n) + coins;
          const sender = senderOf(name, sum, BigInt(index + 1));
          all.set(name, sender);
          top = withGiftSender(top, sender);
          expect(top.length).toBe(Math.min(all.size, topGiftSendersMax));
        });
        expect(top).toEqual(topOfGiftSenders(all.values()));
      }),
      // Making a history of hundreds of gifts smaller takes minutes and tells no more; the seed does.
      { numRuns: 40, endOnFailure: true },
    );
  }, 30_000);

  it('hold nobody twice and let the last go when one more comes before it', () => {
    const full = Array.from({ length: topGiftSendersMax }, (_, n) =>
      senderOf(`u${n}`, 10n, BigInt(n)),
    );
    const late = senderOf('late', 10n, 1_000n);
    expect(withGiftSender(full, late)).toEqual(full);
    const ahead = withGiftSender(full, senderOf('new', 11n, 1_000n));
    expect(names(ahead)).toEqual(['new', ...names(full.slice(0, -1))]);
    const moved = withGiftSender(ahead, senderOf('u5', 12n, 1_001n));
    expect(names(moved).slice(0, 3)).toEqual(['u5', 'new', 'u0']);
    expect(new Set(names(moved)).size).toBe(topGiftSendersMax);
  });

  it('are shown with their places, as many as asked for', () => {
    const top = [senderOf('a', 3n), senderOf('b', 2n), senderOf('c', 1n)];
    expect(giftRank(top, 2)).toEqual([
      { userId: 'a', coins: 3n, rank: 1 },
      { userId: 'b', coins: 2n, rank: 2 },
    ]);
    expect(giftRank(top, 20)).toHaveLength(3);
  });
});
