/**
 * Events that nobody outside gets: the log and the chain have them, the outbox has nothing of them,
 * and what comes behind them is delivered as if they were not there.
 */
import { describe, expect, it } from 'vitest';
import { MemoryOutboxStore } from '../../../src/drivers/memory/memory-outbox-store.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { ClaimedRun } from '../../../src/ports/outbox-store.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { outboxShardCount } from '../../../src/protocol/outbox-shard.ts';
import { CellRig, createRoomBody, joinRoomBody } from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';

async function seatedRoom(): Promise<{ readonly rig: CellRig; readonly node: RigNode }> {
  const rig = new CellRig();
  const node = await rig.startNode('a');
  await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
  await rig.result(node, rig.send('r1', 'c2', 'u2', joinRoomBody()));
  await rig.result(node, rig.send('r1', 'c3', 'u2', { type: 'MicUp', seatNo: 1 }));
  return { rig, node };
}

/** Audio that stops while the session is pending: RoomMicRtcNoted and nothing else. */
function audioStopped(rig: CellRig): CommandBody {
  return { type: 'ApplyRtcEvent', kind: 'audio_stopped', eventTimeMs: rig.time.wallMs() + 1 };
}

/** What a relay would carry to IM now. */
function claimIm(rig: CellRig): Promise<readonly ClaimedRun[]> {
  const store = new MemoryOutboxStore(rig.database);
  return store.claimRuns({
    shards: Array.from({ length: outboxShardCount }, (_, shard) => shard),
    destinations: ['im'],
    workerId: 'relay-1',
    newClaimToken: () => 'claim-1',
    nowMs: rig.time.wallMs(),
    lockMs: 30_000,
    batchSize: 100,
    runSize: 100,
    unconfirmedMax: 100,
    startedMax: 5,
  });
}

describe('an event for nobody outside', () => {
  it('is a version of the room, in its log and its list of events, without an outbox row', async () => {
    const { rig, node } = await seatedRoom();
    const sent = rig.send('r1', 'rtc-1', 'u2', audioStopped(rig), { role: 'rtc' });
    expect(await rig.result(node, sent)).toMatchObject({ outcome: 'applied', roomVersion: 4n });
    const event = [...rig.database.events.values()].at(-1);
    expect(event).toMatchObject({ eventType: 'RoomMicRtcNoted', destinations: [] });
    const outbox = [...rig.database.outbox.values()];
    expect(outbox.filter(({ roomVersion }) => roomVersion === 4n)).toEqual([]);
    const logged = createCodec().decodeLoggedEvents(
      [...rig.database.log.values()].at(-1)?.events ?? new Uint8Array(),
    );
    expect(logged).toMatchObject({ ok: true, value: [{ type: 'RoomMicRtcNoted', userId: 'u2' }] });
  });

  it('leaves no gap that holds up what comes behind it', async () => {
    const { rig, node } = await seatedRoom();
    await rig.result(node, rig.send('r1', 'rtc-1', 'u2', audioStopped(rig), { role: 'rtc' }));
    await rig.result(node, rig.send('r1', 'c4', 'u2', { type: 'LeaveRoom' }));
    const im = [...rig.database.outbox.values()].filter(({ destination }) => destination === 'im');
    expect(im.map(({ roomVersion, eventType }) => [roomVersion, eventType])).toEqual([
      [1n, 'RoomCreated'],
      [2n, 'RoomUserJoined'],
      [3n, 'RoomMicUp'],
      [5n, 'RoomMicDown'],
      [5n, 'RoomUserLeft'],
    ]);
    const runs = await claimIm(rig);
    const versions = runs.map(({ rows }) => rows.map(({ roomVersion }) => roomVersion));
    expect(versions).toEqual([[1n, 2n, 3n, 5n, 5n]]);
  });

  it('is there again after a takeover', async () => {
    const { rig, node } = await seatedRoom();
    await rig.result(node, rig.send('r1', 'rtc-1', 'u2', audioStopped(rig), { role: 'rtc' }));
    const successor = await rig.startNode('b');
    const left = await rig.result(
      [node, successor],
      rig.send('r1', 'c4', 'u2', { type: 'LeaveRoom' }),
    );
    expect(left).toMatchObject({ outcome: 'applied', roomVersion: 5n });
  });
});
