/** The cell as one stage: a command in the topic becomes one log row and one reply. */
import { afterEach, describe, expect, it } from 'vitest';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { eventually } from '../../support/stepped-time.ts';
import { partitionOf, partitionKeyBytes } from '../../../src/protocol/partition.ts';

describe('a cell with one node', () => {
  let rig = new CellRig();
  afterEach(() => {
    rig = new CellRig();
  });

  it('answers an applied command after it is stored, with the version it made (PIPE-9, ARC-2)', async () => {
    const node = await rig.startNode('a');
    const created = await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    expect(created).toMatchObject({ outcome: 'applied', roomVersion: 1n, replayed: false });
    const joined = await rig.result(node, rig.send('r1', 'c2', 'u2', joinRoomBody()));
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect(rig.database.log.size).toBe(2);
    const events = [...rig.database.events.values()];
    expect(events.map(({ eventType }) => eventType)).toEqual(['RoomCreated', 'RoomUserJoined']);
  });

  it('answers a repeated id with the same bytes and changes nothing (PIPE-2, PIPE-11, ARC-7)', async () => {
    const node = await rig.startNode('a');
    const first = await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const again = await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    expect(again.replayed).toBe(true);
    expect(again.bytes).toEqual(first.bytes);
    expect(rig.database.log.size).toBe(1);
    expect(rig.database.events).toHaveLength(1);
  });

  it('answers two tries of one id in one batch with one result (PIPE-17)', async () => {
    const node = await rig.startNode('a');
    const ids = [1, 2, 3].map(() => rig.send('r1', 'c1', 'u1', createRoomBody()));
    const results = await Promise.all(ids.map((id) => rig.result(node, id)));
    expect(results.map(({ replayed }) => replayed)).toEqual([false, true, true]);
    expect(new Set(results.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
    expect(rig.database.log.size).toBe(1);
  });

  it('refuses an id that was used with another payload, user or type, and stores nothing (PIPE-12)', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const others = [
      rig.send('r1', 'c1', 'u1', createRoomBody({ title: 'another' })),
      rig.send('r1', 'c1', 'u2', createRoomBody()),
      rig.send('r1', 'c1', 'u1', { type: 'LeaveRoom' }),
    ];
    for (const id of others) {
      expect(await rig.reply(node, id)).toMatchObject({
        kind: 'refusal',
        reason: 'COMMAND_ID_REUSED',
      });
    }
    expect(rig.database.log.size).toBe(1);
  });

  it('stores a rejection under its id and repeats it, even when the room has changed', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const early = await rig.result(node, rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }));
    expect(early).toMatchObject({ outcome: 'rejected', reason: 'USER_NOT_PRESENT' });
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    const again = await rig.result(node, rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }));
    expect(again.replayed).toBe(true);
    expect(again.bytes).toEqual(early.bytes);
  });

  it('writes no row for an unknown room and leaves the id free (ROOM-19)', async () => {
    const node = await rig.startNode('a');
    const refused = await rig.reply(node, rig.send('r9', 'j1', 'u2', joinRoomBody()));
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'ROOM_NOT_FOUND' });
    expect(rig.database.log.size).toBe(0);
    await rig.result(node, rig.send('r9', 'c1', 'u1', createRoomBody()));
    const joined = await rig.result(node, rig.send('r9', 'j1', 'u2', joinRoomBody()));
    expect(joined.outcome).toBe('applied');
  });

  it('does not execute an expired command, and answers it only after its offset is settled', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const id = rig.send('r1', 'j1', 'u2', joinRoomBody(), { ttlMs: 0 });
    expect(await rig.reply(node, id)).toMatchObject({ kind: 'refusal', reason: 'EXPIRED' });
    const partition = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), rig.partitionCount);
    expect(rig.database.owners.get(partition)?.appliedOffset).toBe(1n);
    const later = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(later.replayed).toBe(false);
  });

  it('keeps two apps with one room id apart (ARC-19)', async () => {
    const node = await rig.startNode('a');
    const app = 'app2' as typeof rigApp;
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const other = await rig.result(node, rig.send('r1', 'c1', 'u9', createRoomBody(), { app }));
    expect(other).toMatchObject({ outcome: 'applied', replayed: false });
    expect(rig.database.rooms.size).toBe(2);
  });

  it('sets an unreadable record aside, answers it and goes on with the partition', async () => {
    const node = await rig.startNode('a');
    const key = partitionKeyBytes(roomKeyOf(rigApp, 'r1' as RoomId));
    const partition = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), rig.partitionCount);
    const bad = [
      rig.append(partition, key, Buffer.from('not avro at all')),
      rig.append(partition, key, null),
      rig.append(partition, key, new Uint8Array()),
    ];
    for (const id of bad) {
      expect(await rig.reply(node, id)).toMatchObject({ kind: 'refusal', reason: 'UNDECODABLE' });
    }
    const after = await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    expect(after.outcome).toBe('applied');
    expect(rig.database.deadLetters.map(({ reason }) => reason)).toEqual([
      'UNDECODABLE',
      'UNDECODABLE',
      'UNDECODABLE',
    ]);
    expect(rig.database.owners.get(partition)?.appliedOffset).toBe(3n);
  });

  it('refuses a record that lies on a partition its key does not belong to', async () => {
    const node = await rig.startNode('a');
    const first = rig.send('r1', 'c1', 'u1', createRoomBody());
    await rig.result(node, first);
    const key = roomKeyOf(rigApp, 'r1' as RoomId);
    const right = partitionOf(key, rig.partitionCount);
    const stored = rig.topic.records.get(right)?.[0];
    const wrong = (right + 1) % rig.partitionCount;
    const id = rig.append(wrong, partitionKeyBytes(key), stored?.value ?? null);
    expect(await rig.reply(node, id)).toMatchObject({ reason: 'WRONG_PARTITION' });
    expect(rig.database.log.size).toBe(1);
  });

  it('executes a redelivered record once', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const partition = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), rig.partitionCount);
    node.source.redeliver(partition, 0n);
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    expect(rig.database.log.size).toBe(2);
    expect(node.replies.byCorrelation.size).toBe(2);
    expect([...node.replies.byCorrelation.values()].every((list) => list.length === 1)).toBe(true);
  });

  it('takes a silent mic down when its publish window ends, by a command of its own (MIC-13, MIC-18, CMD-17, WRK-3, SVC-6)', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    await rig.result(node, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 3 }));
    rig.time.advance(14_999);
    expect(rig.database.log.size).toBe(3);
    rig.time.advance(1_000);
    await eventually('the publish timeout is stored', () => rig.database.log.size === 4);
    const row = [...rig.database.log.values()].at(-1);
    expect(row).toMatchObject({
      commandId: 'sys:mic-publish-timeout:4',
      kafkaOffset: null,
      outcome: 'applied',
    });
    const late = await rig.result(
      node,
      rig.send('r1', 'd1', 'u1', { type: 'MicDown', userId: '', micSessionId: '' }),
    );
    expect(late).toMatchObject({ outcome: 'rejected', reason: 'NOT_ON_SEAT' });
  });

  it('refuses the command that overfills a room’s queue, and leaves its id free', async () => {
    const node = await rig.startNode('a', { options: { roomQueueMax: 2 } });
    const partition = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), rig.partitionCount);
    node.source.pause(partition);
    const ids = [1, 2, 3, 4].map((n) => rig.send('r1', `c${n}`, 'u1', createRoomBody()));
    node.source.resume(partition);
    const replies = await Promise.all(ids.map((id) => rig.reply(node, id)));
    expect(replies.map((reply) => (reply.kind === 'refusal' ? reply.reason : reply.kind))).toEqual([
      'result',
      'result',
      'ROOM_BUSY',
      'ROOM_BUSY',
    ]);
  });

  it('names the room and the command in the timing line of one that was never decided (TIME-14)', async () => {
    const node = await rig.startNode('a', { options: { roomQueueMax: 1 } });
    const partition = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), rig.partitionCount);
    node.source.pause(partition);
    const ids = ['c1', 'c2'].map((id) => rig.send('r1', id, 'u1', createRoomBody()));
    node.source.resume(partition);
    await Promise.all(ids.map((id) => rig.reply(node, id)));
    const busy = node.log.lines.find(({ fields }) => fields['reason'] === 'ROOM_BUSY');
    expect(busy?.fields).toMatchObject({
      app_code: rigApp,
      room_id: 'r1',
      command_id: 'c2',
      command_type: 'CreateRoom',
      user_id: 'u1',
    });
  });

  it('writes one timing line for every end of a command (TIME-1, TIME-8, TIME-9)', async () => {
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 1 }));
    await rig.reply(node, rig.send('r1', 'x1', 'u1', joinRoomBody(), { ttlMs: 0 }));
    const lines = node.log.lines.filter(({ text }) => text === 'room_command_timing');
    expect(
      lines.map(({ fields }) => [fields['outcome'], fields['reason'], fields['replayed']]),
    ).toEqual([
      ['applied', '', false],
      ['applied', '', true],
      ['rejected', 'USER_NOT_PRESENT', false],
      ['refused', 'EXPIRED', false],
    ]);
    expect(lines[0]?.fields).toMatchObject({
      wallet_debit_ms: 0,
      activity_ms: 0,
      tencent_im_ms: 0,
      activity_async_outbox: true,
      tencent_im_async_outbox: true,
    });
  });
});
