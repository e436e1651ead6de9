/** Retention on rooms that a real cell wrote: what may leave, and that the rest still leads to the room. */
import { describe, expect, it } from 'vitest';
import {
  roomKeyOf,
  type CommandId,
  type RoomId,
  type RoomVersion,
  type UserId,
} from '../../../src/domain/ids.ts';
import { MemoryRetentionStore } from '../../../src/drivers/memory/memory-retention-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { rebuildRoom } from '../../../src/protocol/room-history.ts';
import { stateHashOf } from '../../../src/protocol/state-hash.ts';
import { Retention } from '../../../src/relay/retention/retention.ts';
import { retireSteps } from '../../../src/relay/retention/retire-room.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { eventually } from '../../support/stepped-time.ts';
import { emptyRegistry } from '../gateway/gateway-fakes.ts';

const roomKey = roomKeyOf(rigApp, 'r1' as RoomId);
const codec = createCodec();
const never = Number.MAX_SAFE_INTEGER;

/** A room of `joins` + 1 versions, whose owner wrote a snapshot every ten. */
async function storedRoom(joins: number) {
  const rig = new CellRig(1);
  const node = await rig.startNode('a');
  await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
  for (let n = 0; n < joins; n += 1) {
    await rig.result(node, rig.send('r1', `j${n}`, `u${n}`, joinRoomBody(`n${n}`)));
  }
  const { database, time: clock } = rig;
  const due = Math.floor((joins + 1) / 10);
  await eventually('its snapshots', () => {
    return (database.snapshots.get(roomKey)?.length ?? 0) === Math.min(due, 2);
  });
  const rooms = new MemoryRoomReader(database);
  const store = new MemoryRetentionStore(database);
  const snapshots = new MemorySnapshotStore(database);
  const context = { store, rooms, snapshots, schemas: emptyRegistry, codec, clock };
  const versions = (): readonly bigint[] =>
    [...database.log.values()]
      .flatMap(({ appliedVersion }) => appliedVersion ?? [])
      .sort((one, other) => (one < other ? -1 : 1));
  const stateHash = async (): Promise<string> => {
    const rebuilt = await rebuildRoom(rooms, codec, roomKey, () => Promise.resolve(null));
    if (rebuilt === null) return 'none';
    return Buffer.from(stateHashOf(codec.encodeSnapshot({ state: rebuilt.state }))).toString('hex');
  };
  const retire = (beforeMs = never, pageRows = 100) =>
    retireSteps(context, roomKey, beforeMs, pageRows);
  const damage = (nth: number, change: Partial<SnapshotRow>): void => {
    const rows = database.snapshots.get(roomKey) ?? [];
    database.snapshots.set(
      roomKey,
      rows.map((row, at) => (at === nth ? { ...row, ...change } : row)),
    );
  };
  return { rig, node, database, context, versions, stateHash, retire, damage };
}

describe('the steps of a room', () => {
  it('leave up to the older of two snapshots that lead to the room, and the rest leads there too (SNAP-2)', async () => {
    const { retire, versions, stateHash, database } = await storedRoom(24);
    const before = await stateHash();
    // Young steps lie above: nothing is written for them.
    for (const [key, row] of database.log) {
      if ((row.appliedVersion ?? 0n) < 10n) database.log.set(key, { ...row, decidedAtMs: 1 });
    }
    expect(await retire(2)).toEqual({ kind: 'removed', steps: 9, isMore: false });
    expect(versions()).toEqual(Array.from({ length: 16 }, (_, at) => BigInt(at + 10)));
    expect(database.snapshots.get(roomKey)?.map(({ version }) => version)).toEqual([20n, 10n]);
    expect(await stateHash()).toBe(before);
  });

  it('of an idle room leave behind snapshots that are written for that; the newest stays', async () => {
    const { retire, versions, stateHash, database } = await storedRoom(24);
    const before = await stateHash();
    expect(await retire()).toEqual({ kind: 'removed', steps: 24, isMore: false });
    expect(versions()).toEqual([25n]);
    expect(database.snapshots.get(roomKey)?.map(({ version }) => version)).toEqual([25n, 24n]);
    expect(await stateHash()).toBe(before);
    expect(await retire()).toEqual({ kind: 'removed', steps: 0, isMore: false });
  });

  it('of a room without a snapshot leave the same way, page by page', async () => {
    const { retire, versions, stateHash } = await storedRoom(7);
    const before = await stateHash();
    expect(await retire(never, 3)).toEqual({ kind: 'removed', steps: 3, isMore: true });
    expect(await stateHash()).toBe(before);
    expect(await retire(never, 3)).toEqual({ kind: 'removed', steps: 3, isMore: true });
    expect(await retire(never, 3)).toMatchObject({ kind: 'removed', steps: 1 });
    expect(versions()).toEqual([8n]);
    expect(await stateHash()).toBe(before);
  });

  it.each([
    ['is damaged', 0, { stateHash: new Uint8Array(32) }],
    ['before it is damaged', 1, { stateHash: new Uint8Array(32) }],
    ['is off the chain', 0, { chainHash: new Uint8Array(32) }],
    ['before it is off the chain', 1, { chainHash: new Uint8Array(32) }],
  ])('all stay while the newest snapshot %s', async (_, nth, change) => {
    const { retire, versions, damage } = await storedRoom(24);
    damage(nth, change);
    expect((await retire()).kind).toBe('unproven');
    expect(versions()).toHaveLength(25);
  });

  it('all stay while a snapshot shows another state than the log', async () => {
    const { retire, versions, damage, database } = await storedRoom(24);
    const [newest] = database.snapshots.get(roomKey) ?? [];
    const decoded = codec.decodeSnapshot(newest?.bytes ?? new Uint8Array());
    if (!decoded.ok) throw new Error(decoded.fault);
    const { state } = decoded.value;
    const bytes = codec.encodeSnapshot({ state: { ...state, ownerUserId: 'u9' as UserId } });
    damage(0, { bytes, stateHash: stateHashOf(bytes) });
    expect(await retire()).toMatchObject({ kind: 'unproven' });
    expect(versions()).toHaveLength(25);
  });

  it('of a deleted room leave all, and its row says for ever that there was one (RES-29)', async () => {
    const { retire, versions, stateHash, database } = await storedRoom(3);
    const row = database.rooms.get(roomKey);
    if (row === undefined) throw new Error('no row');
    database.rooms.set(roomKey, { ...row, status: 'deleted' });
    database.snapshots.delete(roomKey);
    const before = await stateHash();
    expect(await retire()).toEqual({ kind: 'removed', steps: 4, isMore: false });
    expect(versions()).toEqual([]);
    expect(await stateHash()).toBe(before);
    expect(database.rooms.get(roomKey)).toMatchObject({ status: 'deleted', version: 4n });
  });

  it('leave while the room goes on, and its owner never notices', async () => {
    const { rig, node, retire, stateHash } = await storedRoom(24);
    for (let n = 30; n < 60; n += 1) {
      await Promise.all([
        rig.result(node, rig.send('r1', `j${n}`, `u${n}`, joinRoomBody(`n${n}`))),
        retire(),
      ]);
    }
    expect((await retire()).kind).toBe('removed');
    const other = await rig.startNode('b', { assign: [] });
    expect(other.fatal).toEqual([]);
    expect(await stateHash()).toMatch(/^[0-9a-f]{64}$/);
    const again = await rig.result(node, rig.send('r1', 'last', 'u1', joinRoomBody('n')));
    expect(again).toBeDefined();
  });
});

describe('a pass', () => {
  const options = {
    ...{ keepMs: 1_000, auditKeepMs: 0, passIntervalMs: 60_000, pagePauseMs: 10, pageRows: 5 },
  };

  async function passes() {
    const made = await storedRoom(24);
    const { rig, context } = made;
    const log = new MemoryLog();
    const counts = new Map<string, number>();
    const retention = new Retention(
      {
        ...context,
        timers: rig.time,
        random: { fraction: () => 0.5 } as never,
        log,
        metrics: {
          count: (name, labels = {}, by = 1) => {
            const key = `${name} ${Object.values(labels).join()}`.trim();
            counts.set(key, (counts.get(key) ?? 0) + by);
          },
          gauge: () => undefined,
          observeMs: () => undefined,
        },
      },
      options,
    );
    return { ...made, retention, counts, log };
  }

  it('takes away what is old in every table, and ends when it is told to', async () => {
    const { retention, counts, database, rig, versions, stateHash } = await passes();
    const before = await stateHash();
    const deliveredAt = rig.time.wallMs();
    for (const [key, row] of database.outbox) {
      database.outbox.set(key, { ...row, status: 'delivered', finishedAtMs: deliveredAt });
    }
    retention.start();
    await eventually('a whole pass', () => {
      rig.time.advance(1_000);
      return (counts.get('relay_retention_passes_total whole') ?? 0) >= 1;
    });
    await retention.stop();
    expect(versions()).toEqual([25n]);
    expect(database.outbox.size).toBe(0);
    expect(database.events.size).toBe(1);
    expect(await stateHash()).toBe(before);
    expect(counts.get('relay_retired_rows_total steps')).toBe(24);
    expect(counts.get('relay_retired_rows_total events')).toBe(24);
  });

  it('that meets an outage is broken off with one line, and the next one goes on', async () => {
    const { retention, counts, database, log, versions, rig } = await passes();
    database.server.mode = 'down';
    retention.start();
    await eventually('two passes broken off', () => {
      rig.time.advance(10_000);
      return (counts.get('relay_retention_passes_total broken_off') ?? 0) >= 2;
    });
    database.server.mode = 'up';
    await eventually('steps gone', () => {
      rig.time.advance(10_000);
      return versions().length === 1;
    });
    await retention.stop();
    const lines = log.lines.filter(({ message }) => message === 'retention waits for MySQL');
    expect(lines).toHaveLength(1);
  });
});

/** Ids are promised for the time of retention, and no longer. */
it('a command id beyond retention is free again', async () => {
  const { rig, node, retire, context } = await storedRoom(3);
  await retire();
  const commandId = 'c1' as CommandId;
  expect(await context.rooms.findResults([{ roomKey, commandId }])).toEqual([]);
  const steps = await context.rooms.stepsAfter(roomKey, 0n as RoomVersion, 10);
  expect(steps.map(({ version }) => version)).toEqual([4n]);
  expect(await rig.result(node, rig.send('r1', 'j9', 'u9', joinRoomBody('n')))).toBeDefined();
});
