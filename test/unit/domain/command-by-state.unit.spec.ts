/**
 * Every command in every state of the room, of the user and of the seat (ROOM-1…11, ROOM-19, PRES-2…12,
 * MIC-2…10): the table says how it ends, here it is tried.
 */
import { describe, expect, it } from 'vitest';
import type { CommandType } from '../../../src/domain/room/commands.ts';
import type { Decision } from '../../../src/domain/room/decision.ts';
import { assertDefined } from '../../../src/kernel/assert.ts';
import type { CaseName } from './command-by-state.cases.ts';
import { cases, roomFor } from './command-by-state.cases.ts';
import type { End, Line, RoomColumn } from './command-by-state.table.ts';
import { commandByState, roomStates, seatStates, userStates } from './command-by-state.table.ts';

const names = Object.keys(cases) as CaseName[];

/** Does not compile when a command has no row: a new one cannot be forgotten. */
const allTypes: Readonly<Record<CommandType, true>> = {
  CreateRoom: true,
  CloseRoom: true,
  DeleteRoom: true,
  UpdateRoomProfile: true,
  SetSeatCount: true,
  SetRoomPassword: true,
  SetRoomMode: true,
  SetVisibleRegion: true,
  SetAdmin: true,
  TransferOwner: true,
  JoinRoom: true,
  UpdateUser: true,
  LeaveRoom: true,
  KickUser: true,
  UnbanUser: true,
  EvictUser: true,
  MicUp: true,
  MicDown: true,
  ChangeMicSeat: true,
  ConfirmMicPublishing: true,
  SetMicSeatLock: true,
  SetMicSeatMute: true,
  InviteToMic: true,
  ApplyForMic: true,
  AnswerMicRequest: true,
  ApplyRtcEvent: true,
  SendGift: true,
  ExpireMicPublish: true,
  ExpireMicHeartbeat: true,
  ExpireMicRequests: true,
  SweepStaleUsers: true,
  ExpireBans: true,
  FinishClosing: true,
  LaunchRocket: true,
  NotePasswordAttempt: true,
};

function endOf(decision: Decision, status: RoomColumn): End {
  switch (decision.kind) {
    case 'applied':
      return { kind: 'applied', events: decision.events.map(({ type }) => type) };
    case 'noEffect':
      return { kind: 'noEffect' };
    case 'rejected':
      // Whoever is told that the room takes no commands is told its state (ROOM-19).
      if (decision.reason === 'ROOM_CLOSED') {
        expect(decision.facts).toEqual({ room_status: status });
      }
      return { kind: 'rejected', reason: decision.reason };
    case 'retry':
      throw new Error(`no line of the table ends with ${decision.reason}`);
  }
}

function titleOf(name: CaseName, { users, seats, end }: Line): string {
  const whose = users.length === userStates.length ? '' : `, the user being ${users.join(' or ')}`;
  const which = seats.length === seatStates.length ? '' : `, the seat ${seats.join(' or ')}`;
  return `${name} ${wordsFor(end)}${whose}${which}`;
}

function wordsFor(end: End): string {
  if (end.kind === 'applied') return `makes ${end.events.join(', then ')}`;
  return end.kind === 'noEffect' ? 'is without effect' : `is refused ${end.reason}`;
}

describe.each(roomStates)('When the room is %s (ROOM-1, ROOM-9, ROOM-19)', (status) => {
  const rows = names.flatMap((name) => commandByState[status][name].map((line) => [name, line]));
  it.each(
    (rows as [CaseName, Line][]).map(([name, line]) => [titleOf(name, line), name, line] as const),
  )('%s', (_title, name, { users, seats, end }) => {
    for (const user of users) {
      for (const seat of seats) {
        const outcome = roomFor(name, status, user, seat).when(
          cases[name].body,
          cases[name].options,
        );
        expect(endOf(outcome.decision, status), `${user} user, ${seat} seat`).toEqual(end);
      }
    }
  });

  it('every command has exactly one line for every user and every seat', () => {
    const wrong = names.flatMap((name) =>
      userStates.flatMap((user) =>
        seatStates
          .map((seat) => ({ seat, lines: linesFor(commandByState[status][name], user, seat) }))
          .filter(({ lines }) => lines !== 1)
          .map(({ seat, lines }) => `${name}, ${user} user, ${seat} seat: ${lines} lines`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

function linesFor(
  lines: readonly Line[],
  user: Line['users'][number],
  seat: Line['seats'][number],
): number {
  return lines.filter(({ users, seats }) => users.includes(user) && seats.includes(seat)).length;
}

describe('The table', () => {
  it('holds every command there is, under its own name', () => {
    const types = names.map((name) => cases[name].body.type);
    expect([...new Set(types)].sort()).toEqual(Object.keys(allTypes).sort());
    for (const name of names) expect(name.split(' ')[0]).toBe(cases[name].body.type);
  });

  it('meets rooms that are what the columns say', () => {
    for (const status of roomStates) {
      const { state } = roomFor('MicUp', status, 'present', 'publishing');
      expect(state.status).toBe(status === 'none' ? 'absent' : status);
    }
    for (const user of userStates) {
      const { state } = roomFor('MicUp', 'active', user, 'idle');
      expect(state.users.has('alice')).toBe(user === 'present');
      expect(state.bans.has('alice')).toBe(user === 'kicked');
    }
    for (const seat of seatStates) {
      const { state } = roomFor('MicUp', 'active', 'absent', seat);
      const first = assertDefined(state.seats[0], 'seat 1');
      const shown = first.locked ? 'locked' : (first.occupancy?.state ?? 'idle');
      expect(shown).toBe(seat === 'pending' ? 'pending_publish' : seat);
    }
  });
});
