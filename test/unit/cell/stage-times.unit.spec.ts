/** What the timing line of a command says about its stages, and about what it sent on its way. */
import { describe, expect, it } from 'vitest';
import { rigApp, CellRig, createRoomBody, joinRoomBody } from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { fillRoom, giftBody, sell } from '../../support/gift-rig.ts';
import { slowedBy } from '../../support/slowed-port.ts';

function lineOf(node: RigNode, commandId: string): Readonly<Record<string, unknown>> {
  const lines = node.log.lines.filter(({ text }) => text === 'room_command_timing');
  const line = lines.find(({ fields }) => fields['command_id'] === commandId);
  if (line === undefined) throw new Error(`no timing line of ${commandId}`);
  return line.fields;
}

describe('the timing line of a command', () => {
  it('tells look-up, lease, commit and the whole, each in its own field (TIME-2, TIME-3, TIME-5, TIME-12, TIME-13)', async () => {
    const rig = new CellRig(1);
    const gate = slowedBy(rig.time, { findResults: 30, ensure: 20, commit: 50 });
    const node = await rig.startNode('a', { gate });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const line = lineOf(node, 'c1');
    expect(line).toMatchObject({ idempotency_ms: 30, lease_ms: 20, save_mutation_ms: 50 });
    expect(line['total_ms']).toBeGreaterThanOrEqual(100);
  });

  it('tells the time of the debit for a gift, and 0 for anything else (TIME-4, RES-31)', async () => {
    const rig = new CellRig(1);
    await sell(rig, 'rose', 10n);
    const node = await rig.startNode('a', { gate: slowedBy(rig.time, { debit: 40 }) });
    await fillRoom(rig, node, 'r1');
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(lineOf(node, 'g1')['wallet_debit_ms']).toBe(40);
    expect(lineOf(node, 'join-u1')['wallet_debit_ms']).toBe(0);
  });

  it('names no time of a snapshot or of a list that the answer did not wait for (TIME-6, TIME-7)', async () => {
    const rig = new CellRig(1);
    const gate = slowedBy(rig.time, { save: 60 });
    const node = await rig.startNode('a', { gate, options: { snapshotEveryN: 1 } });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    expect(lineOf(node, 'c1')).toMatchObject({ snapshot_ms: 0, projection_ms: 0 });
  });

  it('says to which destinations rows of the outbox were written (TIME-10, TIME-11)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const userId = 'u2' as UserId;
    const kick = { type: 'KickUser', userId, reason: 'rude', expiresAtMs: 0 } as const;
    await rig.result(node, rig.send('r1', 'k1', 'u1', kick));
    await rig.result(node, rig.send('r1', 'b1', 'u1', { type: 'UnbanUser', userId }));
    await rig.result(node, rig.send('r1', 'b2', 'u1', { type: 'UnbanUser', userId }));
    const told = ['k1', 'b1', 'b2'].map((id) => {
      const { activity_async_outbox: activity, tencent_im_async_outbox: im } = lineOf(node, id);
      return [id, activity, im];
    });
    expect(told).toEqual([
      ['k1', true, true],
      ['b1', true, true],
      ['b2', false, false],
    ]);
  });

  it('names room, command, actor, node, version and end (TIME-14)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(lineOf(node, 'j1')).toMatchObject({
      app_code: rigApp,
      room_id: 'r1',
      command_type: 'JoinRoom',
      command_id: 'j1',
      user_id: 'u2',
      node_id: 'a',
      room_version: 2n,
      outcome: 'applied',
      reason: '',
      replayed: false,
    });
  });
});
