/** Heartbeats of mic sessions: who is heard, what the room remembers, what the fold is answered. */
import { describe, expect, it } from 'vitest';
import type { CellContext } from '../../../src/cell/cell-context.ts';
import { Heartbeats } from '../../../src/cell/intake/heartbeats.ts';
import type { HeartbeatWork } from '../../../src/cell/intake/read-record.ts';
import type { Partition } from '../../../src/cell/partition/partition.ts';
import { RoomCell } from '../../../src/cell/registry/room-cell.ts';
import type { RoomRegistry } from '../../../src/cell/registry/room-registry.ts';
import { roomKeyOf, type MicSessionId, type RoomId, type UserId } from '../../../src/domain/ids.ts';
import type { CellOptions } from '../../../src/cell/cell-options.ts';
import { headerNames } from '../../../src/protocol/topics.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const roomId = 'r1' as RoomId;

/** A room in which u1 sits on a seat and u2 is present; answers the fields of u1's MicUp. */
async function roomWithSpeaker(options: Partial<CellOptions> = {}) {
  const rig = new CellRig(1);
  const node = await rig.startNode('a', { options });
  await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
  await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
  await rig.result(node, rig.send('r1', 'j2', 'u2', joinRoomBody()));
  const up = await rig.result(node, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 0 }));
  return { rig, node, micSessionId: up.fields.micSessionId ?? '' };
}

describe('a mic heartbeat', () => {
  it('is heard only while the session named holds the seat of its user (MIC-19, CMD-16)', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker();
    const sentMs = rig.time.wallMs();
    const id = rig.sendHeartbeats(0, [
      ['r1', 'u1', micSessionId],
      ['r1', 'u1', 'another'],
      ['r1', 'u2', micSessionId],
      ['r1', 'u3', micSessionId],
      ['r9', 'u1', micSessionId],
      ['r1', 'u1'],
    ]);
    expect(await rig.reply(node, id)).toEqual({
      kind: 'heartbeats',
      heardAtMs: sentMs,
      micStale: [1, 2],
      notPresent: [3],
      notActive: [4],
    });
  });

  it('of a session that has ended is stale, also when its user sits there again', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker();
    await rig.result(
      node,
      rig.send('r1', 'd1', 'u1', { type: 'MicDown', userId: '', micSessionId: '' }),
    );
    const stale = { micStale: [0] };
    const beat = () => rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]]));
    expect(await beat()).toMatchObject(stale);
    await rig.result(node, rig.send('r1', 'm2', 'u1', { type: 'MicUp', seatNo: 1 }));
    expect(await beat()).toMatchObject(stale);
  });
});

describe('a mic heartbeat that says it publishes (decision 7)', () => {
  const publishing = { [headerNames.micPublishing]: '1' };
  const confirming = { autoConfirmOnHeartbeat: true };
  const confirmations = ({ database }: CellRig) =>
    [...database.log.values()].filter(({ commandType }) => commandType === 'ConfirmMicPublishing');
  const publishes = ({ database }: CellRig) =>
    [...database.events.values()].filter(({ eventType }) => eventType === 'RoomMicPublishing');

  it('confirms its session by a command of the room in the name of its user', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker(confirming);
    const beats = rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]], publishing);
    expect(await rig.reply(node, beats)).toMatchObject({ micStale: [] });
    await eventually('the session is confirmed', () => publishes(rig).length > 0);
    expect(confirmations(rig)).toMatchObject([
      {
        commandId: 'sys:mic-confirm:5',
        actorUserId: 'u1',
        outcome: 'applied',
        appliedVersion: 5n,
        kafkaOffset: null,
      },
    ]);
    // The deadline of the publish timeout went with it.
    expect([...rig.database.rooms.values()]).toMatchObject([{ nextDeadlineMs: null }]);
    const session = micSessionId as MicSessionId;
    const again = { type: 'ConfirmMicPublishing', micSessionId: session } as const;
    const answer = await rig.result(node, rig.send('r1', 'late', 'u1', again));
    expect(answer).toMatchObject({ outcome: 'no_effect', roomVersion: 5n });
  });

  it('confirms it once, however many say so', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker(confirming);
    const folds = [1, 2, 3].map(() =>
      rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]], publishing),
    );
    for (const fold of folds) await rig.reply(node, fold);
    await eventually('the session is confirmed', () => publishes(rig).length > 0);
    await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]], publishing));
    await rig.result(node, rig.send('r1', 'l2', 'u2', { type: 'LeaveRoom' }));
    expect([publishes(rig).length, confirmations(rig).length]).toEqual([1, 1]);
  });

  it('confirms nothing for a session that is over, one of another user, or presence alone', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker(confirming);
    const beats = [
      ['r1', 'u1', 'another'],
      ['r1', 'u2', micSessionId],
      ['r1', 'u1'],
    ] as const;
    await rig.reply(node, rig.sendHeartbeats(0, beats, publishing));
    await rig.result(node, rig.send('r1', 'l2', 'u2', { type: 'LeaveRoom' }));
    expect([publishes(rig).length, confirmations(rig).length]).toEqual([0, 0]);
  });

  it('finds nothing to do when the session ends before its turn (MIC-11)', async () => {
    const { rig, node, micSessionId } = await roomWithSpeaker(confirming);
    node.source.pause(0);
    const down = { type: 'MicDown', userId: '', micSessionId: '' } as const;
    const left = rig.send('r1', 'd1', 'u1', down);
    rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]], publishing);
    node.source.resume(0);
    await rig.result(node, left);
    await rig.result(node, rig.send('r1', 'm2', 'u1', { type: 'MicUp', seatNo: 1 }));
    expect(publishes(rig)).toEqual([]);
  });

  it.each([
    ['where the deployment did not ask for it', {}, publishing],
    ['that does not say so', confirming, {}],
  ])('%s confirms nothing', async (_what, options, headers) => {
    const { rig, node, micSessionId } = await roomWithSpeaker(options);
    await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1', micSessionId]], headers));
    await rig.result(node, rig.send('r1', 'l2', 'u2', { type: 'LeaveRoom' }));
    expect([publishes(rig).length, confirmations(rig).length]).toEqual([0, 0]);
  });
});

describe('what a room remembers of heartbeats', () => {
  const [u1, u2] = ['u1' as UserId, 'u2' as UserId];
  const s1 = 's1' as MicSessionId;

  /** A loaded room with u1 on seat 1 by session s1, and u2 in it. */
  function heard(beats: readonly (readonly [UserId, string, number])[]): RoomCell {
    const partition = {
      id: 0,
      active: true,
      offsets: { settle: () => undefined },
    } as unknown as Partition;
    const room = new RoomCell(roomKeyOf(rigApp, roomId), partition, 0);
    room.become(null);
    const seat = { seatNo: 1, occupancy: { userId: u1, micSessionId: s1 } };
    const users = new Map([u1, u2].map((userId) => [userId, { userId }]));
    room.state = { ...room.state, status: 'active', users, seats: [seat] } as never;
    const heartbeats = new Heartbeats(
      { metrics: { count: () => undefined } } as unknown as CellContext,
      { ensure: () => room } as unknown as RoomRegistry,
      1,
      { settled: () => undefined, confirm: () => undefined },
    );
    for (const [userId, micSessionId, recordTimeMs] of beats) {
      const items = [{ appCode: rigApp, roomId, userId, micSessionId }];
      const record = { offset: 0n, recordTimeMs };
      const work = { record, fold: { kind: 'heartbeats', items }, reply: null };
      heartbeats.accept(partition, work as unknown as HeartbeatWork);
    }
    return room;
  }

  it('one of presence says nothing about a session', () => {
    const room = heard([[u1, '', 5_000]]);
    expect([...room.lastSeenMs]).toEqual([[u1, 5_000]]);
    expect([...room.lastMicHeartbeatMs]).toEqual([]);
  });

  it('one of a session is a sign of presence too', () => {
    const room = heard([[u1, s1, 5_000]]);
    expect([...room.lastSeenMs]).toEqual([[u1, 5_000]]);
    expect([...room.lastMicHeartbeatMs]).toEqual([[s1, 5_000]]);
  });

  it('a stale one leaves no trace', () => {
    const room = heard([
      [u1, 'another', 5_000],
      [u2, s1, 5_000],
    ]);
    expect([room.lastSeenMs.size, room.lastMicHeartbeatMs.size]).toEqual([0, 0]);
  });

  it('times never go back, whatever is read again', () => {
    const room = heard([
      [u1, s1, 5_000],
      [u1, s1, 4_000],
    ]);
    expect(room.lastSeenMs.get(u1)).toBe(5_000);
    expect(room.lastMicHeartbeatMs.get(s1)).toBe(5_000);
  });
});
