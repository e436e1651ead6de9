/** ExpireBans: the timer of bans that have an end (PRES-16, decision 14). */
import { describe, expect, it } from 'vitest';
import { nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { bansPerExpiryMax } from '../../../../src/domain/room/room-limits.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closing,
  created,
  kicked,
  owner,
  unbanned,
} from '../../../support/room-builders.ts';

const expireBans = { type: 'ExpireBans' } as const;
const endMs = 5_000_000;
const bySystem = { role: 'system', by: owner, atMs: endMs } as const;
const over = (userId: typeof alice) => unbanned(userId, owner, 'expired');
const history = [
  created(),
  kicked(asUser('for-ever')),
  kicked(carol, { expiresAtMs: endMs + 1 }),
  kicked(bob, { expiresAtMs: endMs }),
  kicked(alice, { expiresAtMs: endMs - 1 }),
] as const;
const room = given(...history);

describe('When bans have an end', () => {
  it('those whose time is over end, the earliest first; the others and the endless ones stay', () => {
    const { state } = room.when(expireBans, bySystem).thenApplied([over(alice), over(bob)], {});
    expect([...state.bans.values()].map(({ userId }) => userId).sort()).toEqual([
      carol,
      'for-ever',
    ]);
    expect(nextDeadline(state)?.atMs).toBe(endMs + 1);
  });

  it('of equal ends the lower user id comes first, whatever the order of the kicks', () => {
    given(
      created(),
      kicked(bob, { expiresAtMs: endMs }),
      kicked(alice, { expiresAtMs: endMs }),
      kicked(carol, { expiresAtMs: endMs }),
    )
      .when(expireBans, bySystem)
      .thenApplied([over(alice), over(bob), over(carol)]);
  });

  it('before the first end, and a second time, there is nothing to do', () => {
    room.when(expireBans, { ...bySystem, atMs: endMs - 2 }).thenNoEffect();
    room.after(expireBans, bySystem).when(expireBans, bySystem).thenNoEffect();
  });

  it('a ban whose end was moved ends at the new one', () => {
    const later = given(
      created(),
      kicked(alice, { expiresAtMs: endMs }),
      kicked(alice, { expiresAtMs: endMs + 10 }),
    );
    later.when(expireBans, bySystem).thenNoEffect();
    later.when(expireBans, { ...bySystem, atMs: endMs + 10 }).thenApplied([over(alice)]);
    const forEver = given(created(), kicked(alice, { expiresAtMs: endMs }), kicked(alice));
    forEver.when(expireBans, { ...bySystem, atMs: endMs + 10 }).thenNoEffect();
  });

  it('in a closing room they end too', () => {
    given(...history, closing(90_000_000))
      .when(expireBans, bySystem)
      .room();
  });
});

describe('When more are over than one command ends', () => {
  it('the first end and the rest wait for the next one, which is due at once', () => {
    expect(bansPerExpiryMax).toBe(50);
    const crowd = Array.from({ length: 53 }, (_, n) => asUser(`u-${String(n).padStart(2, '0')}`));
    const many = given(
      created(),
      crowd.map((userId) => kicked(userId, { expiresAtMs: endMs })),
    );
    const first = many.when(expireBans, bySystem).thenApplied(crowd.slice(0, 50).map(over));
    expect(nextDeadline(first.state)?.atMs).toBe(endMs);
    first.room().when(expireBans, bySystem).thenApplied(crowd.slice(50).map(over));
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    room
      .when(expireBans, { ...bySystem, role })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });
});
