/**
 * What a CommitLane stores and when others see it: the rows of a batch, through the other ports of
 * the same database.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { CommitLane, DeadLetterRow, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  deadLetterOf,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshCommandId,
  freshRoomId,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
} from '../../support/lane-batches.ts';
import { claimOf, shownRuns } from '../../support/outbox-rows.ts';

/** A database with what shows the rows of a batch. */
export interface CommitLaneRowsFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly outbox: OutboxStore;
  openLane(incarnation: string): CommitLane;
  /** Letters about records of the partition, by offset. */
  deadLetters(partition: number): Promise<readonly DeadLetterRow[]>;
  close(): Promise<void>;
}

/** Declares the suite. */
export function commitLaneRowsContract(
  name: string,
  makeFixture: () => Promise<CommitLaneRowsFixture>,
): void {
  describe(`CommitLane contract, rows: ${name}`, () => {
    let fixture: CommitLaneRowsFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let partition = 0;

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });
    beforeEach(async () => {
      partition += 1;
      const identity = { nodeId: 'n', incarnation: 'one', lane: 0, advertiseAddr: '10.0.0.1:1' };
      taken = await fixture.store.takeover({ ...identity, partition });
    });

    const second = (fields: Partial<LaneBatch>): LaneBatch => ({
      ...emptyBatch,
      fences: [fenceOf(taken, 'one', { commitSeq: 1n })],
      ...fields,
    });

    it('shows nothing of a batch to anybody before its COMMIT, and then all of it (PIPE-13, ARC-3)', async () => {
      const roomId = freshRoomId();
      const batch = commandBatch(taken, 'one', { roomId, version: 1n });
      const gate = createDeferred<boolean>();
      const committing = lane.commit(batch, gate.promise);
      const commandId = batch.logRows[0]?.commandId ?? freshCommandId();
      const look = async (): Promise<unknown> => ({
        room: (await fixture.reader.loadRoom(keyOf(roomId))).meta?.version,
        steps: (await fixture.reader.stepsAfter(keyOf(roomId), asVersion(0n), 9)).length,
        results: (await fixture.reader.findResults([{ roomKey: keyOf(roomId), commandId }])).length,
        commitSeq: (await fixture.store.readOwner(partition))?.commitSeq,
      });
      const nothing = { room: undefined, steps: 0, results: 0, commitSeq: 0n };
      expect(await look()).toEqual(nothing);
      expect(await fixture.outbox.claimRuns(claimOf())).toEqual([]);
      gate.resolve(true);
      expect(await committing).toEqual({ kind: 'committed' });
      expect(await look()).toEqual({ room: 1n, steps: 1, results: 1, commitSeq: 1n });
      expect(shownRuns(await fixture.outbox.claimRuns(claimOf()))).toEqual([
        `${roomId}/activity: 1`,
        `${roomId}/im: 1`,
      ]);
    });

    it('gives relays exactly what it stored, in the order of the events (OUT-24, RES-20, ARC-3)', async () => {
      const roomId = freshRoomId();
      const batch = commandBatch(taken, 'one', { roomId, version: 1n });
      const eventRows = [0, 1, 2].map((eventIndex) =>
        eventRowOf(roomId, 1n, {
          eventIndex,
          eventType: `Event${eventIndex}`,
          envelope: bytesOf(`envelope ${eventIndex}`),
          destinations: eventIndex === 1 ? ['im'] : ['im', 'activity'],
        }),
      );
      expect(await lane.commit({ ...batch, eventRows }, open())).toEqual({ kind: 'committed' });
      const runs = await fixture.outbox.claimRuns(claimOf());
      const rowsOf = (destination: string): unknown[] =>
        (
          runs.find((run) => run.roomId === roomId && run.destination === destination)?.rows ?? []
        ).map(({ rowId: _id, envelope, ...row }) => [new TextDecoder().decode(envelope), row]);
      const expected = (indexes: readonly number[], usefulUntilMs: number | null): unknown[] =>
        indexes.map((at) => [
          `envelope ${at}`,
          {
            eventId: eventRows[at]?.eventId,
            eventType: `Event${at}`,
            roomVersion: 1n,
            eventIndex: at,
            retryCount: 0,
            usefulUntilMs,
            isSuspect: false,
          },
        ]);
      expect(rowsOf('im')).toEqual(expected([0, 1, 2], 61_000));
      // What is useless to clients after a time is still a fact to other systems.
      expect(rowsOf('activity')).toEqual(expected([0, 2], null));
    });

    it('gives relays nothing of a batch that was rolled back', async () => {
      const batch = commandBatch(taken, 'one', { roomId: freshRoomId(), version: 1n });
      await lane.commit(batch, Promise.resolve(false));
      expect(await fixture.outbox.claimRuns(claimOf())).toEqual([]);
    });

    it('sets a record aside whole, however long the note about it', async () => {
      const letter = deadLetterOf(partition, 0n, { detail: '音'.repeat(5_000) });
      const fences = [fenceOf(taken, 'one', { appliedOffset: 0n })];
      const outcome = await lane.commit({ ...emptyBatch, fences, deadLetters: [letter] }, open());
      expect(outcome).toEqual({ kind: 'committed' });
      const [stored] = await fixture.deadLetters(partition);
      expect(plain(stored)).toEqual(plain({ ...letter, detail: '音'.repeat(1_000) }));
    });

    it('keeps one letter about a record, with the last reason', async () => {
      const first = deadLetterOf(partition, 3n);
      const fences = [fenceOf(taken, 'one')];
      await lane.commit({ ...emptyBatch, fences, deadLetters: [first] }, open());
      const last = { ...first, reason: 'DATA_REFUSED', detail: 'again', createdAtMs: 9_000 };
      await lane.commit(second({ deadLetters: [{ ...last, recordValue: null }] }), open());
      expect((await fixture.deadLetters(partition)).map(plain)).toEqual([plain(last)]);
    });

    describe('refuses', () => {
      it('a second step of one version: the room was forked (PIPE-16, LEASE-30, ARC-15)', async () => {
        const [room, other] = [freshRoomId(), freshRoomId()];
        const first = commandBatch(taken, 'one', { roomId: room, version: 1n });
        await lane.commit(first, open());
        const logRows = [logRowOf(taken, other, 1n), logRowOf(taken, room, 1n)];
        const stale = { kind: 'staleRooms', roomKeys: [keyOf(room)] };
        expect(await lane.commit(second({ logRows }), open())).toEqual(stale);
        const steps = await fixture.reader.stepsAfter(keyOf(other), asVersion(0n), 9);
        expect(steps).toEqual([]);
      });

      it('two commands of one id in a batch', async () => {
        const roomId = freshRoomId();
        const one = logRowOf(taken, roomId, 1n, { appliedVersion: null, outcome: 'no_effect' });
        const batch = { ...emptyBatch, fences: [fenceOf(taken, 'one')], logRows: [one, one] };
        expect(await lane.commit(batch, open())).toMatchObject({ kind: 'duplicateCommand' });
      });

      it('an event at a place of the room that has one: the room is not what memory holds', async () => {
        const roomId = freshRoomId();
        await lane.commit(commandBatch(taken, 'one', { roomId, version: 1n }), open());
        const eventRows = [eventRowOf(roomId, 1n)];
        const stale = { kind: 'staleRooms', roomKeys: [keyOf(roomId)] };
        expect(await lane.commit(second({ eventRows }), open())).toEqual(stale);
      });

      it('an event id that exists elsewhere as data that never fits', async () => {
        const roomId = freshRoomId();
        const batch = commandBatch(taken, 'one', { roomId, version: 1n });
        await lane.commit(batch, open());
        const eventId = batch.eventRows[0]?.eventId;
        const eventRows = [{ ...eventRowOf(roomId, 2n), ...(eventId && { eventId }) }];
        const outcome = await lane.commit(second({ eventRows }), open());
        expect(outcome).toMatchObject({ kind: 'dataError' });
      });

      it.each([
        ['a title that is too long', { title: 'x'.repeat(129) }],
        ['a number out of range', { seatCount: 2 ** 40 }],
        ['a 64-bit number out of range', { visibleRegionId: 2n ** 63n }],
        ['a time that is no number', { updatedAtMs: Number.NaN }],
        ['a hash that is too long', { chainHash: new Uint8Array(33) }],
        ['text that is not ASCII where ids are', { mode: '音乐' }],
      ])('%s as data, and stores nothing of the batch', async (_what, fields) => {
        const roomId = freshRoomId();
        const batch = {
          ...commandBatch(taken, 'one', { roomId, version: 1n }),
          roomRows: [roomRowOf(taken, roomId, 1n, fields)],
        };
        expect(await lane.commit(batch, open())).toMatchObject({ kind: 'dataError' });
        expect(await fixture.reader.loadRoom(keyOf(roomId))).toMatchObject({ meta: null });
        expect(await fixture.store.readOwner(partition)).toMatchObject({ commitSeq: 0n });
      });

      it('a title of the greatest length not, counted in characters', async () => {
        const roomId = freshRoomId();
        const roomRows = [roomRowOf(taken, roomId, 1n, { title: '🙂'.repeat(128) })];
        const batch = { ...commandBatch(taken, 'one', { roomId, version: 1n }), roomRows };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
      });

      it('what is fenced first of all, whatever else is wrong with the batch', async () => {
        const identity = { nodeId: 'n', incarnation: 'two', lane: 0, advertiseAddr: '10.0.0.1:1' };
        await fixture.store.takeover({ ...identity, partition });
        const roomId = freshRoomId();
        const batch: LaneBatch = {
          ...commandBatch(taken, 'one', { roomId, version: 1n }),
          roomRows: [roomRowOf(taken, roomId, 1n, { title: 'x'.repeat(129) })],
          versionChecks: [{ roomKey: keyOf(freshRoomId()), version: asVersion(4n) }],
        };
        const fenced = { kind: 'fenced', partitions: [partition] };
        expect(await lane.commit(batch, open())).toEqual(fenced);
      });
    });
  });
}

/** Bytes as texts, so that letters compare whatever kind of array holds them. */
function plain(letter: DeadLetterRow | undefined): unknown {
  if (letter === undefined) return letter;
  const text = (bytes: Uint8Array | null): string | null =>
    bytes === null ? null : Buffer.from(bytes).toString('utf8');
  return {
    ...letter,
    recordKey: text(letter.recordKey),
    recordValue: text(letter.recordValue),
  };
}
