/** The way back from MySQL to a room, over the borders of releases. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import type { Codec } from '../../../src/protocol/codec-api.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { rebuildRoom } from '../../../src/protocol/room-history.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';

/** A codec to which everything stored is of another release until it has learnt that schema. */
function codecOfAnotherRelease(): Codec {
  const real = createCodec();
  let hasLearnt = false;
  const unknown = { ok: false, fault: 'unknown schema' } as const;
  return {
    ...real,
    unknownFingerprint: () => (hasLearnt ? null : 'of another release'),
    learnSchema: () => {
      hasLearnt = true;
    },
    decodeLoggedEvents: (bytes) => (hasLearnt ? real.decodeLoggedEvents(bytes) : unknown),
    decodeSnapshot: (bytes) => (hasLearnt ? real.decodeSnapshot(bytes) : unknown),
  };
}

async function storedRoom(): Promise<CellRig> {
  const rig = new CellRig(1);
  const node = await rig.startNode('a');
  await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
  await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
  return rig;
}

const roomKey = roomKeyOf(rigApp, 'r1' as RoomId);

describe('a room that another release wrote', () => {
  it('is rebuilt by the schemas that the release registered', async () => {
    const rig = await storedRoom();
    const reader = new MemoryRoomReader(rig.database);
    const asked: string[] = [];
    const rebuilt = await rebuildRoom(reader, codecOfAnotherRelease(), roomKey, (fingerprint) => {
      asked.push(fingerprint);
      return Promise.resolve('{}');
    });
    expect(rebuilt?.state.version).toBe(2n);
    expect(asked).toEqual(['of another release']);
  });

  it('is Corrupt, and never guessed at, when nobody registered its schema', async () => {
    const rig = await storedRoom();
    const reader = new MemoryRoomReader(rig.database);
    const rebuilding = rebuildRoom(reader, codecOfAnotherRelease(), roomKey, () =>
      Promise.resolve(null),
    );
    await expect(rebuilding).rejects.toMatchObject({ kind: 'corrupt', reason: 'ROOM_CORRUPT' });
  });
});
