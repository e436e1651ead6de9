/** ExpireMicRequests: the timer of applications and invitations. */
import { describe, expect, it } from 'vitest';
import { micRequestsMax } from '../../../../src/domain/room/room-limits.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closing,
  created,
  joined,
  micRequested,
  micRequestEnded,
  owner,
} from '../../../support/room-builders.ts';

const expireRequests = { type: 'ExpireMicRequests' } as const;
const atMs = 5_000_000;
const bySystem = { role: 'system', by: owner, atMs } as const;
const history = [
  created({ mode: 'apply' }),
  [joined(alice), joined(bob), joined(carol)],
  [
    micRequested(carol, atMs + 1),
    micRequested(bob, atMs - 1, { kind: 'invite', byUserId: owner }),
    micRequested(alice, atMs),
  ],
] as const;
const room = given(...history);

describe('When requests wait', () => {
  it('those whose time is over end, in the order in which they were made, the others wait on', () => {
    const { state } = room
      .when(expireRequests, bySystem)
      .thenApplied(
        [
          micRequestEnded(bob, 'invite', 'expired', owner),
          micRequestEnded(alice, 'apply', 'expired', owner),
        ],
        {},
      );
    expect(state.micRequests.map(({ userId }) => userId)).toEqual([carol]);
    expect(state.users.size).toBe(3);
  });

  it('before the first is over, and a second time, there is nothing to do', () => {
    room.when(expireRequests, { ...bySystem, atMs: atMs - 2 }).thenNoEffect();
    room.after(expireRequests, bySystem).when(expireRequests, bySystem).thenNoEffect();
  });

  it('in a closing room they end too', () => {
    given(...history, closing(9_000_000))
      .when(expireRequests, bySystem)
      .room();
  });

  it('all that may wait end in one command', () => {
    const many = Array.from({ length: micRequestsMax }, (_, n) => asUser(`u${n}`));
    const full = given(created({ mode: 'apply' }), [
      ...many.map((userId) => joined(userId)),
      ...many.map((userId) => micRequested(userId, atMs)),
    ]);
    expect(full.after(expireRequests, bySystem).state.micRequests).toEqual([]);
  });
});

describe('Who may', () => {
  it.each(['user', 'service', 'operator', 'rtc'] as const)('role %s cannot send it', (role) => {
    room
      .when(expireRequests, { ...bySystem, role })
      .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
  });
});
