/**
 * COMMITs without an answer, through a proxy that loses what a network loses. The lane must never
 * call one failed or done that it cannot know about, and `settle` must find out.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommitLane } from '../../../../src/ports/commit-lane.ts';
import type { TakenPartition } from '../../../../src/ports/partition-store.ts';
import type { LaneOptions, MysqlDrivers } from '../../../../src/drivers/mysql/mysql-drivers.ts';
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
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../../support/tcp-proxy.ts';
import { waitUntil } from '../../../support/wait-until.ts';

describe('a COMMIT whose answer is lost', () => {
  let space: MysqlSpace;
  let proxy: TcpProxy;
  let proxied: MysqlDrivers;
  let lane: CommitLane;
  let taken: TakenPartition;
  let partition = 0;

  beforeAll(async () => {
    space = await openMysqlSpace();
    proxy = await startTcpProxy({ targetPort: space.server.port, targetHost: space.server.host });
    proxied = space.moreDrivers({
      server: { ...space.server, host: '127.0.0.1', port: proxy.port },
    });
  });
  afterAll(async () => {
    await proxy.close();
    await space.close();
  });
  beforeEach(async () => {
    partition += 1;
    proxy.setMode({ kind: 'pass' });
    taken = await take('one');
    lane = laneOf();
    // Connected and known to work: the fault is to hit the batch, not the handshake.
    const first = { ...emptyBatch, fences: [fenceOf(taken, 'one')] };
    expect(await lane.commit(first, open())).toEqual({ kind: 'committed' });
    return () => lane.stop();
  });

  const laneOf = (options: Partial<LaneOptions> = {}): CommitLane =>
    proxied.openLane({ incarnation: 'one', lane: 0, ...options });
  const take = (incarnation: string): Promise<TakenPartition> =>
    space.drivers.partitionStore.takeover({
      partition,
      nodeId: 'node-1',
      incarnation,
      lane: 0,
      advertiseAddr: '10.0.0.1:7000',
    });
  const isCommit = (chunk: Buffer): boolean => chunk.subarray(-6).toString('latin1') === 'COMMIT';
  const batchOf = (roomId = freshRoomId()) =>
    commandBatch(taken, 'one', { roomId, version: 1n }, { commitSeq: 1n });
  const storedVersion = async (batch: ReturnType<typeof batchOf>): Promise<bigint | undefined> => {
    const roomKey = keyOf(batch.roomRows[0]?.roomId ?? freshRoomId());
    return (await space.drivers.roomReader.loadRoom(roomKey)).meta?.version;
  };
  it('that reached the server is unknown, and settles as committed', async () => {
    const watch = proxy.swallow({ watch: 'toServer', matches: isCommit, swallow: 'toClient' });
    const batch = batchOf();
    const committing = lane.commit(batch, open());
    await watch.swallowed;
    watch.cutMatched();
    expect(await committing).toMatchObject({ kind: 'unknown' });
    expect(await storedVersion(batch)).toBe(1n);
    expect(await lane.settle(batch)).toEqual({ kind: 'committed' });
    await space.noTransactionIsOpen();
  });

  it('that never reached the server is unknown, settles as absent and can be done again', async () => {
    const watch = proxy.swallow({ watch: 'toServer', matches: isCommit, swallow: 'toServer' });
    const batch = batchOf();
    const committing = lane.commit(batch, open());
    await watch.matched;
    watch.cutMatched();
    expect(await committing).toMatchObject({ kind: 'unknown' });
    expect(await lane.settle(batch)).toEqual({ kind: 'absent' });
    expect(await storedVersion(batch)).toBeUndefined();
    await space.noTransactionIsOpen();
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
  });

  it('ends in unknown when the server is silent for longer than the limit', async () => {
    await lane.stop();
    lane = laneOf({ commitMs: 300 });
    const watch = proxy.swallow({ watch: 'toServer', matches: isCommit, swallow: 'toClient' });
    const batch = batchOf();
    const outcome = await lane.commit(batch, open());
    await watch.matched;
    expect(outcome).toMatchObject({ kind: 'unknown', cause: expect.stringContaining('300 ms') });
    expect(await lane.settle(batch)).toEqual({ kind: 'committed' });
  });

  it('settles as fenced when a successor took the partition in between', async () => {
    const watch = proxy.swallow({ watch: 'toServer', matches: isCommit, swallow: 'toClient' });
    const batch = batchOf();
    const committing = lane.commit(batch, open());
    await watch.swallowed;
    watch.cutMatched();
    expect(await committing).toMatchObject({ kind: 'unknown' });
    await take('successor');
    const fenced = { kind: 'fenced', partitions: [partition], rest: 'committed' };
    expect(await lane.settle(batch)).toEqual(fenced);
  });

  it('cannot be settled while the database is out of reach, and can afterwards', async () => {
    const watch = proxy.swallow({ watch: 'toServer', matches: isCommit, swallow: 'toClient' });
    const batch = batchOf();
    const committing = lane.commit(batch, open());
    await watch.swallowed;
    await proxy.refuse();
    expect(await committing).toMatchObject({ kind: 'unknown' });
    const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
    await expect(lane.settle(batch)).rejects.toMatchObject(retry);
    await proxy.accept();
    expect(await lane.settle(batch)).toEqual({ kind: 'committed' });
  });

  it('is no unknown when the connection was lost before COMMIT was sent', async () => {
    await lane.stop();
    lane = laneOf({ gateMs: 60_000 });
    const batch = batchOf();
    let pass: (answer: boolean) => void = () => undefined;
    const gate = new Promise<boolean>((resolve) => {
      pass = resolve;
    });
    const committing = lane.commit(batch, gate);
    await waitUntil('the open transaction of packet 1', async () => {
      const isHeld = await space.ownerRowIsHeld(partition);
      return isHeld && (await space.runningStatements()).length === 0;
    });
    proxy.cut();
    // The loss must have reached us; a word on the same loop comes after it.
    await waitUntil('the cut of the proxy', () => Promise.resolve(proxy.connectionCount === 0));
    await new Promise((resolve) => setImmediate(resolve));
    pass(true);
    expect(await committing).toMatchObject({ kind: 'unavailable' });
    expect(await storedVersion(batch)).toBeUndefined();
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
  });

  it('a server that answers nothing to packet 1 costs the limit and stores nothing', async () => {
    await lane.stop();
    lane = laneOf({ packetMs: 300 });
    const batch = batchOf();
    const watch = proxy.swallow({
      watch: 'toServer',
      matches: (chunk) => chunk.includes('BEGIN;UPDATE partition_owner'),
      swallow: 'toClient',
    });
    const outcome = await lane.commit(batch, open());
    await watch.matched;
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    expect(await storedVersion(batch)).toBeUndefined();
    expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
  });

  it('an idle connection that died goes unnoticed: the batch is sent again on a new one', async () => {
    proxy.cut();
    expect(await lane.commit(batchOf(), open())).toEqual({ kind: 'committed' });
  });
});
