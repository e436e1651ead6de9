/**
 * A wrong password: the join is rejected, and the room counts it by a command of its own right behind
 * it. The two never come apart, and a repeat counts nothing.
 */
import { describe, expect, it } from 'vitest';
import type { JoinRoom } from '../../../src/domain/presence/presence-commands.ts';
import type { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { CellRig, createRoomBody, joinRoomBody, type RigNode } from '../../support/cell-rig.ts';

const wrongPassword: JoinRoom = {
  ...joinRoomBody(),
  password: { passwordVersion: 1n, verdict: 'mismatch' },
};

async function lockedRoom(rig: CellRig, node: RigNode): Promise<void> {
  const body = createRoomBody({ passwordHash: 'scrypt:1' });
  await rig.result(node, rig.send('r1', 'c1', 'owner', body));
}

/** Command ids of the log, in the order in which they were stored. */
function loggedIds(rig: CellRig): string[] {
  return [...rig.database.log.values()].map(({ commandId }) => commandId);
}

function attempts(node: RigNode, user: string): number | undefined {
  const room = node.cell.committedRooms().find(({ roomId }) => roomId === 'r1');
  return room?.passwordAttempts.get(user)?.attempts;
}

function laneOf(node: RigNode): MemoryCommitLane {
  if (node.memoryLane === null) throw new Error('the rig runs on another store');
  return node.memoryLane;
}

describe('a wrong password', () => {
  it('is counted in the transaction of the rejection, by a command of the room’s own', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await lockedRoom(rig, node);
    const refused = await rig.result(node, rig.send('r1', 'j1', 'u2', wrongPassword));
    expect(refused).toMatchObject({ outcome: 'rejected', reason: 'WRONG_PASSWORD' });
    expect(refused.roomVersion).toBe(1n);
    expect(loggedIds(rig)).toEqual(['c1', 'j1', 'sys:password-attempt:2']);
    expect(rig.database.rooms.get('app1\0r1' as never)?.version).toBe(2n);
    expect(rig.database.owners.get(0)?.commitSeq).toBe(2n);
    expect(attempts(node, 'u2')).toBe(1);
    // Told to nobody outside.
    const eventTypes = [...rig.database.outbox.values()].map(({ eventType }) => eventType);
    expect(eventTypes).not.toContain('RoomPasswordAttemptFailed');
  });

  it('is not counted again by a repeat of the rejected join, in the same batch or later', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await lockedRoom(rig, node);
    node.source.pause(0);
    const ids = [1, 2].map(() => rig.send('r1', 'j1', 'u2', wrongPassword));
    node.source.resume(0);
    const [first, second] = await Promise.all(ids.map((id) => rig.result(node, id)));
    const later = await rig.result(node, rig.send('r1', 'j1', 'u2', wrongPassword));
    expect([first?.replayed, second?.replayed, later.replayed]).toEqual([false, true, true]);
    expect(attempts(node, 'u2')).toBe(1);
    expect(rig.database.log.size).toBe(3);
  });

  it('counts towards the limit within one batch: the fourth guess is not even compared', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await lockedRoom(rig, node);
    node.source.pause(0);
    const ids = [1, 2, 3, 4].map((n) => rig.send('r1', `j${n}`, 'u2', wrongPassword));
    node.source.resume(0);
    const results = await Promise.all(ids.map((id) => rig.result(node, id)));
    expect(results.map(({ reason }) => reason)).toEqual([
      'WRONG_PASSWORD',
      'WRONG_PASSWORD',
      'WRONG_PASSWORD',
      'TOO_MANY_PASSWORD_ATTEMPTS',
    ]);
    expect(attempts(node, 'u2')).toBe(3);
  });

  it.each(['lostAfterCommit', 'lostBeforeCommit', 'conflict'] as const)(
    'is counted once when the transaction ends in %s',
    async (kind) => {
      const rig = new CellRig(1);
      const node = await rig.startNode('a');
      await lockedRoom(rig, node);
      laneOf(node).faults.push({ kind });
      await rig.result(node, rig.send('r1', 'j1', 'u2', wrongPassword));
      expect(attempts(node, 'u2')).toBe(1);
      expect(loggedIds(rig)).toEqual(['c1', 'j1', 'sys:password-attempt:2']);
    },
  );

  it('stays with its join when the batch is split for another command’s data', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await lockedRoom(rig, node);
    laneOf(node).dataFault = (batch) => batch.logRows.some(({ commandId }) => commandId === 'bad');
    node.source.pause(0);
    rig.send('r1', 'j1', 'u2', wrongPassword);
    rig.send('r1', 'bad', 'u3', wrongPassword);
    const last = rig.send('r1', 'j3', 'u4', wrongPassword);
    node.source.resume(0);
    await rig.result(node, last);
    expect([attempts(node, 'u2'), attempts(node, 'u3'), attempts(node, 'u4')]).toEqual([
      1,
      undefined,
      1,
    ]);
    expect(loggedIds(rig)).toEqual([
      'c1',
      'j1',
      'sys:password-attempt:2',
      'j3',
      'sys:password-attempt:3',
    ]);
  });

  it('of which the count cannot be stored is set aside whole: no rejection without its count', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await lockedRoom(rig, node);
    laneOf(node).dataFault = (batch) =>
      batch.logRows.some(({ commandId }) => commandId.startsWith('sys:'));
    const reply = await rig.reply(node, rig.send('r1', 'j1', 'u2', wrongPassword));
    expect(reply).toMatchObject({ kind: 'refusal', reason: 'DATA_REFUSED' });
    expect(loggedIds(rig)).toEqual(['c1']);
    expect(attempts(node, 'u2')).toBeUndefined();
  });

  it('is known to the node that takes over, with a join that was rejected and never answered', async () => {
    const rig = new CellRig(1);
    // The first node never hears how its transactions ended, from the rejection on.
    const a = await rig.startNode('a');
    await lockedRoom(rig, a);
    const lane = laneOf(a);
    const commit = lane.commit.bind(lane);
    lane.commit = async (batch, gate) => {
      await commit(batch, gate);
      return new Promise(() => undefined);
    };
    const id = rig.send('r1', 'j1', 'u2', wrongPassword);
    const b = await rig.startNode('b', { assign: [] });
    a.source.assign([]);
    b.source.assign([0]);
    await rig.result(b, rig.send('r1', 'j2', 'u2', wrongPassword));
    expect(attempts(b, 'u2')).toBe(2);
    const again = await rig.result(b, rig.send('r1', 'j1', 'u2', wrongPassword));
    expect(again).toMatchObject({ replayed: true, reason: 'WRONG_PASSWORD' });
    expect(attempts(b, 'u2')).toBe(2);
    expect(a.replies.byCorrelation.get(id)).toBeUndefined();
  });
});
