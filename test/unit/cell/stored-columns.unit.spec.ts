/**
 * What the tables say beside the log follows every event (RES-24 … RES-30): the room's row, its list
 * entry and the rows of who is present, each time as the committed state in memory has it.
 */
import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/ids.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import { nextDeadline } from '../../../src/domain/room/deadlines.ts';
import type { RoomState } from '../../../src/domain/room/state.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigOptions,
  type RigNode,
  type SendOptions,
} from '../../support/cell-rig.ts';

const roomKey = 'app1\0r1' as never;
const rest = { coverUrl: null, announcement: null, backgroundUrl: null, tags: null, ext: null };
const user = (name: string): UserId => name as UserId;

/** One command of the room's life, by whom, and the event that it is there for. */
type Step = readonly [string, string, CommandBody, SendOptions?];

const life: readonly Step[] = [
  ['RoomCreated', 'owner', createRoomBody({ title: 'One', seatCount: 4, tags: ['a'] })],
  ['RoomUserJoined', 'owner', joinRoomBody('o')],
  ['RoomUserJoined', 'u1', joinRoomBody('one')],
  ['RoomUserJoined', 'u2', joinRoomBody('two')],
  ['RoomUserJoined', 'u3', joinRoomBody('three')],
  ['RoomUserUpdated', 'u1', { type: 'UpdateUser', profile: joinRoomBody('uno').profile }],
  ['RoomMicUp', 'u1', { type: 'MicUp', seatNo: 1 }],
  ['RoomMicSeatChanged', 'u1', { type: 'ChangeMicSeat', toSeatNo: 2 }],
  ['RoomMicSeatMuted', 'owner', { type: 'SetMicSeatMute', seatNo: 2, muted: true }],
  ['RoomMicSeatLocked', 'owner', { type: 'SetMicSeatLock', seatNo: 3, locked: true }],
  ['RoomMicSeatUnlocked', 'owner', { type: 'SetMicSeatLock', seatNo: 3, locked: false }],
  ['RoomMicDown', 'u1', { type: 'MicDown', userId: '', micSessionId: '' }],
  ['RoomModeChanged', 'owner', { type: 'SetRoomMode', mode: 'apply' }],
  ['RoomMicRequested', 'u2', { type: 'ApplyForMic', seatNo: 0 }],
  [
    'RoomMicRequestEnded',
    'owner',
    { type: 'AnswerMicRequest', userId: user('u2'), answer: 'declined' },
  ],
  ['RoomProfileUpdated', 'owner', { type: 'UpdateRoomProfile', ...rest, title: 'Two' }],
  [
    'RoomProfileUpdated',
    'owner',
    { type: 'UpdateRoomProfile', ...rest, title: null, coverUrl: 'c', tags: ['b', 'c'] },
  ],
  ['RoomSeatCountChanged', 'owner', { type: 'SetSeatCount', seatCount: 2 }],
  ['RoomPasswordChanged', 'owner', { type: 'SetRoomPassword', passwordHash: 'scrypt:x' }],
  [
    'RoomPasswordAttemptFailed',
    'u9',
    { ...joinRoomBody(), password: { passwordVersion: 2n, verdict: 'mismatch' } },
  ],
  ['RoomPasswordChanged', 'owner', { type: 'SetRoomPassword', passwordHash: '' }],
  ['RoomVisibleRegionChanged', 'owner', { type: 'SetVisibleRegion', visibleRegionId: 44n }],
  ['RoomAdminChanged', 'owner', { type: 'SetAdmin', userId: user('u2'), isAdmin: true }],
  [
    'RoomUserKicked',
    'owner',
    { type: 'KickUser', userId: user('u1'), reason: 'rude', expiresAtMs: 0 },
  ],
  ['RoomUserUnbanned', 'owner', { type: 'UnbanUser', userId: user('u1') }],
  ['RoomUserJoined', 'u1', joinRoomBody('again')],
  [
    'RoomUserEvicted',
    'operator',
    { type: 'EvictUser', userId: user('u1'), reason: 'x' },
    { role: 'operator' },
  ],
  ['RoomUserLeft', 'u3', { type: 'LeaveRoom' }],
  ['RoomOwnerTransferred', 'owner', { type: 'TransferOwner', userId: user('u2') }],
];

async function play(rig: CellRig, node: RigNode, steps: readonly Step[]): Promise<void> {
  for (const [eventType, by, body, options] of steps) {
    const before = rig.database.events.size;
    const id = rig.send('r1', `step-${before}-${eventType}`, by, body, options);
    await rig.result(node, id);
    const made = [...rig.database.events.values()].slice(before).map((row) => row.eventType);
    expect(made, `what ${body.type} made`).toContain(eventType);
    expectTables(rig, node, eventType);
  }
}

function stateOf(node: RigNode): RoomState {
  const state = node.cell.committedRooms().find(({ roomId }) => roomId === 'r1');
  if (state === undefined) throw new Error('the room is not in memory');
  return state;
}

/** Everything the tables hold of the room is what the state says. */
function expectTables(rig: CellRig, node: RigNode, about: string): void {
  const state = stateOf(node);
  const listed = {
    status: state.status,
    ownerUserId: state.ownerUserId,
    title: state.profile.title,
    coverUrl: state.profile.coverUrl,
    tags: state.profile.tags,
    seatCount: state.seats.length,
    mode: state.mode,
    visibleRegionId: state.visibleRegionId,
    locked: state.passwordHash !== '',
    onlineCount: state.users.size,
    heat: state.heat,
    createdAtMs: state.createdAtMs,
  };
  expect(rig.database.listEntries.get(roomKey), about).toMatchObject(listed);
  expect(rig.database.rooms.get(roomKey), about).toMatchObject({
    ...listed,
    version: state.version,
    passwordHash: state.passwordHash,
    passwordVersion: state.passwordVersion,
    updatedAtMs: state.lastEventAtMs,
    nextDeadlineMs: nextDeadline(state)?.atMs ?? null,
    closeInfoJson: state.closeInfo === null ? null : expect.stringContaining('"closedAtMs"'),
  });
  expectSweep(rig, state, about);
  const rows = [...rig.database.userRooms.values()].map(({ userId, joinedAtMs }) => {
    return [userId, joinedAtMs];
  });
  const present = [...state.users.values()].map(({ userId, joinedAtMs }) => [userId, joinedAtMs]);
  expect(rows.sort(), about).toEqual(present.sort());
}

/** Not before somebody could be stale, and not more than a quarter of the silence later. */
function expectSweep(rig: CellRig, state: RoomState, about: string): void {
  const { presenceStaleAfterMs } = rigOptions;
  const nextSweepMs = rig.database.rooms.get(roomKey)?.nextSweepMs ?? null;
  if (state.users.size === 0) expect(nextSweepMs, about).toBeNull();
  else {
    const earliestMs = state.lastEventAtMs + presenceStaleAfterMs;
    expect(nextSweepMs, about).toBeGreaterThanOrEqual(earliestMs);
    expect(nextSweepMs, about).toBeLessThan(earliestMs + presenceStaleAfterMs / 4);
  }
}

describe('the tables beside the log', () => {
  it('follow every event of an open room (RES-24, RES-25, RES-26, RES-27, RES-28, LIST-3, PIPE-8)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await play(rig, node, life);
  });

  it('follow a room that closes at once: nobody is present there any more (ROOM-12, ROOM-17, RES-24, RES-30)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    const joins = life.slice(0, 4);
    const close: CommandBody = { type: 'CloseRoom', reason: 'over', note: 'n' };
    await play(rig, node, [...joins, ['RoomClosed', 'owner', close]]);
    expect(rig.database.userRooms.size).toBe(0);
    expect(rig.database.rooms.get(roomKey)?.closeInfoJson).toContain('"reason":"over"');
  });

  it('keep the closing in the log, and its events for every destination (ROOM-15, ROOM-16)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    const close: CommandBody = { type: 'CloseRoom', reason: 'over', note: 'n' };
    await play(rig, node, [...life.slice(0, 1), ['RoomClosed', 'owner', close]]);
    const row = [...rig.database.log.values()].at(-1);
    expect(row).toMatchObject({ commandType: 'CloseRoom', outcome: 'applied', appliedVersion: 2n });
    const sent = [...rig.database.outbox.values()].filter(({ roomVersion }) => roomVersion === 2n);
    expect(sent.map(({ eventType, destination }) => [eventType, destination])).toEqual([
      ['RoomClosed', 'im'],
      ['RoomClosed', 'activity'],
    ]);
  });

  it('follow a room that is closing for a while, and its end by its own timer', async () => {
    const rig = new CellRig(1);
    const times = { ...rigOptions.times, closeGraceMs: 30_000 };
    const node = await rig.startNode('a', { options: { times } });
    const close: CommandBody = { type: 'CloseRoom', reason: 'over', note: 'n' };
    await play(rig, node, [...life.slice(0, 4), ['RoomClosing', 'owner', close]]);
    expect(rig.database.listEntries.get(roomKey)?.status).toBe('closing');
    expect(rig.database.userRooms.size).toBe(3);
    for (let second = 0; second < 32; second += 1) {
      rig.time.advance(1_000);
      for (let turn = 0; turn < 4; turn += 1) await rig.time.sleep(0);
    }
    expect(stateOf(node).status).toBe('closed');
    expectTables(rig, node, 'RoomClosed');
  });

  it('follow who comes, goes and comes again within one batch', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await play(rig, node, life.slice(0, 3));
    node.source.pause(0);
    const ids = [
      rig.send('r1', 'l1', 'u1', { type: 'LeaveRoom' }),
      rig.send('r1', 'j1', 'u1', joinRoomBody()),
      rig.send('r1', 'j5', 'u5', joinRoomBody()),
      rig.send('r1', 'l5', 'u5', { type: 'LeaveRoom' }),
    ];
    rig.time.advance(7);
    node.source.resume(0);
    await Promise.all(ids.map((id) => rig.result(node, id)));
    expectTables(rig, node, 'one batch');
    expect([...rig.database.userRooms.values()].map(({ userId }) => userId).sort()).toEqual([
      'owner',
      'u1',
    ]);
  });
});
