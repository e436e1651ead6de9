/** The way back from MySQL to a room, over the borders of releases. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import type { Codec } from '../../../src/protocol/codec-api.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { rebuildRoom } from '../../../src/protocol/room-history.ts';
import { eventually } from '../../support/stepped-time.ts';
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

describe('a room with snapshots', () => {
  /** Two snapshots (versions 10 and 20) and a tail of the log behind the newer one. */
  async function snapshotRoom(): Promise<{ rig: CellRig; reader: MemoryRoomReader }> {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    for (let n = 0; n < 22; n += 1) {
      await rig.result(node, rig.send('r1', `j${n}`, `u${n}`, joinRoomBody(`n${n}`)));
    }
    await eventually('both snapshots', () => rig.database.snapshots.get(roomKey)?.length === 2);
    return { rig, reader: new MemoryRoomReader(rig.database) };
  }
  const rebuild = (reader: MemoryRoomReader) =>
    rebuildRoom(reader, createCodec(), roomKey, () => Promise.resolve(null));

  it('begins at the newest and is the same as from the log alone (LEASE-1, LEASE-33, SNAP-3)', async () => {
    const { rig, reader } = await snapshotRoom();
    const rebuilt = await rebuild(reader);
    expect(rebuilt?.snapshotVersion).toBe(20n);
    rig.database.snapshots.clear();
    const fromLog = await rebuild(reader);
    expect(fromLog?.snapshotVersion).toBe(0n);
    expect(fromLog?.state).toEqual(rebuilt?.state);
    expect(fromLog?.chainHash).toEqual(rebuilt?.chainHash);
  });

  it('passes over damaged bytes and a damaged chain hash for the one before (SNAP-3)', async () => {
    const { rig, reader } = await snapshotRoom();
    const whole = await rebuild(reader);
    const [newest] = rig.database.snapshots.get(roomKey) ?? [];
    if (newest === undefined) throw new Error('no snapshot');
    const kept = { ...newest };
    for (const damage of [
      { bytes: Buffer.concat([newest.bytes, Buffer.from([0])]) },
      { chainHash: new Uint8Array(32).fill(9) },
    ]) {
      Object.assign(newest, kept, damage);
      const rebuilt = await rebuild(reader);
      expect(rebuilt?.snapshotVersion).toBe(10n);
      expect(rebuilt?.state).toEqual(whole?.state);
    }
  });

  it('is Corrupt when a step of the log is missing, whatever snapshots there are (SNAP-3)', async () => {
    const { rig, reader } = await snapshotRoom();
    const last = [...rig.database.log.entries()].find(([, row]) => row.appliedVersion === 22n);
    if (last === undefined) throw new Error('no such step');
    rig.database.log.delete(last[0]);
    await expect(rebuild(reader)).rejects.toMatchObject({
      kind: 'corrupt',
      facts: { detail: 'step 22 is missing' },
    });
  });
});
