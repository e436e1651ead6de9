/** The table of bans and the list of those that end by themselves. */
import { describe, expect, it } from 'vitest';
import {
  activeBan,
  compareBanEnds,
  temporaryBansOf,
  withBan,
  withoutBan,
} from '../../../../src/domain/bans/ban-table.ts';
import type { RoomBan, RoomState } from '../../../../src/domain/room/state.ts';
import { given } from '../../../support/decider-spec.ts';
import { alice, bob, carol, created } from '../../../support/room-builders.ts';

const room = given(created()).state;

function ban(userId: typeof alice, expiresAtMs: number): RoomBan {
  return { userId, byUserId: carol, reason: '', bannedAtMs: 1, expiresAtMs };
}

const both = [ban(bob, 50), ban(alice, 50)].reduce(withBan, room);
const usersOf = (state: RoomState) => state.temporaryBans.map(({ userId }) => userId);

describe('compareBanEnds', () => {
  it('puts the earlier end first, and of equal ends the lower user id, from both sides', () => {
    expect(compareBanEnds(ban(bob, 49), ban(alice, 50))).toBeLessThan(0);
    expect(compareBanEnds(ban(alice, 50), ban(bob, 49))).toBeGreaterThan(0);
    expect(compareBanEnds(ban(alice, 50), ban(bob, 50))).toBeLessThan(0);
    expect(compareBanEnds(ban(bob, 50), ban(alice, 50))).toBeGreaterThan(0);
  });
});

describe('withBan and withoutBan', () => {
  it('the list is what a recovered room would make of the table', () => {
    const mixed = withBan(withBan(both, ban(carol, 0)), ban(bob, 40));
    expect(usersOf(mixed)).toEqual([bob, alice]);
    expect(mixed.temporaryBans).toEqual(temporaryBansOf(mixed.bans));
    const less = withoutBan(mixed, bob);
    expect([usersOf(less), less.bans.size]).toEqual([[alice], 2]);
  });

  it('a ban without an end leaves the list as it is, going and coming', () => {
    const endless = withBan(both, ban(carol, 0));
    expect(endless.temporaryBans).toBe(both.temporaryBans);
    expect(withoutBan(endless, carol).temporaryBans).toBe(both.temporaryBans);
  });
});

describe('activeBan', () => {
  it('keeps out until its end, and for ever without one', () => {
    const state = withBan(both, ban(carol, 0));
    expect(activeBan(state, alice, 49)?.userId).toBe(alice);
    expect(activeBan(state, alice, 50)).toBeNull();
    expect(activeBan(state, carol, Number.MAX_SAFE_INTEGER)?.userId).toBe(carol);
    expect(activeBan(room, alice, 0)).toBeNull();
  });
});
