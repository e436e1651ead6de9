/**
 * Who is told what by the room's state alone (ROOM-1, ROOM-8…11, ROOM-19). Each command in each state
 * stands in command-by-state.table.ts.
 */
import { describe, expect, it } from 'vitest';
import type { ActorRole, CommandBody } from '../../../../src/domain/room/commands.ts';
import {
  createRoom,
  expire,
  expireHeartbeat,
  joinRoom,
  kickUser,
  leaveRoom,
  micUp,
  sweep,
} from '../../../support/command-builders.ts';
import type { GivenRoom } from '../../../support/decider-spec.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  asUser,
  closed,
  closing,
  created,
  deleted,
  joined,
  owner,
  profileOf,
  session,
} from '../../../support/room-builders.ts';

const history = [created(), joined(alice)] as const;
const rooms: Readonly<Record<string, GivenRoom>> = {
  closing: given(...history, closing(90_000_000)),
  closed: given(...history, closed({ finalOnlineCount: 1 })),
  deleted: given(...history, closed({ finalOnlineCount: 1 }), deleted()),
};
const roles: readonly ActorRole[] = ['user', 'service', 'operator', 'system', 'rtc'];
const timers: readonly CommandBody[] = [
  expire(1, session(1), 1),
  expireHeartbeat(1, session(1)),
  { type: 'ExpireMicRequests' },
  sweep(alice),
  { type: 'ExpireBans' },
  { type: 'FinishClosing' },
  { type: 'LaunchRocket', roundNo: 1n },
  { type: 'NotePasswordAttempt', userId: alice },
];

describe.each(Object.entries(rooms))('When the room is %s', (status, room) => {
  it.each(roles)(
    'role %s is refused like everybody, owner or not, and told the state (ROOM-19)',
    (role) => {
      const bodies = [joinRoom(profileOf('alice')), leaveRoom, micUp(1), kickUser(asUser('x'))];
      for (const body of bodies) {
        for (const by of [alice, owner, asUser('stranger')]) {
          room.when(body, { role, by }).thenRejected('ROOM_CLOSED', { room_status: status });
        }
      }
    },
  );

  it('CreateRoom finds the id in use for ever, and is told nothing about the room (ROOM-7)', () => {
    for (const by of [alice, owner]) {
      room.when(createRoom(), { by }).thenRejected('ROOM_ALREADY_EXISTS');
    }
  });
});

describe('A timer that does not come from the owner node', () => {
  it.each(timers)('$type is refused before the room’s state is looked at', (body) => {
    const strangers = roles.filter((role) => role !== 'system');
    for (const room of [given(), given(...history), ...Object.values(rooms)]) {
      for (const role of strangers) {
        room
          .when(body, { role, by: owner })
          .thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'owner' });
      }
    }
  });

  it('the owner node’s own meets an absent room like any command', () => {
    for (const body of timers) {
      given().when(body, { role: 'system' }).thenRejected('ROOM_NOT_FOUND');
    }
  });
});

describe('A command of the owner node that is no timer', () => {
  it('is judged with the rights of one from above', () => {
    const kick = given(...history).when(kickUser(alice), { role: 'system', by: asUser('node') });
    expect(kick.decision.kind).toBe('applied');
  });
});
