/**
 * Taking partitions over from owners that do not let go: the guarantee that one frozen process stops
 * nobody for longer than a lock wait, and that nobody healthy pays for it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeoverSession } from '../../../../src/drivers/mysql/connection-settings.ts';
import type { MysqlDrivers } from '../../../../src/drivers/mysql/mysql-drivers.ts';
import { openSession } from '../../../../src/drivers/mysql/session.ts';
import { raiseEpoch } from '../../../../src/drivers/mysql/takeover.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import type { CommitLane, LaneBatch } from '../../../../src/ports/commit-lane.ts';
import type { TakenPartition } from '../../../../src/ports/partition-store.ts';
import { writerLockName } from '../../../../src/protocol/lock-name.ts';
import {
  commandBatch,
  emptyBatch,
  fenceOf,
  freshRoomId,
  keyOf,
  open,
} from '../../../support/lane-batches.ts';
import { openMysqlSpace } from '../../../support/mysql-space.ts';
import type { MysqlSpace } from '../../../support/mysql-space.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('takeover of a partition whose row is held', () => {
  let space: MysqlSpace;
  let partitions = 0;
  const lanes: CommitLane[] = [];

  beforeAll(async () => {
    space = await openMysqlSpace();
  });
  afterAll(async () => {
    await Promise.all(lanes.map((lane) => lane.stop()));
    await space.close();
  });

  const laneOf = (incarnation: string): CommitLane => {
    const lane = space.drivers.openLane({ incarnation, lane: 0, gateMs: 60_000 });
    lanes.push(lane);
    return lane;
  };
  const take = (partition: number, incarnation: string): Promise<TakenPartition> =>
    space.drivers.partitionStore.takeover({
      partition,
      nodeId: incarnation,
      incarnation,
      lane: 0,
      advertiseAddr: '10.0.0.1:7000',
    });
  const threadOf = async (incarnation: string): Promise<string | null> => {
    const name = writerLockName(space.server.database, incarnation, 0);
    const rows = await space.sql('SELECT IS_USED_LOCK(?) AS thread', [name]);
    const thread = rows[0]?.['thread'] ?? null;
    return thread === null ? null : String(thread);
  };
  /** Packet 1 of the lane is answered and its transaction is open: the lane awaits its gate. */
  const transactionIsOpen = (partition: number): Promise<boolean> =>
    waitUntil(`a transaction on partition ${partition} between packet 1 and COMMIT`, async () => {
      const isHeld = await space.ownerRowIsHeld(partition);
      const running = await space.runningStatements();
      return isHeld && !running.some((statement) => statement.startsWith('UPDATE partition_owner'));
    });

  it('a frozen transaction is taken over by KILL in about a second, and a healthy lane of another partition is not ended', async () => {
    const [frozenPartition, healthyPartition] = [(partitions += 1), (partitions += 1)];
    const frozen = laneOf('frozen');
    const healthy = laneOf('healthy');
    const lost = await take(frozenPartition, 'frozen');
    const kept = await take(healthyPartition, 'healthy');
    const first = fenceOf(kept, 'healthy');
    await healthy.commit({ ...emptyBatch, fences: [first] }, open());
    const healthyThread = await threadOf('healthy');

    const thawed = createDeferred<boolean>();
    const roomId = freshRoomId();
    const batch = commandBatch(lost, 'frozen', { roomId, version: 1n });
    const ended = frozen.commit(batch, thawed.promise);
    await transactionIsOpen(frozenPartition);

    const startedAt = performance.now();
    const taken = await take(frozenPartition, 'successor');
    const tookMs = performance.now() - startedAt;
    expect(taken).toMatchObject({ epoch: 2n, appliedOffset: -1n, wasReleased: false });
    expect(tookMs).toBeLessThan(3_000);

    expect(await threadOf('healthy')).toBe(healthyThread);
    const second = fenceOf(kept, 'healthy', { commitSeq: 1n, appliedOffset: 1n });
    const next = await healthy.commit({ ...emptyBatch, fences: [second] }, open());
    expect(next).toEqual({ kind: 'committed' });
    expect(await threadOf('healthy')).toBe(healthyThread);

    // The frozen one wakes up, wants to commit, and finds that nothing of it is left.
    thawed.resolve(true);
    expect(['unavailable', 'unknown']).toContain((await ended).kind);
    const stored = await space.drivers.roomReader.loadRoom(keyOf(roomId));
    expect(stored.meta).toBeNull();
    expect(await frozen.commit(batch, open())).toEqual({
      kind: 'fenced',
      partitions: [frozenPartition],
    });
  });

  it('an owner that commits again and again is never ended, and the takeover gets through', async () => {
    const partition = (partitions += 1);
    const owner = laneOf('busy');
    const owned = await take(partition, 'busy');
    const commitUntilFenced = async (): Promise<bigint> => {
      for (let commitSeq = 0n; ; commitSeq += 1n) {
        const batch: LaneBatch = {
          ...emptyBatch,
          fences: [fenceOf(owned, 'busy', { commitSeq, appliedOffset: commitSeq })],
        };
        const gate = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 50));
        const outcome = await owner.commit(batch, gate);
        if (outcome.kind === 'fenced') return commitSeq;
        expect(outcome).toEqual({ kind: 'committed' });
      }
    };
    const commits = commitUntilFenced();
    await transactionIsOpen(partition);
    const thread = await threadOf('busy');
    const taken = await take(partition, 'successor');
    const committed = await commits;
    expect(taken.appliedOffset).toBe(committed - 1n);
    expect(await threadOf('busy')).toBe(thread);
  });

  it('an owner that commits just when the wait runs out is not ended', async () => {
    const partition = (partitions += 1);
    const owner = laneOf('slow');
    const owned = await take(partition, 'slow');
    const gate = createDeferred<boolean>();
    const committing = owner.commit(
      { ...emptyBatch, fences: [fenceOf(owned, 'slow')] },
      gate.promise,
    );
    await transactionIsOpen(partition);
    const thread = await threadOf('slow');
    // The look at the row that follows the lock wait time-out comes after the owner's COMMIT.
    let looks = 0;
    const session = await openSession(space.server, takeoverSession);
    const rows = session.rows.bind(session);
    session.rows = async (sql, values) => {
      looks += 1;
      if (looks === 2) {
        gate.resolve(true);
        expect(await committing).toEqual({ kind: 'committed' });
      }
      return rows(sql, values);
    };
    const place = { topic: 't.commands', database: space.server.database, heldRowMs: 20_000 };
    const request = { partition, nodeId: 'n', incarnation: 'late', lane: 0, advertiseAddr: 'a:1' };
    expect(await raiseEpoch(session, place, request)).toEqual({ epoch: 2n, wasReleased: false });
    expect(looks).toBe(2);
    expect(await threadOf('slow')).toBe(thread);
    await session.end();
  });

  it('where KILL is not permitted, the writer’s wait_timeout frees the row', async () => {
    const partition = (partitions += 1);
    const [writer, taker] = ['w', 't'].map((kind) => `rc_${kind}_${partition}_${process.pid}`);
    for (const user of [writer, taker]) {
      await space.sql(`CREATE USER '${user}'@'%' IDENTIFIED BY 'pw'`);
      await space.sql(`GRANT ALL ON \`${space.server.database}\`.* TO '${user}'@'%'`);
    }
    const driversOf = (user: string | undefined): MysqlDrivers =>
      space.moreDrivers({ server: { ...space.server, user: user ?? '', password: 'pw' } });
    const owned = await take(partition, 'unkillable');
    const silentSeconds = 2;
    const lane = driversOf(writer).openLane({
      incarnation: 'unkillable',
      lane: 0,
      gateMs: 60_000,
      session: { silentSeconds },
    });
    lanes.push(lane);
    const never = new Promise<boolean>(() => undefined);
    const batch = { ...emptyBatch, fences: [fenceOf(owned, 'unkillable')] };
    const ended = lane.commit(batch, never);
    await transactionIsOpen(partition);
    const request = { partition, nodeId: 'n', incarnation: 'late', lane: 0, advertiseAddr: 'a:1' };
    const startedAt = performance.now();
    expect(await driversOf(taker).partitionStore.takeover(request)).toMatchObject({ epoch: 2n });
    // A KILL would have freed the row after the lock wait of one second.
    expect(performance.now() - startedAt).toBeGreaterThan(1_200);
    await lane.stop();
    for (const user of [writer, taker]) await space.sql(`DROP USER '${user}'@'%'`);
    void ended;
  });

  it('a row held by somebody who is no lane is waited for', async () => {
    const partition = (partitions += 1);
    await take(partition, 'gone');
    const operator = await space.openObserver();
    await operator.run('START TRANSACTION');
    await operator.run('SELECT epoch FROM partition_owner WHERE partition_id = ? FOR UPDATE', [
      partition,
    ]);
    let isTaken = false;
    const taking = take(partition, 'successor').finally(() => {
      isTaken = true;
    });
    await waitUntil('a takeover that waits for the row', async () => {
      const running = await space.runningStatements();
      return running.some((statement) => statement.startsWith('UPDATE partition_owner SET epoch'));
    });
    expect(isTaken).toBe(false);
    await operator.run('ROLLBACK');
    expect(await taking).toMatchObject({ epoch: 2n });
  });

  it('a takeover that never gets the row ends with Retry, and the epoch is as before', async () => {
    const partition = (partitions += 1);
    await take(partition, 'gone');
    const { partitionStore } = space.moreDrivers({ takeoverHeldRowMs: 10 });
    const operator = await space.openObserver();
    await operator.run('START TRANSACTION');
    await operator.run('SELECT epoch FROM partition_owner WHERE partition_id = ? FOR UPDATE', [
      partition,
    ]);
    const request = { partition, nodeId: 'n', incarnation: 'late', lane: 0, advertiseAddr: 'a:1' };
    await expect(partitionStore.takeover(request)).rejects.toMatchObject({
      kind: 'retry',
      reason: 'UNAVAILABLE',
    });
    await operator.run('ROLLBACK');
    const owner = await partitionStore.readOwner(partition);
    expect(owner).toMatchObject({ epoch: 1n, incarnation: 'gone' });
  });

  it('a lane that lost its connection ends its own old one before it goes on', async () => {
    const partition = (partitions += 1);
    const owned = await take(partition, 'reborn');
    // What a connection leaves behind whose end the server has not noticed.
    const old = await space.openObserver();
    const name = writerLockName(space.server.database, 'reborn', 0);
    await old.run('SELECT GET_LOCK(?, 0)', [name]);
    await old.run('START TRANSACTION');
    await old.run('UPDATE partition_owner SET applied_offset = 77 WHERE partition_id = ?', [
      partition,
    ]);
    const lane = laneOf('reborn');
    const batch = { ...emptyBatch, fences: [fenceOf(owned, 'reborn')] };
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
    expect(old.alive).toBe(false);
    const owner = await space.drivers.partitionStore.readOwner(partition);
    expect(owner).toMatchObject({ appliedOffset: 0n, commitSeq: 1n });
  });
});
