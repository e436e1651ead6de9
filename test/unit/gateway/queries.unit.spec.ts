/** The gateway's reads: what became of a command, a room as committed, the list. */
import { describe, expect, test } from 'vitest';
import type { RoomVersion, UserId } from '../../../src/domain/ids.ts';
import type { RoomCreated } from '../../../src/domain/room/room-events.ts';
import { createGetCommand } from '../../../src/gateway/get-command.ts';
import { createGetRoomSnapshot } from '../../../src/gateway/get-room-snapshot.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { createListRooms, decodeCursor, encodeCursor } from '../../../src/gateway/list-rooms.ts';
import type { OwnerRow } from '../../../src/ports/partition-store.ts';
import type { ListCursor, ListEntry, ListQuery } from '../../../src/ports/room-queries.ts';
import type { RoomReader, StoredResult } from '../../../src/ports/room-reader.ts';
import { chainHash, chainStart } from '../../../src/protocol/event-chain.ts';
import type { StoredRoom, StoredStep } from '../../../src/protocol/room-history.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import {
  appCode,
  away,
  backend,
  codec,
  commandId,
  emptyRegistry,
  FakeSink,
  frame,
  outcomeOf,
  resultRecord,
  roomId,
  roomKey,
} from './gateway-fakes.ts';
import { asUser, gifted } from '../../support/room-builders.ts';

const key = { appCode, roomId, commandId };

describe('GetCommand', () => {
  function rig() {
    const time = new ManualTime();
    const sink = new FakeSink();
    const rows: StoredResult[] = [];
    let appliedOffset = -1n;
    let looks = 0;
    const ports = {
      clock: time,
      timers: time,
      log: new MemoryLog(),
      codec,
      schemaRegistry: emptyRegistry,
      commandSink: sink,
      roomReader: { findResults: () => Promise.resolve([...rows]) },
      partitionStore: {
        readOwner: () => {
          looks += 1;
          return Promise.resolve({ appliedOffset } as OwnerRow);
        },
      },
    };
    const limits = defaultGatewayLimits;
    const getCommand = createGetCommand(ports, { limits, partitionCount: 8 });
    const settle = (offset: bigint): void => void (appliedOffset = offset);
    const ask = (...args: Parameters<typeof getCommand>) => outcomeOf(getCommand(...args));
    return { time, sink, rows, ports, settle, ask, looks: () => looks };
  }

  const row = (change: Partial<StoredResult> = {}): StoredResult => ({
    roomKey,
    commandId,
    commandType: 'JoinRoom',
    actorUserId: 'u1' as UserId,
    payloadHash: new Uint8Array(32),
    payloadHashVersion: 1,
    outcome: 'applied',
    result: codec.encodeResult(resultRecord()),
    ...change,
  });

  test('a decided command is found without waiting', async () => {
    const { rows, ask, looks } = rig();
    rows.push(row());
    const outcome = ask(frame(), key);
    await settled();
    expect(outcome.now()).toMatchObject({ value: { kind: 'found', commandType: 'JoinRoom' } });
    expect(looks()).toBe(0);
  });

  test('"not executed" is said only after everything in the log was settled', async () => {
    const { time, sink, settle, ask } = rig();
    sink.endOffsets = 10n;
    settle(8n);
    const outcome = ask(frame({ remainingMs: 2_000 }), key);
    await time.advance(1_000);
    expect(outcome.now()).toEqual({ kind: 'pending' });
    settle(9n);
    await time.advance(500);
    expect(outcome.now()).toEqual({ kind: 'value', value: { kind: 'notExecuted' } });
  });

  test('a command decided while it waits is found', async () => {
    const { time, sink, rows, settle, ask } = rig();
    sink.endOffsets = 10n;
    const outcome = ask(frame({ remainingMs: 2_000 }), key);
    await time.advance(100);
    rows.push(row());
    settle(9n);
    await time.advance(500);
    expect(outcome.now()).toMatchObject({ value: { kind: 'found' } });
  });

  test('an owner that does not get there in time leaves the command possible', async () => {
    const { time, sink, ask, looks } = rig();
    sink.endOffsets = 10n;
    const outcome = ask(frame({ remainingMs: 2_000 }), key);
    await time.advance(2_000);
    expect(outcome.now()).toEqual({ kind: 'value', value: { kind: 'pendingPossible' } });
    // Bounded: pauses grow from 25 to 400 ms.
    expect(looks()).toBeLessThan(12);
  });

  test('an empty partition has nothing to wait for', async () => {
    const { ask } = rig();
    const outcome = ask(frame(), key);
    await settled();
    expect(outcome.now()).toEqual({ kind: 'value', value: { kind: 'notExecuted' } });
  });

  test('a user sees no command of another user, its service does', async () => {
    const { rows, ask } = rig();
    rows.push(row({ actorUserId: 'u2' as UserId }));
    const [byUser, byService] = [ask(frame(), key), ask(frame({ caller: backend }), key)];
    await settled();
    expect(byUser.now()).toMatchObject({ failure: { reason: 'PERMISSION_DENIED' } });
    expect(byService.now()).toMatchObject({ value: { kind: 'found' } });
  });

  test('an outage is a retry, never "not executed"', async () => {
    const { sink, ask, ports } = rig();
    sink.endOffsets = 10n;
    ports.partitionStore.readOwner = () => Promise.reject(away());
    const outcome = ask(frame(), key);
    await settled();
    expect(outcome.now()).toMatchObject({ failure: { kind: 'retry', reason: 'UNAVAILABLE' } });
  });

  test('malformed ids are named', async () => {
    const { ask } = rig();
    const outcome = ask(frame(), { ...key, roomId: '', commandId: 'a b' });
    await settled();
    expect(outcome.now()).toMatchObject({
      failure: { facts: { field: 'room_id', field_2: 'command_id', fault_count: '2' } },
    });
  });
});

describe('GetRoomSnapshot', () => {
  const created: RoomCreated = {
    type: 'RoomCreated',
    ownerUserId: 'u1' as UserId,
    title: 'Evening',
    coverUrl: '',
    backgroundUrl: '',
    seatCount: 2,
    mode: 'free',
    visibleRegionId: 0n,
    passwordHash: '',
    tags: [],
    ext: '',
  };

  function rig(change: { roomReadsMax?: number; giftRankMax?: number } = {}) {
    const steps: StoredStep[] = [];
    const append = (event: Parameters<typeof codec.encodeLoggedEvents>[0][number]): void => {
      const events = codec.encodeLoggedEvents([event]);
      const last = steps.at(-1);
      const version = ((last?.version ?? 0n) + 1n) as RoomVersion;
      const chain = chainHash(last?.chainHash ?? chainStart, events);
      steps.push({ version, decidedAtMs: 1_000, events, chainHash: chain });
    };
    const gates: (() => void)[] = [];
    let isGated = false;
    const reader = {
      async loadRoom(): Promise<StoredRoom> {
        const last = steps.at(-1);
        if (isGated) await new Promise<void>((resolve) => gates.push(resolve));
        if (last === undefined) return { meta: null, snapshots: [] };
        const { version, chainHash: hash } = last;
        const times = { createdAtMs: 0, updatedAtMs: 0 };
        const ownerUserId = 'owner' as UserId;
        const meta = { version, chainHash: hash, status: 'active', ownerUserId, ...times };
        return { meta, snapshots: [] };
      },
      // Like a read that began when the rebuild did: it sees what was there then.
      stepsAfter: (_key: unknown, after: RoomVersion) =>
        Promise.resolve(steps.filter(({ version }) => version > after)),
    } as unknown as RoomReader;
    const limits = { ...defaultGatewayLimits, ...change };
    const schemaRegistry = {
      register: () => Promise.resolve(),
      find: () => Promise.resolve(null),
    };
    const ports = { roomReader: reader, schemaRegistry, codec };
    const getSnapshot = createGetRoomSnapshot(ports, limits);
    const ask = (...args: Parameters<typeof getSnapshot>) => outcomeOf(getSnapshot(...args));
    const gate = (): void => void (isGated = true);
    const release = async (): Promise<void> => {
      gates.shift()?.();
      await settled();
    };
    return { append, ask, gate, release, gates };
  }

  test('shows the room as committed, with the asking user in it', async () => {
    const { append, ask } = rig();
    append(created);
    const outcome = ask(frame(), { appCode, roomId });
    await settled();
    expect(outcome.now()).toMatchObject({
      value: { version: 1n, status: 'active', title: 'Evening', me: { role: 'owner' } },
    });
  });

  test('shows heat, and of the gift rank as many places as configured', async () => {
    const { append, ask } = rig({ giftRankMax: 1 });
    append(created);
    append(gifted(asUser('u1'), asUser('u2'), 9_007_199_254_740_993n));
    append(gifted(asUser('u2'), asUser('u1'), 1n));
    const outcome = ask(frame(), { appCode, roomId });
    await settled();
    expect(outcome.now()).toMatchObject({
      value: {
        roomHeat: 9_007_199_254_740_994n,
        giftRank: [{ userId: 'u1', coins: 9_007_199_254_740_993n, rank: 1 }],
      },
    });
  });

  test('shows nobody in particular to a service', async () => {
    const { append, ask } = rig();
    append(created);
    const outcome = ask(frame({ caller: backend }), { appCode, roomId });
    await settled();
    expect(outcome.now()).toMatchObject({ value: { me: null } });
  });

  test('a room that was never committed is not found', async () => {
    const outcome = rig().ask(frame(), { appCode, roomId });
    await settled();
    expect(outcome.now()).toMatchObject({ failure: { reason: 'ROOM_NOT_FOUND' } });
  });

  test('a room of another app stays hidden', async () => {
    const outcome = rig().ask(frame(), { appCode: 'app2', roomId });
    await settled();
    expect(outcome.now()).toMatchObject({ failure: { reason: 'PERMISSION_DENIED' } });
  });

  test('a read never shows a rebuild that began before it, and later reads share one', async () => {
    const { append, ask, gate, release, gates } = rig();
    append(created);
    gate();
    ask(frame(), { appCode, roomId });
    await settled();
    const later = [1, 2, 3].map(() => ask(frame(), { appCode, roomId }));
    await settled();
    expect(gates).toHaveLength(1);
    await release();
    for (const outcome of later) expect(outcome.now()).toEqual({ kind: 'pending' });
    expect(gates).toHaveLength(1);
    await release();
    for (const outcome of later) expect(outcome.now()).toMatchObject({ kind: 'value' });
  });

  test('too many rooms at once are refused', async () => {
    const { ask, gate } = rig({ roomReadsMax: 1 });
    gate();
    ask(frame(), { appCode, roomId });
    const second = ask(frame(), { appCode, roomId: 'r2' });
    await settled();
    expect(second.now()).toMatchObject({ failure: { reason: 'GATEWAY_BUSY' } });
  });
});

describe('ListRooms', () => {
  const next: ListCursor = { pinned: true, heatBucket: 12, roomId };
  const ask = { appCode, visibleRegionId: null, mode: '', tag: '', pageSize: 0, cursor: '' };

  function rig(count: number) {
    const queries: ListQuery[] = [];
    const entries = Array.from({ length: count }, () => ({ roomId }) as ListEntry);
    const list = createListRooms({
      listRooms: (query) => {
        queries.push(query);
        return Promise.resolve({ entries, next });
      },
    });
    return { list, queries };
  }

  test.each([
    [0, 20],
    [7, 7],
    [1_000, 100],
  ])('a page size of %s reads %s entries', async (pageSize, read) => {
    const { list, queries } = rig(1);
    await list(frame(), { ...ask, pageSize });
    expect(queries[0]?.pageSize).toBe(read);
  });

  test('a cursor goes on where its page ended', async () => {
    const { list, queries } = rig(20);
    const first = await list(frame(), ask);
    await list(frame(), { ...ask, cursor: first.nextCursor });
    expect(queries[1]?.after).toEqual(next);
  });

  test('a short page is the last one', async () => {
    expect((await rig(19).list(frame(), ask)).nextCursor).toBe('');
  });

  test('a cursor survives its own coding', () => {
    expect(decodeCursor(encodeCursor(next))).toEqual(next);
  });

  test.each([
    'x',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('[1,2]').toString('base64url'),
    Buffer.from('[2,3,"r1"]').toString('base64url'),
    Buffer.from('[1,3.5,"r1"]').toString('base64url'),
    Buffer.from('[1,3,"a b"]').toString('base64url'),
    'x'.repeat(300),
  ])('a cursor that is none of ours is refused: %s', async (cursor) => {
    await expect(rig(1).list(frame(), { ...ask, cursor })).rejects.toMatchObject({
      facts: { field: 'cursor', fault: 'malformed' },
    });
  });

  test('unknown modes and negative sizes are refused together', async () => {
    const odd = { ...ask, mode: 'unknown:5', pageSize: -1 };
    await expect(rig(1).list(frame(), odd)).rejects.toMatchObject({
      facts: { field: 'mode', field_2: 'page_size' },
    });
  });
});
