/**
 * What the memory database can show and no shared server can be made to show: faults out of the
 * queue, a crash, commits that vanish, a KILL that is not permitted, a way that takes time.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { LaneFault } from '../../../../src/drivers/memory/lane-fault.ts';
import { ownerLock } from '../../../../src/drivers/memory/lane-packet.ts';
import { laneName } from '../../../../src/drivers/memory/lane-settings.ts';
import { MemoryCommitLane } from '../../../../src/drivers/memory/memory-commit-lane.ts';
import { commitsKept, MemoryDatabase } from '../../../../src/drivers/memory/memory-database.ts';
import { createMemoryDrivers } from '../../../../src/drivers/memory/memory-drivers.ts';
import { MemoryTransaction } from '../../../../src/drivers/memory/memory-session.ts';
import type { MemoryPort } from '../../../../src/drivers/memory/memory-server.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import type { LaneBatch } from '../../../../src/ports/commit-lane.ts';
import type { TakenPartition } from '../../../../src/ports/partition-store.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshRoomId,
  hashOf,
  keyOf,
  open,
} from '../../../support/lane-batches.ts';
import { openMemorySpace, type MemorySpace } from '../../../support/memory-space.ts';
import { failureAt } from '../../../support/outbox-rig.ts';
import { claimOf, nowMs, outboxApp } from '../../../support/outbox-rows.ts';

let space: MemorySpace;
let lane: MemoryCommitLane;
let taken: TakenPartition;

const take = (incarnation: string): Promise<TakenPartition> =>
  space.drivers.partitionStore.takeover({
    partition: 1,
    nodeId: 'n',
    incarnation,
    lane: 0,
    advertiseAddr: '10.0.0.1:1',
  });
const batchAt = (commitSeq: bigint): LaneBatch =>
  commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n }, { commitSeq });
const versionOf = async (batch: LaneBatch): Promise<bigint | undefined> => {
  const roomKey = keyOf(batch.roomRows[0]?.roomId ?? freshRoomId());
  return (await space.drivers.roomReader.loadRoom(roomKey)).meta?.version;
};

beforeEach(async () => {
  space = openMemorySpace();
  lane = space.drivers.openLane({ incarnation: 'one' });
  taken = await take('one');
});

describe('the fault queue of a lane', () => {
  it.each<[LaneFault, object, boolean]>([
    [{ kind: 'lostAfterCommit' }, { kind: 'unknown' }, true],
    [{ kind: 'lostBeforeCommit' }, { kind: 'unknown' }, false],
    [{ kind: 'conflict' }, { kind: 'conflict' }, false],
    [{ kind: 'lockWait' }, { kind: 'conflict' }, false],
    [{ kind: 'fenceBusy', partitions: [1] }, { kind: 'fenceBusy', partitions: [1] }, false],
    [{ kind: 'duplicateCommand' }, { kind: 'duplicateCommand' }, false],
    [{ kind: 'unavailable' }, { kind: 'unavailable' }, false],
    [{ kind: 'readOnly' }, { kind: 'unavailable' }, false],
    [{ kind: 'tooManyConnections' }, { kind: 'unavailable' }, false],
    [{ kind: 'lostBeforePacket' }, { kind: 'committed' }, true],
    [{ kind: 'lostInPacket' }, { kind: 'unavailable' }, false],
    [{ kind: 'lostAtGate' }, { kind: 'unavailable' }, false],
  ])('%o meets one transaction and leaves all or nothing', async (fault, outcome, isStored) => {
    const first = batchAt(0n);
    lane.faults.push(fault);
    expect(await lane.commit(first, open())).toMatchObject(outcome);
    expect(await versionOf(first)).toBe(isStored ? 1n : undefined);
    expect(space.database.outbox.size).toBe(isStored ? 2 : 0);
    const next = batchAt(isStored ? 1n : 0n);
    expect(await lane.commit(next, open())).toEqual({ kind: 'committed' });
  });

  it('leaves no row locked, whatever it showed', async () => {
    for (const kind of ['conflict', 'lockWait', 'lostInPacket', 'lostAtGate'] as const) {
      lane.faults.push({ kind });
      await lane.commit(batchAt(0n), open());
      expect(space.database.server.transactions.size, kind).toBe(0);
    }
  });
});

describe('faults of the other ports', () => {
  const calls: readonly (readonly [MemoryPort, () => Promise<unknown>])[] = [
    ['partitions', () => space.drivers.partitionStore.readOwners()],
    ['rooms', () => space.drivers.roomReader.loadRoom(keyOf(freshRoomId()))],
    ['queries', () => space.drivers.roomQueries.passwordOf(outboxApp, freshRoomId())],
    ['replySlots', () => space.drivers.replySlots.release(0, 'one')],
    ['schemas', () => space.drivers.schemaRegistry.find('x')],
    ['outbox', () => space.drivers.outboxStore.backlog()],
    [
      'snapshots',
      () => {
        const roomKey = keyOf(freshRoomId());
        const hashes = { stateHash: hashOf(1), chainHash: hashOf(2), createdAtMs: 1 };
        const row = { roomKey, version: asVersion(1n), bytes: bytesOf('s'), ...hashes };
        return space.drivers.snapshotStore.save(row, 2);
      },
    ],
  ];

  it.each(calls)('%s fails once, and no other port with it', async (port, call) => {
    space.database.server.faults.push({ port, kind: 'refused' });
    for (const [other, otherCall] of calls) if (other !== port) await otherCall();
    await expect(call()).rejects.toMatchObject({ kind: 'retry', reason: 'UNAVAILABLE' });
    await call();
  });

  it('a refused call did nothing, one whose answer was lost did everything', async () => {
    await lane.commit(batchAt(0n), open());
    const { outboxStore } = space.drivers;
    space.database.server.faults.push({ port: 'outbox', kind: 'refused' });
    await expect(outboxStore.claimRuns(claimOf())).rejects.toMatchObject({ kind: 'retry' });
    expect([...space.database.outbox.values()].map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ]);
    space.database.server.faults.push({ port: 'outbox', kind: 'answerLost' });
    await expect(outboxStore.claimRuns(claimOf())).rejects.toMatchObject({ kind: 'retry' });
    // Nobody knows of the claim: only its end frees the rows.
    expect(await outboxStore.claimRuns(claimOf())).toEqual([]);
    expect(await outboxStore.claimRuns(claimOf({ nowMs: nowMs + 60_000 }))).toHaveLength(2);
  });
});

describe('a server that is read only', () => {
  it('answers reads and refuses writes', async () => {
    await lane.commit(batchAt(0n), open());
    space.database.server.mode = 'readOnly';
    expect(await lane.commit(batchAt(1n), open())).toMatchObject({ kind: 'unavailable' });
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ commitSeq: 1n });
    const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
    await expect(take('successor')).rejects.toMatchObject(retry);
    await expect(space.drivers.outboxStore.claimRuns(claimOf())).rejects.toMatchObject(retry);
  });
});

describe('a crash', () => {
  it('takes open transactions and connections away and keeps what was committed', async () => {
    const first = batchAt(0n);
    await lane.commit(first, open());
    const gate = createDeferred<boolean>();
    const second = batchAt(1n);
    const committing = lane.commit(second, gate.promise);
    await space.time.advance(0);
    space.database.server.crash();
    gate.resolve(true);
    expect(await committing).toMatchObject({ kind: 'unavailable' });
    expect([await versionOf(first), await versionOf(second)]).toEqual([1n, undefined]);
    expect(await lane.commit(second, open())).toEqual({ kind: 'committed' });
  });

  it('ends a takeover that waited, as a Retry', async () => {
    const gate = createDeferred<boolean>();
    const committing = lane.commit(batchAt(0n), gate.promise);
    await space.time.advance(0);
    const taking = expect(take('successor')).rejects.toMatchObject({ kind: 'retry' });
    await space.time.advance(0);
    space.database.server.crash();
    await taking;
    gate.resolve(true);
    await committing;
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ epoch: 1n });
  });

  it('of a server that flushes late loses the last commits whole, and only these', async () => {
    const batches = [0n, 1n, 2n].map(batchAt);
    for (const batch of batches) expect((await lane.commit(batch, open())).kind).toBe('committed');
    space.database.server.crash({ commitsLost: 2 });
    expect(await Promise.all(batches.map(versionOf))).toEqual([1n, undefined, undefined]);
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ commitSeq: 1n });
    expect([space.database.log.size, space.database.outbox.size]).toEqual([1, 2]);
    expect(
      space.database.log.rowsBy('room', keyOf(batches[1]?.roomRows[0]?.roomId ?? freshRoomId())),
    ).toEqual([]);
    const again = batchAt(1n);
    expect(await lane.commit(again, open())).toEqual({ kind: 'committed' });
  });

  it('loses takeovers and outbox marks like everything else', async () => {
    await lane.commit(batchAt(0n), open());
    const { outboxStore } = space.drivers;
    const [run] = await outboxStore.claimRuns(claimOf());
    const rowIds = run?.rows.map(({ rowId }) => rowId) ?? [];
    await outboxStore.finish(run?.claimToken ?? '', { kind: 'delivered', rowIds }, nowMs);
    await take('successor');
    space.database.server.crash({ commitsLost: 2 });
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ epoch: 1n });
    expect(space.database.outbox.get(rowIds[0] ?? 0n)).toMatchObject({ status: 'delivering' });
  });

  it('loses a finish whole: what was delivered, what failed and what went back', async () => {
    const eventRows = [0, 1, 2].map((eventIndex) =>
      eventRowOf(freshRoomId(), 1n, { eventIndex, destinations: ['im'] }),
    );
    const roomId = freshRoomId();
    const rows = eventRows.map((row) => ({ ...row, roomId }));
    await lane.commit({ ...batchAt(0n), eventRows: rows }, open());
    const { outboxStore } = space.drivers;
    const [run] = await outboxStore.claimRuns(claimOf());
    const [first, second] = run?.rows.map(({ rowId }) => rowId) ?? [];
    const finish = failureAt(second ?? 0n, { deliveredRowIds: [first ?? 0n] });
    await outboxStore.finish(run?.claimToken ?? '', finish, nowMs);
    const statuses = (): string[] => [...space.database.outbox.values()].map((row) => row.status);
    expect(statuses()).toEqual(['delivered', 'retryable', 'pending']);
    space.database.server.crash({ commitsLost: 1 });
    expect(statuses()).toEqual(['delivering', 'delivering', 'delivering']);
  });

  it('never loses more than it says it may', async () => {
    for (let seq = 0n; seq < BigInt(commitsKept) + 5n; seq += 1n) {
      const fences = [fenceOf(taken, 'one', { commitSeq: seq })];
      await lane.commit({ ...emptyBatch, fences }, open());
    }
    space.database.server.crash({ commitsLost: commitsKept * 2 });
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ commitSeq: 5n });
  });
});

describe('a transaction of a frozen process', () => {
  const frozen = async (): Promise<void> => {
    // Its own timers stand still with it: no limit of its own frees what it holds.
    const timers = new VirtualTime();
    const process = new MemoryCommitLane(space.database, { incarnation: 'one', timers });
    void process.commit(batchAt(0n), new Promise<boolean>(() => undefined));
    await space.time.advance(0);
  };

  it('is ended by the takeover after one lock wait', async () => {
    await frozen();
    const before = space.time.monoMs();
    expect(await space.ended(take('successor'))).toMatchObject({ epoch: 2n });
    expect(space.time.monoMs() - before).toBe(1_000);
  });

  it('is ended by the server’s wait_timeout where nobody may KILL', async () => {
    space.database.server.mayKill = false;
    await frozen();
    const before = space.time.monoMs();
    expect(await space.ended(take('successor'))).toMatchObject({ epoch: 2n });
    expect(space.time.monoMs() - before).toBe(10_000);
  });
});

describe('a takeover whose row changed while it waited', () => {
  it('ends nobody: an owner who commits is healthy, whoever holds the row now', async () => {
    const gate = createDeferred<boolean>();
    const committing = lane.commit(batchAt(0n), gate.promise);
    await space.time.advance(0);
    const connection = space.database.server.named(laneName('one', 0));
    const rival = new MemoryTransaction(space.database);
    const held = rival.lock(ownerLock(1), 3_000);
    const taking = take('successor');
    await space.time.advance(500);
    gate.resolve(true);
    expect(await committing).toEqual({ kind: 'committed' });
    expect(await held).toBe('granted');
    await space.time.advance(600);
    rival.rollBack();
    expect(await taking).toMatchObject({ epoch: 2n });
    expect(space.database.server.named(laneName('one', 0))).toBe(connection);
  });
});

describe('a frozen server', () => {
  it('stores a COMMIT that it was sent before, after the lane has given up', async () => {
    const gate = createDeferred<boolean>();
    const batch = batchAt(0n);
    const committing = lane.commit(batch, gate.promise);
    await space.time.advance(0);
    space.database.server.freeze();
    gate.resolve(true);
    expect(await space.ended(committing)).toMatchObject({ kind: 'unknown' });
    expect(space.database.log.size).toBe(0);
    space.database.server.thaw();
    expect(await space.ended(lane.settle(batch))).toEqual({ kind: 'committed' });
  });

  it('makes calls of ports a Retry after their limit, and does none of them later', async () => {
    space.database.server.freeze();
    const before = space.time.monoMs();
    await expect(space.ended(take('successor'))).rejects.toMatchObject({ kind: 'retry' });
    expect(space.time.monoMs() - before).toBe(5_000);
    space.database.server.thaw();
    await space.time.advance(60_000);
    expect(await space.drivers.partitionStore.readOwner(1)).toMatchObject({ epoch: 1n });
  });
});

it('marks of settled offsets go when the applied offset passes them', async () => {
  const marked = fenceOf(taken, 'one', { appliedOffset: 0n, settledOffsets: [2n, 5n] });
  await lane.commit({ ...emptyBatch, fences: [marked] }, open());
  const passed = fenceOf(taken, 'one', { commitSeq: 1n, appliedOffset: 3n });
  await lane.commit({ ...emptyBatch, fences: [passed] }, open());
  expect([...(space.database.settled.get(1) ?? [])]).toEqual([5n]);
});

describe('a way that takes time', () => {
  it('costs every call both ways and a commit twice as much', async () => {
    const time = new VirtualTime();
    const database = new MemoryDatabase({ clock: time, timers: time, latencyMs: () => 7 });
    const drivers = createMemoryDrivers(database);
    const own = { ...space, time, database, drivers };
    space = own;
    const run = async <T>(promise: Promise<T>): Promise<number> => {
      const before = time.monoMs();
      const ended = promise.then(() => time.monoMs() - before);
      await time.advance(1_000);
      return ended;
    };
    expect(await run(drivers.partitionStore.readOwners())).toBe(14);
    const nobody = { ...emptyBatch, fences: [] };
    expect(await run(drivers.openLane({ incarnation: 'one' }).commit(nobody, open()))).toBe(28);
  });
});

it('a lane is found by incarnation and number together', () => {
  expect(laneName('a', 1)).not.toBe(laneName('a', 2));
  expect(laneName('a', 1)).not.toBe(laneName('b', 1));
});
