/** Which commands a room takes in which state (ROOM-1, ROOM-8…11, ROOM-19). */
import { describe, expect, it } from 'vitest';
import type { CommandBody, CommandType } from '../../../../src/domain/room/commands.ts';
import { decide } from '../../../../src/domain/room/decide.ts';
import type { DecideFacts } from '../../../../src/domain/room/decision.ts';
import type { RoomState, RoomStatus } from '../../../../src/domain/room/state.ts';
import { commandOf, given, startMs } from '../../../support/decider-spec.ts';
import {
  closeRoom,
  confirm,
  createRoom,
  expire,
  joinRoom,
  leaveRoom,
  micDown,
  micUp,
  sendGift,
} from '../../../support/command-builders.ts';
import {
  alice,
  closed,
  created,
  joined,
  owner,
  profileOf,
  session,
} from '../../../support/room-builders.ts';

const bodies: Readonly<Record<CommandType, CommandBody>> = {
  CreateRoom: createRoom(),
  JoinRoom: joinRoom(profileOf('alice')),
  LeaveRoom: leaveRoom,
  MicUp: micUp(1),
  MicDown: micDown(),
  ConfirmMicPublishing: confirm(session(1)),
  CloseRoom: closeRoom(),
  SendGift: sendGift([alice]),
  ExpireMicPublish: expire(1, session(1), startMs),
};
const allTypes = Object.keys(bodies) as CommandType[];
const types = (but: readonly CommandType[]): CommandType[] =>
  allTypes.filter((type) => !but.includes(type));

/** `closing` exists only with a configured grace, which has no event yet: made by hand. */
function closingRoom(): RoomState {
  const status: RoomStatus = 'closing';
  return { ...given(created(), joined(alice)).state, status };
}

const facts: DecideFacts = {
  nowMs: startMs + 60_000,
  micSessionId: session(9),
  micPublishTimeoutMs: 15_000,
  limits: { usersPerRoomMax: 10, eventsPerCommandMax: 50, giftRankMax: 20 },
  charge: null,
};

describe('When the room is absent', () => {
  it.each(types(['CreateRoom']))('%s finds no room', (type) => {
    given().when(bodies[type], { by: owner, role: 'system' }).thenRejected('ROOM_NOT_FOUND');
  });
});

describe('When the room is active', () => {
  it('CreateRoom is refused and says nothing about the room', () => {
    given(created()).when(createRoom(), { by: owner }).thenRejected('ROOM_ALREADY_EXISTS');
  });
});

describe('When the room is closing', () => {
  it.each(types(['CreateRoom', 'ExpireMicPublish']))('%s is refused and told the state', (type) => {
    const decision = decide(commandOf(bodies[type], { by: owner }), facts, closingRoom());
    expect(decision).toEqual({
      kind: 'rejected',
      reason: 'ROOM_CLOSED',
      facts: { room_status: 'closing' },
    });
  });

  it('CreateRoom finds the id in use', () => {
    const decision = decide(commandOf(bodies.CreateRoom), facts, closingRoom());
    expect(decision).toEqual({ kind: 'rejected', reason: 'ROOM_ALREADY_EXISTS', facts: {} });
  });
});

describe('When the room is closed', () => {
  const room = given(created(), joined(alice), closed({ finalOnlineCount: 1 }));

  it.each(types(['CreateRoom', 'CloseRoom', 'ExpireMicPublish']))(
    '%s is refused and told the state',
    (type) => {
      room.when(bodies[type]).thenRejected('ROOM_CLOSED', { room_status: 'closed' });
    },
  );

  it('an operator and a service are refused like everybody', () => {
    for (const role of ['operator', 'service'] as const) {
      room.when(bodies.JoinRoom, { role }).thenRejected('ROOM_CLOSED', { room_status: 'closed' });
    }
  });

  it('CreateRoom finds the id in use for ever', () => {
    room.when(createRoom(), { by: owner }).thenRejected('ROOM_ALREADY_EXISTS');
  });
});
