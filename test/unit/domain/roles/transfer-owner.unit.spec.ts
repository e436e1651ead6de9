/** TransferOwner (decision 13). */
import { describe, expect, it } from 'vitest';
import { kickUser } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  carol,
  created,
  joined,
  on,
  owner,
  wentUp,
} from '../../../support/room-builders.ts';

const transfer = (userId: typeof alice) => ({ type: 'TransferOwner', userId }) as const;
const transferred = (fromUserId: typeof alice, toUserId: typeof alice, byUserId = fromUserId) =>
  ({ type: 'RoomOwnerTransferred', byUserId, fromUserId, toUserId }) as const;
const room = given(
  created(),
  [joined(alice), joined(bob), joined(owner)],
  [adminSet(bob), adminSet(carol)],
  wentUp(on(1, owner, 4), 90_000_000),
);

describe('When the new owner is present', () => {
  it('the room is theirs, and the former owner is a member who stays where it is', () => {
    const { state } = room
      .when(transfer(alice), { by: owner })
      .thenApplied([transferred(owner, alice)], {});
    expect(state.ownerUserId).toBe(alice);
    expect(state.admins).toEqual([bob, carol]);
    expect(state.seats).toEqual(room.state.seats);
    expect(state.users.has(owner)).toBe(true);
  });

  it('the former owner has lost every right, and the new one has them all', () => {
    const handed = room.after(transfer(alice), { by: owner });
    handed
      .when(transfer(owner), { by: owner })
      .thenRejected('NOT_ROOM_OWNER', { actor_user_id: 'owner' });
    handed.when(kickUser(owner)).room();
  });

  it('an admin who becomes the owner is no admin beside it', () => {
    const { state } = room.when(transfer(bob), { by: owner });
    expect([state.ownerUserId, state.admins]).toEqual([bob, [carol]]);
  });

  it.each(['service', 'operator'] as const)('role %s may give it away', (role) => {
    room.when(transfer(bob), { role }).thenApplied([transferred(owner, bob, alice)]);
  });
});

describe('When it cannot be', () => {
  it('to oneself is a success without effect, present or not', () => {
    room.when(transfer(owner), { by: owner }).thenNoEffect();
    given(created()).when(transfer(owner), { role: 'operator' }).thenNoEffect();
  });

  it('nobody is given a room without being there, not even an admin', () => {
    room
      .when(transfer(carol), { by: owner })
      .thenRejected('USER_NOT_PRESENT', { user_id: 'carol' });
  });

  it('an admin and a member may not, whoever would get it', () => {
    for (const by of [alice, bob]) {
      for (const userId of [alice, bob, carol, owner]) {
        room.when(transfer(userId), { by }).thenRejected('NOT_ROOM_OWNER', { actor_user_id: by });
      }
    }
  });
});
