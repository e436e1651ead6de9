/**
 * What befalls a commit lane: lost connections, held rows, deadlocks, a server that is frozen or
 * full. Each is brought about for real where that is possible, and both the driver and its twin must
 * say the same and leave the same behind. A lane goes on afterwards, whatever it was.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { CommitLane, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import type { FaultSpace } from '../../support/fault-space.ts';
import {
  commandBatch,
  emptyBatch,
  fenceOf,
  freshRoomId,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  takenBy,
} from '../../support/lane-batches.ts';

/** Declares the suite. */
export function laneFaultsContract(name: string, openSpace: () => Promise<FaultSpace>): void {
  describe(`what befalls a commit lane: ${name}`, () => {
    let space: FaultSpace;
    let lane: CommitLane;
    let taken: TakenPartition;
    let partition = 0;
    let incarnation = '';

    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());
    beforeEach(async () => {
      partition += 10;
      incarnation = `one-${partition}`;
      taken = await take(partition, incarnation);
      lane = space.openLane(incarnation);
      // Connected and known to work: the fault is to hit the batch, not the handshake.
      expect(await lane.commit(idle(0n), open())).toEqual({ kind: 'committed' });
      return async () => {
        await space.heal();
        const later = { ...emptyBatch, fences: [fenceOf(await take(partition), incarnation)] };
        expect(await space.ended(lane.commit(later, open()))).toEqual({ kind: 'committed' });
        await lane.stop();
      };
    });

    const take = (id: number, owner = incarnation): Promise<TakenPartition> =>
      space.ended(takenBy(space.store, owner, id));
    const idle = (commitSeq: bigint): LaneBatch => ({
      ...emptyBatch,
      fences: [fenceOf(taken, incarnation, { commitSeq })],
    });
    const batchOf = (roomId: RoomId = freshRoomId()): LaneBatch =>
      commandBatch(taken, incarnation, { roomId, version: 1n }, { commitSeq: 1n });
    const storedVersion = async (batch: LaneBatch): Promise<bigint | undefined> => {
      const roomKey = keyOf(batch.roomRows[0]?.roomId ?? freshRoomId());
      return (await space.reader.loadRoom(roomKey)).meta?.version;
    };
    const roomThere = async (): Promise<RoomId> => {
      const roomId = freshRoomId();
      const outcome = await lane.commit(batchOf(roomId), open());
      expect(outcome).toEqual({ kind: 'committed' });
      return roomId;
    };
    const stepOf = (...roomIds: readonly RoomId[]): LaneBatch => ({
      ...idle(2n),
      roomRows: roomIds.map((roomId) => roomRowOf(taken, roomId, 2n)),
    });

    describe('an answer to COMMIT that is lost', () => {
      it('is unknown when COMMIT took effect, and settles as committed', async () => {
        const lost = space.loseCommit(lane, 'answer');
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({ kind: 'unknown' });
        await lost;
        expect(await storedVersion(batch)).toBe(1n);
        expect(await space.ended(lane.settle(batch))).toEqual({ kind: 'committed' });
      });

      it('is unknown when COMMIT took none, settles as absent and can be done again', async () => {
        const lost = space.loseCommit(lane, 'request');
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({ kind: 'unknown' });
        await lost;
        expect(await space.ended(lane.settle(batch))).toEqual({ kind: 'absent' });
        expect(await storedVersion(batch)).toBeUndefined();
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
      });

      it('settles as fenced when a successor took the partition in between', async () => {
        const lost = space.loseCommit(lane, 'answer');
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({ kind: 'unknown' });
        await lost;
        await take(partition, 'successor');
        const fenced = { kind: 'fenced', partitions: [partition], rest: 'committed' };
        expect(await space.ended(lane.settle(batch))).toEqual(fenced);
      });

      it('cannot be settled while the server is out of reach, and can afterwards', async () => {
        const lost = space.loseCommit(lane, 'answer');
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({ kind: 'unknown' });
        await lost;
        await space.goAway();
        const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
        await expect(space.ended(lane.settle(batch))).rejects.toMatchObject(retry);
        await space.comeBack();
        expect(await space.ended(lane.settle(batch))).toEqual({ kind: 'committed' });
      });

      it('is settled only behind whoever holds the owner row, and not for ever', async () => {
        const lost = space.loseCommit(lane, 'answer');
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({ kind: 'unknown' });
        await lost;
        const rival = await space.openRival();
        await rival.holdOwner(partition);
        const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
        await expect(space.ended(lane.settle(batch))).rejects.toMatchObject(retry);
        await rival.end();
        expect(await space.ended(lane.settle(batch))).toEqual({ kind: 'committed' });
      });
    });

    describe('a row that somebody else holds', () => {
      it('is fenceBusy of exactly that partition when it is an owner row', async () => {
        const others = [await take(partition + 1), await take(partition + 2)];
        const rival = await space.openRival();
        await rival.holdOwner(partition + 1);
        const batch: LaneBatch = {
          ...batchOf(),
          fences: [
            ...others.map((other) => fenceOf(other, incarnation)),
            fenceOf(taken, incarnation, { commitSeq: 1n }),
          ],
        };
        const outcome = await space.ended(lane.commit(batch, open()));
        expect(outcome).toEqual({ kind: 'fenceBusy', partitions: [partition + 1] });
        expect(await storedVersion(batch)).toBeUndefined();
        expect(await space.store.readOwner(partition)).toMatchObject({ commitSeq: 1n });
      });

      it('is a conflict when it is a room, and nothing before that row stays', async () => {
        const roomId = await roomThere();
        const rival = await space.openRival();
        await rival.holdRoom(keyOf(roomId));
        const outcome = await space.ended(lane.commit(stepOf(roomId), open()));
        const cause = expect.stringContaining('1205');
        expect(outcome).toMatchObject({ kind: 'conflict', cause });
        await rival.end();
        expect(await space.store.readOwner(partition)).toMatchObject({ commitSeq: 2n });
        expect(await lane.commit(stepOf(roomId), open())).toEqual({ kind: 'committed' });
      });

      it('is waited for, and the batch goes on when it comes free in time', async () => {
        const rival = await space.openRival();
        await rival.holdOwner(partition);
        const batch = batchOf();
        const committing = lane.commit(batch, open());
        await space.somebodyWaitsFor('ownerRow');
        await rival.end();
        expect(await space.ended(committing)).toEqual({ kind: 'committed' });
      });

      it('is a deadlock when two wait for each other: all of the batch is undone', async () => {
        const [first, last] = [freshRoomId(), freshRoomId()];
        const both = [first, last].map((roomId) => roomRowOf(taken, roomId, 1n));
        await lane.commit({ ...idle(1n), roomRows: both }, open());
        const rival = await space.openRival({ isHeavy: true });
        await rival.holdRoom(keyOf(last));
        const committing = lane.commit(stepOf(first, last), open());
        await space.somebodyWaitsFor('roomRow');
        await rival.holdRoom(keyOf(first));
        const cause = expect.stringContaining('1213');
        expect(await space.ended(committing)).toMatchObject({ kind: 'conflict', cause });
        await rival.end();
        expect((await space.reader.loadRoom(keyOf(first))).meta?.version).toBe(1n);
        expect(await space.store.readOwner(partition)).toMatchObject({ commitSeq: 2n });
        const again = stepOf(first, last);
        expect(await lane.commit(again, open())).toEqual({ kind: 'committed' });
      });

      it('makes a command id known: who waits for its row finds it taken', async () => {
        const gate = createDeferred<boolean>();
        const batch = batchOf();
        const committing = lane.commit(batch, gate.promise);
        await space.isOpenOn(partition);
        const other = `${incarnation}-other`;
        const otherTaken = await take(partition + 1, other);
        const otherLane = space.openLane(other);
        const logRows = batch.logRows.map((row) => ({ ...row, appliedVersion: null }));
        const again = { ...emptyBatch, fences: [fenceOf(otherTaken, other)], logRows };
        const doubled = otherLane.commit(again, open());
        await space.somebodyWaitsFor('logRow');
        gate.resolve(true);
        expect(await space.ended(committing)).toEqual({ kind: 'committed' });
        expect(await space.ended(doubled)).toMatchObject({ kind: 'duplicateCommand' });
        await otherLane.stop();
      });
    });

    describe('a connection that is lost', () => {
      it('while idle goes unnoticed: the batch is sent on a new one', async () => {
        await space.cutIdle(incarnation);
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toEqual({ kind: 'committed' });
      });

      it('while the first packet runs is unavailable, and never unknown', async () => {
        const roomId = await roomThere();
        const rival = await space.openRival();
        await rival.holdRoom(keyOf(roomId));
        const committing = lane.commit(stepOf(roomId), open());
        await space.somebodyWaitsFor('roomRow');
        await space.kill(incarnation);
        expect(await space.ended(committing)).toMatchObject({ kind: 'unavailable' });
        await rival.end();
        expect((await space.reader.loadRoom(keyOf(roomId))).meta?.version).toBe(1n);
      });

      it('while the gate is awaited is unavailable, and nothing is stored', async () => {
        const gate = createDeferred<boolean>();
        const batch = batchOf();
        const committing = lane.commit(batch, gate.promise);
        await space.isOpenOn(partition);
        await space.kill(incarnation);
        gate.resolve(true);
        expect(await space.ended(committing)).toMatchObject({ kind: 'unavailable' });
        expect(await storedVersion(batch)).toBeUndefined();
        expect(await space.store.readOwner(partition)).toMatchObject({ commitSeq: 1n });
      });
    });

    describe('a server that answers nothing', () => {
      it('and then answers in time has only been slow', async () => {
        await space.freeze();
        const batch = batchOf();
        const committing = lane.commit(batch, open());
        // One turn, so that the packet is on its way.
        await new Promise((resolve) => setImmediate(resolve));
        await space.thaw();
        expect(await space.ended(committing)).toEqual({ kind: 'committed' });
      });

      it('to the first packet costs its limit and stores nothing', async () => {
        await lane.stop();
        lane = space.openLane(incarnation, { packetMs: 300 });
        expect(await lane.commit(idle(1n), open())).toEqual({ kind: 'committed' });
        await space.freeze();
        const batch = commandBatch(
          taken,
          incarnation,
          { roomId: freshRoomId(), version: 1n },
          { commitSeq: 2n },
        );
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({
          kind: 'unavailable',
        });
        await space.thaw();
        expect(await storedVersion(batch)).toBeUndefined();
        expect(await space.ended(lane.commit(batch, open()))).toEqual({ kind: 'committed' });
      });

      it('to COMMIT is unknown after its limit, and can be settled', async () => {
        await lane.stop();
        lane = space.openLane(incarnation, { commitMs: 300 });
        const gate = createDeferred<boolean>();
        const batch = batchOf();
        const committing = lane.commit(batch, gate.promise);
        await space.isOpenOn(partition);
        await space.freeze();
        gate.resolve(true);
        expect(await space.ended(committing)).toMatchObject({ kind: 'unknown' });
        await space.thaw();
        const settled = await space.ended(lane.settle(batch));
        expect(['committed', 'absent']).toContain(settled.kind);
        expect(await storedVersion(batch)).toBe(settled.kind === 'committed' ? 1n : undefined);
      });
    });

    describe('a server that takes no batch', () => {
      it('because it is out of reach is unavailable, until it is back', async () => {
        await space.goAway();
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({
          kind: 'unavailable',
        });
        await space.comeBack();
        expect(await space.ended(lane.commit(batch, open()))).toEqual({ kind: 'committed' });
      });

      it('because it has no connection left is unavailable, until it has one', async () => {
        await lane.stop();
        const full = await space.openFullLane(incarnation);
        lane = full.lane;
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, open()))).toMatchObject({
          kind: 'unavailable',
        });
        await full.makeRoom();
        expect(await space.ended(lane.commit(batch, open()))).toEqual({ kind: 'committed' });
      });
    });

    describe('a gate', () => {
      it('that never answers counts as a no', async () => {
        await lane.stop();
        lane = space.openLane(incarnation, { gateMs: 200 });
        const never = new Promise<boolean>(() => undefined);
        const batch = batchOf();
        expect(await space.ended(lane.commit(batch, never))).toEqual({ kind: 'stopped' });
        expect(await storedVersion(batch)).toBeUndefined();
      });
    });

    it('a second lane of the same name ends the first one’s connection before it goes on', async () => {
      const gate = createDeferred<boolean>();
      const logRows = [logRowOf(taken, freshRoomId(), 1n)];
      const committing = lane.commit({ ...idle(1n), logRows }, gate.promise);
      await space.isOpenOn(partition);
      const reborn = space.openLane(incarnation);
      const batch = batchOf();
      expect(await space.ended(reborn.commit(batch, open()))).toEqual({ kind: 'committed' });
      gate.resolve(true);
      expect(await space.ended(committing)).toMatchObject({ kind: 'unavailable' });
      await reborn.stop();
    });
  });
}
