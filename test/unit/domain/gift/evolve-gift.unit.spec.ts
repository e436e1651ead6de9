/** What gifts make of a room: heat, sums and their bounds (GIFT-6). */
import { describe, expect, it } from 'vitest';
import { evolveGiftSent } from '../../../../src/domain/gift/evolve-gift.ts';
import { giftSendersMax } from '../../../../src/domain/gift/gift-limits.ts';
import type { RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import { checkGiftSums } from '../../../../src/domain/room/invariants.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  created,
  gifted,
  joined,
} from '../../../support/room-builders.ts';

const room = given(created(), [joined(alice), joined(bob), joined(carol)]);

/** One gift of `coins` to bob, in a version of its own. */
function give(state: RoomState, by: UserId, coins: bigint): RoomState {
  const version = (state.version + 1n) as RoomVersion;
  const position = { version, occurredAtMs: state.lastEventAtMs };
  return { ...evolveGiftSent(state, gifted(by, bob, coins), position), version };
}

describe('a gift', () => {
  it('adds its coins to the heat and to the sum of its sender', () => {
    const state = give(give(give(room.state, alice, 5n), carol, 7n), alice, 1n);
    expect(state.heat).toBe(13n);
    expect(state.giftSenders.get(alice)).toEqual({
      userId: alice,
      coins: 6n,
      reachedAtVersion: 5n,
    });
    expect(state.topGiftSenders.map(({ userId }) => userId)).toEqual([carol, alice]);
  });

  it('that brings a sender level with an earlier one leaves it behind', () => {
    const state = give(give(give(room.state, carol, 6n), alice, 5n), alice, 1n);
    expect(state.topGiftSenders.map(({ userId }) => userId)).toEqual([carol, alice]);
  });

  it('stays in the heat and in the rank when its sender leaves', () => {
    const { state } = given(created(), [joined(alice), joined(bob)], gifted(alice, bob, 5n), {
      type: 'RoomUserLeft',
      userId: alice,
      reason: 'left',
    });
    expect(state.heat).toBe(5n);
    expect(state.topGiftSenders).toMatchObject([{ userId: alice, coins: 5n }]);
  });

  it('without coins, or beyond what heat can hold, is no event that this service ever made', () => {
    const rich = give(room.state, alice, 2n ** 63n - 1n);
    expect(() => give(rich, alice, 1n)).toThrow(InvariantError);
    expect(() => give(room.state, alice, 0n)).toThrow(InvariantError);
    expect(() => give(room.state, alice, -1n)).toThrow(InvariantError);
  });
});

describe('a full table of senders', () => {
  /** Sender n has given n + 2 coins, but for the first three, who have given 2 each. */
  const full = Array.from({ length: giftSendersMax }, (_, n) => n).reduce(
    (state, n) => give(state, asUser(`u${n}`), n < 3 ? 2n : BigInt(n + 2)),
    room.state,
  );

  it('lets the smallest sum go for a new sender, of equal ones the one reached last', () => {
    const one = give(full, alice, 1n);
    expect(one.giftSenders.size).toBe(giftSendersMax);
    expect(['u0', 'u1', 'u2'].map((name) => one.giftSenders.has(name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(one.giftSenders.get(alice)?.coins).toBe(1n);
    expect(checkGiftSums(one)).toBeNull();

    const two = give(one, carol, 1n);
    expect(two.giftSenders.has(alice)).toBe(false);
    expect(two.giftSenders.has('u1')).toBe(true);
    expect(checkGiftSums(two)).toBeNull();
  });

  it('keeps every coin in the heat, also those of a sender who had to go', () => {
    expect(give(full, alice, 1n).heat).toBe(full.heat + 1n);
  });

  it('lets nobody go for a sender whom it holds, and begins anew with one whom it let go', () => {
    const same = give(full, asUser('u2'), 1n);
    expect(same.giftSenders.size).toBe(giftSendersMax);
    expect(same.giftSenders.get('u2')?.coins).toBe(3n);
    // u2 is the one that would go.
    const other = give(full, asUser('u3'), 1n);
    expect(['u2', 'u3'].map((name) => other.giftSenders.get(name)?.coins)).toEqual([2n, 6n]);
    const back = give(give(full, alice, 5n), asUser('u2'), 1n);
    expect(back.giftSenders.get('u2')?.coins).toBe(1n);
  });

  it('ranks a new sender who gives most, and drops the last of the ranked', () => {
    const state = give(full, alice, 1_000_000n);
    expect(state.topGiftSenders).toHaveLength(100);
    expect(state.topGiftSenders[0]?.userId).toBe(alice);
    expect(state.topGiftSenders.at(-1)?.userId).toBe('u9901');
    expect(checkGiftSums(state)).toBeNull();
  });
});
