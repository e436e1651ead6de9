/** What every OutboxStore must do. Time is whatever the calls say. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutboxStore, RunFinish } from '../../../src/ports/outbox-store.ts';
import { claimOf, nowMs, shownRuns } from '../../support/outbox-rows.ts';
import type { PutRow, SeenRow } from '../../support/outbox-rows.ts';

/** A store with a way to put rows under it. */
export interface OutboxStoreFixture {
  /** Another store on the same rows, as another relay has. */
  newStore(): OutboxStore;
  put(rows: readonly PutRow[]): Promise<bigint[]>;
  see(rowId: bigint): Promise<SeenRow>;
  /** An operator's replay of a `failed` row. */
  replay(rowId: bigint): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

const lockMs = 60_000;

/** Declares the suite. */
export function outboxStoreContract(
  name: string,
  makeFixture: () => Promise<OutboxStoreFixture>,
): void {
  describe(`OutboxStore contract: ${name}`, () => {
    let fixture: OutboxStoreFixture;
    let store: OutboxStore;

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(async () => {
      await fixture.clear();
      store = fixture.newStore();
    });
    afterAll(() => fixture.close());

    const put = async (row: PutRow): Promise<bigint> => (await fixture.put([row]))[0] as bigint;
    const putRoom = (room: string, versions: number): Promise<bigint[]> =>
      fixture.put(Array.from({ length: versions }, (_, at) => ({ room, version: at + 1 })));
    const statuses = async (ids: readonly bigint[]): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await fixture.see(id)).status));
    const failure = (
      failedRowId: bigint,
      fields: Partial<Extract<RunFinish, { kind: 'failed' }>> = {},
    ): RunFinish => ({
      kind: 'failed',
      deliveredRowIds: [],
      failedRowId,
      error: 'no',
      permanent: false,
      countsAsTry: true,
      nextRetryAtMs: nowMs + 5_000,
      maxRetryCount: 10,
      ...fields,
    });
    const claimOne = async (fields: Parameters<typeof claimOf>[0] = {}) => {
      const [run] = await store.claimRuns(claimOf(fields));
      if (run === undefined) throw new Error('expected one run, got none');
      return run;
    };

    describe('claiming', () => {
      it('a run holds consecutive rows of one room and destination, oldest first', async () => {
        await putRoom('a', 3);
        await put({ room: 'a', version: 3, destination: 'activity' });
        await putRoom('b', 1);
        const runs = await store.claimRuns(claimOf());
        expect(shownRuns(runs)).toEqual(['a/activity: 3', 'a/im: 1,2,3', 'b/im: 1']);
        expect(runs.find((run) => run.roomId === 'b')?.rows[0]).toMatchObject({
          eventType: 'RoomUserJoined',
          envelope: Buffer.from('b 1'),
          retryCount: 0,
          usefulUntilMs: null,
        });
      });

      it('a claimed row is delivering, locked and bears worker and token', async () => {
        const [id] = await putRoom('a', 1);
        const run = await claimOne();
        expect(await fixture.see(id as bigint)).toMatchObject({
          status: 'delivering',
          workerId: 'relay-1',
          claimToken: run.claimToken,
          lockUntilMs: nowMs + lockMs,
          startedCount: 0,
        });
      });

      it('a room has one run at a time, however many rows wait', async () => {
        const ids = await putRoom('a', 5);
        expect(shownRuns(await store.claimRuns(claimOf({ runSize: 2 })))).toEqual(['a/im: 1,2']);
        expect(await store.claimRuns(claimOf({ runSize: 2 }))).toEqual([]);
        await store.finish('x', { kind: 'delivered', rowIds: ids.slice(0, 2) }, nowMs);
        expect(shownRuns(await store.claimRuns(claimOf({ runSize: 2 })))).toEqual(['a/im: 3,4']);
      });

      it('rows behind one that waits for its next try wait too, until it is due', async () => {
        await put({
          room: 'a',
          version: 1,
          status: 'retryable',
          nextRetryAtMs: nowMs + 1,
        });
        await put({ room: 'a', version: 2 });
        expect(await store.claimRuns(claimOf())).toEqual([]);
        const later = claimOf({ nowMs: nowMs + 1 });
        expect(shownRuns(await store.claimRuns(later))).toEqual(['a/im: 1,2']);
      });

      it('an expired lock is claimable again, and not a millisecond before', async () => {
        await putRoom('a', 2);
        const first = await claimOne();
        expect(await store.claimRuns(claimOf({ nowMs: nowMs + lockMs - 1 }))).toEqual([]);
        const second = await claimOne({ nowMs: nowMs + lockMs });
        expect(second.rows).toHaveLength(2);
        expect(second.claimToken).not.toBe(first.claimToken);
      });

      it('delivered, failed and historical published rows are never claimed nor in the way', async () => {
        const ids = [
          await put({ room: 'a', version: 1, status: 'published' }),
          await put({ room: 'a', version: 2, status: 'delivered' }),
          await put({ room: 'a', version: 3, status: 'failed' }),
        ];
        await put({ room: 'a', version: 4 });
        expect(shownRuns(await store.claimRuns(claimOf()))).toEqual(['a/im: 4']);
        expect(await statuses(ids)).toEqual(['published', 'delivered', 'failed']);
      });

      it('only the wanted destinations and shards are claimed', async () => {
        await put({ room: 'a', version: 1 });
        await put({ room: 'a', version: 1, destination: 'activity' });
        expect(shownRuns(await store.claimRuns(claimOf({ destinations: ['activity'] })))).toEqual([
          'a/activity: 1',
        ]);
        expect(await store.claimRuns(claimOf({ shards: [] }))).toEqual([]);
      });

      it('a round claims no more than its batch, and the next one goes on', async () => {
        for (const room of ['a', 'b', 'c']) await putRoom(room, 4);
        const first = await store.claimRuns(claimOf({ batchSize: 7, runSize: 4 }));
        expect(first.flatMap((run) => run.rows)).toHaveLength(7);
        for (const run of first) {
          const rowIds = run.rows.map((row) => row.rowId);
          await store.finish(run.claimToken, { kind: 'delivered', rowIds }, nowMs);
        }
        const second = await store.claimRuns(claimOf({ batchSize: 7, runSize: 4 }));
        // Every room gets its oldest row before any gets its second, so none is starved by another.
        expect(shownRuns(first)).toEqual(['a/im: 1,2,3,4', 'b/im: 1,2', 'c/im: 1']);
        expect(shownRuns(second)).toEqual(['b/im: 3,4', 'c/im: 2,3,4']);
      });

      it('a destination with too many unconfirmed rows gets no more, another one does', async () => {
        await putRoom('a', 3);
        await putRoom('b', 1);
        await put({ room: 'a', version: 9, destination: 'activity' });
        await store.claimRuns(claimOf({ destinations: ['im'], batchSize: 3 }));
        const runs = await store.claimRuns(claimOf({ unconfirmedMax: 3 }));
        expect(shownRuns(runs)).toEqual(['a/activity: 9']);
      });

      it('thousands of rows behind one bad row do not keep other rooms waiting', async () => {
        await put({ room: 'a', version: 1, status: 'retryable', nextRetryAtMs: nowMs * 2 });
        for (let version = 2; version < 400; version += 1) await put({ room: 'a', version });
        await putRoom('b', 1);
        // Pages of fifty rows, six a round: the tail is looked at from the second round on.
        const rounds = [await store.claimRuns(claimOf()), await store.claimRuns(claimOf())];
        expect(rounds.flatMap(shownRuns)).toEqual(['b/im: 1']);
      });
    });

    describe('giving back', () => {
      it('rows that were not sent are pending again with their counters untouched', async () => {
        const id = await put({
          room: 'a',
          version: 1,
          status: 'retryable',
          retryCount: 4,
        });
        const run = await claimOne();
        await store.giveBack(run.claimToken, [id]);
        expect(await fixture.see(id)).toMatchObject({
          status: 'pending',
          retryCount: 4,
          startedCount: 0,
          claimToken: '',
          lockUntilMs: 0,
        });
      });

      it('a late give-back of somebody else’s claim changes nothing', async () => {
        const [id] = (await putRoom('a', 1)) as [bigint];
        const old = await claimOne();
        const current = await claimOne({ nowMs: nowMs + lockMs });
        await store.giveBack(old.claimToken, [id]);
        expect(await fixture.see(id)).toMatchObject({
          status: 'delivering',
          claimToken: current.claimToken,
        });
      });
    });

    describe('starting', () => {
      it('answers the rows of the claim, raises their counter and pushes their lock', async () => {
        const ids = await putRoom('a', 2);
        const run = await claimOne();
        const started = await store.start(run.claimToken, ids, nowMs + 90_000);
        expect(started).toEqual(
          ids.map((rowId) => ({ rowId, retryCount: 0, usefulUntilMs: null })),
        );
        expect(await fixture.see(ids[0] as bigint)).toMatchObject({
          startedCount: 1,
          lockUntilMs: nowMs + 90_000,
        });
        expect(await store.claimRuns(claimOf({ nowMs: nowMs + lockMs }))).toEqual([]);
      });

      it('says what only the row knows', async () => {
        await put({ room: 'a', version: 1, retryCount: 3, usefulUntilMs: nowMs + 7 });
        const run = await claimOne();
        const [row] = await store.start(run.claimToken, [run.rows[0]?.rowId as bigint], nowMs);
        expect(row).toMatchObject({ retryCount: 3, usefulUntilMs: nowMs + 7 });
      });

      it('a claim that was taken over answers no rows', async () => {
        const ids = await putRoom('a', 2);
        const old = await claimOne();
        await claimOne({ nowMs: nowMs + lockMs });
        expect(await store.start(old.claimToken, ids, nowMs + lockMs)).toEqual([]);
      });

      it('a start is refused while an older row is unfinished elsewhere', async () => {
        const ids = await putRoom('a', 3);
        const old = await claimOne();
        const current = await claimOne({ nowMs: nowMs + lockMs, runSize: 1 });
        expect(current.rows).toHaveLength(1);
        // Rows 2 and 3 still bear the old token, but row 1 must arrive before them.
        expect(await store.start(old.claimToken, ids, nowMs + 90_000)).toEqual([]);
      });
    });

    describe('finishing', () => {
      it('delivered rows end', async () => {
        const ids = await putRoom('a', 2);
        const run = await claimOne();
        const result = await store.finish(
          run.claimToken,
          { kind: 'delivered', rowIds: ids },
          nowMs,
        );
        expect(result).toEqual({ delivered: 2, failedRowState: null, returnedToPending: 0 });
        expect(await fixture.see(ids[0] as bigint)).toMatchObject({
          status: 'delivered',
          finishedAtMs: nowMs,
          lastError: '',
        });
      });

      it('a superseded row is delivered and says that it was not sent', async () => {
        const ids = await putRoom('a', 2);
        const run = await claimOne();
        const finish = {
          kind: 'delivered' as const,
          rowIds: ids,
          supersededRowIds: ids.slice(0, 1),
        };
        expect((await store.finish(run.claimToken, finish, nowMs)).delivered).toBe(2);
        expect(await fixture.see(ids[0] as bigint)).toMatchObject({
          status: 'delivered',
          lastError: expect.stringContaining('superseded') as string,
        });
        expect((await fixture.see(ids[1] as bigint)).lastError).toBe('');
      });

      it('up to n delivered, n+1 failed, the rows behind go back untouched', async () => {
        const ids = await putRoom('a', 4);
        const run = await claimOne();
        await store.start(run.claimToken, ids, nowMs + lockMs);
        const [first, second, third, fourth] = ids as [bigint, bigint, bigint, bigint];
        const finish = failure(second, { deliveredRowIds: [first], error: 'timeout' });
        expect(await store.finish(run.claimToken, finish, nowMs)).toEqual({
          delivered: 1,
          failedRowState: 'retryable',
          returnedToPending: 2,
        });
        expect(await fixture.see(second)).toMatchObject({
          status: 'retryable',
          retryCount: 1,
          startedCount: 0,
          nextRetryAtMs: nowMs + 5_000,
          lastError: 'timeout',
        });
        for (const id of [third, fourth]) {
          expect(await fixture.see(id)).toMatchObject({
            status: 'pending',
            retryCount: 0,
            startedCount: 0,
            claimToken: '',
          });
        }
        expect(await store.claimRuns(claimOf())).toEqual([]);
        const due = claimOf({ nowMs: nowMs + 5_000 });
        expect(shownRuns(await store.claimRuns(due))).toEqual(['a/im: 2,3,4']);
      });

      it('the tenth failure of ten is failed, and the room goes on behind it', async () => {
        const id = await put({ room: 'a', version: 1, retryCount: 9 });
        await put({ room: 'a', version: 2 });
        const run = await claimOne();
        expect((await store.finish(run.claimToken, failure(id), nowMs)).failedRowState).toBe(
          'failed',
        );
        expect(await fixture.see(id)).toMatchObject({ status: 'failed', retryCount: 10 });
        expect(shownRuns(await store.claimRuns(claimOf()))).toEqual(['a/im: 2']);
      });

      it('a failure that is no try leaves the counter, even at the limit', async () => {
        const id = await put({ room: 'a', version: 1, retryCount: 9 });
        const run = await claimOne();
        const finish = failure(id, { countsAsTry: false });
        expect((await store.finish(run.claimToken, finish, nowMs)).failedRowState).toBe(
          'retryable',
        );
        expect((await fixture.see(id)).retryCount).toBe(9);
      });

      it('a permanent failure is failed at once, whatever the counter', async () => {
        const [id] = (await putRoom('a', 1)) as [bigint];
        const run = await claimOne();
        const finish = failure(id, { permanent: true, error: '80002 too long' });
        expect((await store.finish(run.claimToken, finish, nowMs)).failedRowState).toBe('failed');
        expect(await fixture.see(id)).toMatchObject({ lastError: '80002 too long' });
      });

      it('a long error is cut between characters', async () => {
        const [id] = (await putRoom('a', 1)) as [bigint];
        const run = await claimOne();
        const error = '🙂'.repeat(800) + '\ud83d';
        await store.finish(run.claimToken, failure(id, { error }), nowMs);
        const { lastError } = await fixture.see(id);
        expect(lastError).toMatch(/^(🙂)+…$/u);
        expect(lastError.length).toBeLessThanOrEqual(1_000);
      });

      it('a late mark changes nothing: the failure of a claim that was taken over', async () => {
        const ids = await putRoom('a', 2);
        const old = await claimOne();
        const current = await claimOne({ nowMs: nowMs + lockMs });
        const finish = failure(ids[0] as bigint, { permanent: true });
        expect(await store.finish(old.claimToken, finish, nowMs)).toEqual({
          delivered: 0,
          failedRowState: null,
          returnedToPending: 0,
        });
        for (const id of ids) {
          expect(await fixture.see(id)).toMatchObject({
            status: 'delivering',
            claimToken: current.claimToken,
          });
        }
      });

      it('a late mark of delivery ends the row from any unfinished state', async () => {
        const inState = (status: string): Promise<bigint> =>
          put({ room: status, version: 1, status, claimToken: 'other' });
        const open = await Promise.all(['pending', 'retryable', 'delivering'].map(inState));
        const ended = await Promise.all(['failed', 'published'].map(inState));
        const rowIds = [...open, ...ended];
        const result = await store.finish('late', { kind: 'delivered', rowIds }, nowMs);
        expect(result.delivered).toBe(3);
        expect(await statuses(open)).toEqual(['delivered', 'delivered', 'delivered']);
        expect(await statuses(ended)).toEqual(['failed', 'published']);
      });

      it('a failure of a row that a late finish delivered returns the rest', async () => {
        const ids = await putRoom('a', 2);
        const [first, second] = ids as [bigint, bigint];
        const run = await claimOne();
        await store.finish('late', { kind: 'delivered', rowIds: [first] }, nowMs);
        expect(await store.finish(run.claimToken, failure(first), nowMs)).toEqual({
          delivered: 0,
          failedRowState: null,
          returnedToPending: 1,
        });
        expect(await statuses([first, second])).toEqual(['delivered', 'pending']);
      });

      it('finishing twice changes nothing the second time', async () => {
        const ids = await putRoom('a', 1);
        const run = await claimOne();
        const finish = { kind: 'delivered' as const, rowIds: ids };
        await store.finish(run.claimToken, finish, nowMs);
        expect((await store.finish(run.claimToken, finish, nowMs + 1)).delivered).toBe(0);
        expect((await fixture.see(ids[0] as bigint)).finishedAtMs).toBe(nowMs);
      });
    });

    describe('rows that end their worker', () => {
      it('three starts without a finish are failed with a reason, the room goes on', async () => {
        const ids = await putRoom('a', 2);
        let at = nowMs;
        for (let turn = 0; turn < 3; turn += 1, at += lockMs) {
          const run = await claimOne({ nowMs: at, runSize: 1 });
          await store.start(run.claimToken, [ids[0] as bigint], at + lockMs);
        }
        await store.claimRuns(claimOf({ nowMs: at }));
        expect(await fixture.see(ids[0] as bigint)).toMatchObject({
          status: 'failed',
          lastError: expect.stringMatching(/started 3 times/) as string,
        });
        expect(shownRuns(await store.claimRuns(claimOf({ nowMs: at })))).toEqual(['a/im: 2']);
      });

      it('neighbours of such a row are not counted with it: each goes alone', async () => {
        const ids = await putRoom('a', 3);
        const run = await claimOne();
        await store.start(run.claimToken, ids, nowMs + lockMs);
        const again = await claimOne({ nowMs: nowMs + lockMs });
        expect(again.rows.map((row) => row.rowId)).toEqual(ids.slice(0, 1));
      });

      it('a claim that was never started counts nothing', async () => {
        const [id] = (await putRoom('a', 1)) as [bigint];
        for (let turn = 0; turn < 5; turn += 1) await claimOne({ nowMs: nowMs + turn * lockMs });
        expect(await fixture.see(id)).toMatchObject({ status: 'delivering', startedCount: 0 });
      });
    });

    describe('several relays', () => {
      it('two stores that race never both hold a run of one room', async () => {
        const rooms = Array.from({ length: 12 }, (_, at) => `r${at}`);
        for (const room of rooms) await putRoom(room, 6);
        const arrived = new Map<string, number[]>();
        const held = new Set<string>();
        const relay = async (own: OutboxStore, workerId: string): Promise<void> => {
          let idle = 0;
          while (idle < 8) {
            const runs = await own.claimRuns(claimOf({ workerId, runSize: 2, batchSize: 10 }));
            idle = runs.length === 0 ? idle + 1 : 0;
            for (const run of runs) {
              expect(held.has(run.roomId), `two runs of ${run.roomId}`).toBe(false);
              held.add(run.roomId);
            }
            for (const run of runs) {
              const rowIds = run.rows.map((row) => row.rowId);
              const versions = run.rows.map((row) => Number(row.roomVersion));
              arrived.set(run.roomId, [...(arrived.get(run.roomId) ?? []), ...versions]);
              held.delete(run.roomId);
              await own.finish(run.claimToken, { kind: 'delivered', rowIds }, nowMs);
            }
          }
        };
        await Promise.all([
          relay(store, 'relay-1'),
          relay(fixture.newStore(), 'relay-2'),
          relay(fixture.newStore(), 'relay-3'),
        ]);
        for (const room of rooms) expect(arrived.get(room)).toEqual([1, 2, 3, 4, 5, 6]);
      });
    });

    it('counts what is unfinished and what has failed per destination', async () => {
      await putRoom('a', 2);
      await put({ room: 'a', version: 1, destination: 'activity', status: 'failed' });
      await put({ room: 'b', version: 1, status: 'delivered' });
      const backlog = await store.backlog(nowMs);
      expect([...backlog].sort((one, two) => (one.destination < two.destination ? -1 : 1))).toEqual(
        [
          { destination: 'activity', unfinished: 0, failed: 1 },
          { destination: 'im', unfinished: 2, failed: 0 },
        ],
      );
    });
  });
}
