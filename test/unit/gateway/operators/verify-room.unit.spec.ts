/** VerifyRoom on rooms that a real cell wrote, and that a test then damages. */
import { describe, expect, test } from 'vitest';
import {
  roomKeyOf,
  type RoomId,
  type RoomVersion,
  type UserId,
} from '../../../../src/domain/ids.ts';
import { MemoryRoomReader } from '../../../../src/drivers/memory/memory-room-reader.ts';
import { createVerifyRoom } from '../../../../src/gateway/operators/verify-room.ts';
import { defaultGatewayLimits } from '../../../../src/gateway/limits.ts';
import type { RoomReader } from '../../../../src/ports/room-reader.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { stateHashOf } from '../../../../src/protocol/state-hash.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../../support/cell-rig.ts';
import { ManualTime } from '../../../support/manual-time.ts';
import { eventually } from '../../../support/stepped-time.ts';
import { emptyRegistry, frame } from '../gateway-fakes.ts';

const roomKey = roomKeyOf(rigApp, 'r1' as RoomId);
const codec = createCodec();
const place = { appCode: rigApp, roomId: 'r1' };

/** A room of 13 versions with a snapshot of version 10, and its verification. */
async function storedRoom() {
  const rig = new CellRig(1);
  const node = await rig.startNode('a');
  await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
  for (let n = 0; n < 12; n += 1) {
    await rig.result(node, rig.send('r1', `j${n}`, `u${n}`, joinRoomBody(`n${n}`)));
  }
  const { database } = rig;
  await eventually('a snapshot', () => database.snapshots.get(roomKey)?.length === 1);
  const reader = new MemoryRoomReader(database);
  const time = new ManualTime();
  const verify = (roomReader: Pick<RoomReader, 'loadRoom' | 'stepsAfter'> = reader) =>
    createVerifyRoom(
      { clock: time, roomReader, schemaRegistry: emptyRegistry, codec },
      defaultGatewayLimits,
    )(
      frame({
        caller: { appCode: rigApp, subject: 'op-1', role: 'operator' },
        remainingMs: 1_000,
      }),
      place,
    );
  const snapshot = () => {
    const [newest] = database.snapshots.get(roomKey) ?? [];
    if (newest === undefined) throw new Error('no snapshot');
    return newest;
  };
  const row = () => {
    const found = database.rooms.get(roomKey);
    if (found === undefined) throw new Error('no row');
    return found;
  };
  return { rig, node, database, reader, time, verify, snapshot, row };
}

describe('a whole room', () => {
  test('is equal on both ways, by one hash', async () => {
    const { verify } = await storedRoom();
    const answer = await verify();
    expect(answer).toMatchObject({
      equal: true,
      difference: '',
      roomVersion: 13n,
      snapshotVersion: 10n,
    });
    expect(answer.stateHashOfLog).toMatch(/^[0-9a-f]{64}$/);
    expect(answer.stateHashOfSnapshot).toBe(answer.stateHashOfLog);
  });

  test('without a snapshot is compared with its row alone', async () => {
    const { verify, database } = await storedRoom();
    database.snapshots.clear();
    expect(await verify()).toMatchObject({
      equal: true,
      snapshotVersion: 0n,
      stateHashOfSnapshot: '',
    });
  });

  test('what is committed meanwhile makes no difference', async () => {
    const { rig, node, verify, reader } = await storedRoom();
    let reads = 0;
    const answer = await verify({
      loadRoom: (key) => reader.loadRoom(key),
      async stepsAfter(...args) {
        reads += 1;
        await rig.result(node, rig.send('r1', `m${reads}`, `v${reads}`, joinRoomBody('v')));
        return reader.stepsAfter(...args);
      },
    });
    expect(answer).toMatchObject({ equal: true, roomVersion: 13n });
    expect(reads).toBeGreaterThanOrEqual(2);
  });

  test('a snapshot that is newer than the row as it was read is not compared', async () => {
    const { verify, reader, snapshot } = await storedRoom();
    const newer = { ...snapshot(), version: 14n as RoomVersion };
    const answer = await verify({
      loadRoom: async (key) => {
        const { meta, snapshots } = await reader.loadRoom(key);
        return { meta, snapshots: [newer, ...snapshots] };
      },
      stepsAfter: (...args) => reader.stepsAfter(...args),
    });
    expect(answer).toMatchObject({ equal: true, snapshotVersion: 10n });
  });
});

describe('a difference', () => {
  test('between the log and a snapshot is named by its place, and not by what is there', async () => {
    const { verify, snapshot } = await storedRoom();
    const decoded = codec.decodeSnapshot(snapshot().bytes);
    if (!decoded.ok) throw new Error(decoded.fault);
    const { state } = decoded.value;
    const bytes = codec.encodeSnapshot({ state: { ...state, passwordHash: 'secret' } });
    Object.assign(snapshot(), { bytes, stateHash: stateHashOf(bytes) });
    const answer = await verify();
    expect(answer).toMatchObject({
      equal: false,
      difference: 'the log and the snapshot differ in state.passwordHash',
    });
    expect(answer.stateHashOfSnapshot).not.toBe(answer.stateHashOfLog);
    expect(answer.stateHashOfSnapshot).toMatch(/^[0-9a-f]{64}$/);
  });

  test('deep in a list is named with its number', async () => {
    const { verify, snapshot } = await storedRoom();
    const decoded = codec.decodeSnapshot(snapshot().bytes);
    if (!decoded.ok) throw new Error(decoded.fault);
    const { state } = decoded.value;
    const seats = state.seats.map((seat, index) => (index === 1 ? { ...seat, muted: true } : seat));
    const bytes = codec.encodeSnapshot({ state: { ...state, seats } });
    Object.assign(snapshot(), { bytes, stateHash: stateHashOf(bytes) });
    expect(await verify()).toMatchObject({
      difference: 'the log and the snapshot differ in state.seats[1].muted',
    });
  });

  test('a snapshot that recovery would pass over is one', async () => {
    const { verify, snapshot } = await storedRoom();
    Object.assign(snapshot(), { stateHash: new Uint8Array(32) });
    expect(await verify()).toMatchObject({
      equal: false,
      difference:
        'the room cannot be rebuilt from the snapshot of version 10: ' +
        'the snapshot is damaged, unreadable or off the log',
    });
  });

  test('a log that misses a step cannot be rebuilt from alone', async () => {
    const { verify, database } = await storedRoom();
    const [key] = [...database.log].find(([, { appliedVersion }]) => appliedVersion === 5n) ?? [''];
    database.log.delete(key);
    expect(await verify()).toMatchObject({
      equal: false,
      difference: 'the room cannot be rebuilt from the log alone: step 5 is missing',
      stateHashOfLog: '',
    });
  });

  test.each([
    ['status', { status: 'closed' as const }],
    ['owner', { ownerUserId: 'u9' as UserId }],
    ['creation time', { createdAtMs: 1 }],
  ])('between the row and the log is named: the %s', async (what, change) => {
    const { verify, database, row } = await storedRoom();
    database.rooms.set(roomKey, { ...row(), ...change });
    expect(await verify()).toMatchObject({
      equal: false,
      difference: `the row and the log differ in the ${what}`,
    });
  });

  test('a row that is ahead of the log is one', async () => {
    const { verify, database, row } = await storedRoom();
    database.rooms.set(roomKey, { ...row(), version: 14n as RoomVersion });
    expect((await verify()).difference).toContain('the log ends below the version');
  });
});

describe('no verification', () => {
  test('of a room that is unknown, or of which only the row is left', async () => {
    const { verify, database, row } = await storedRoom();
    database.rooms.set(roomKey, { ...row(), status: 'deleted' });
    await expect(verify()).rejects.toMatchObject({ reason: 'ROOM_NOT_FOUND' });
    database.rooms.delete(roomKey);
    await expect(verify()).rejects.toMatchObject({ reason: 'ROOM_NOT_FOUND' });
  });

  test('beyond the caller’s time', async () => {
    const { verify, time, reader } = await storedRoom();
    const slow = {
      loadRoom: async (key: Parameters<RoomReader['loadRoom']>[0]) => {
        await time.advance(1_000);
        return reader.loadRoom(key);
      },
      stepsAfter: () => Promise.reject(new Error('asked all the same')),
    };
    await expect(verify(slow)).rejects.toMatchObject({ reason: 'EXPIRED' });
  });
});
