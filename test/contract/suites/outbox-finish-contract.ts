/** What every OutboxStore must do for adapters. Time is whatever the calls say. */
import { describe, expect, it } from 'vitest';
import { failureAt, lockMs, OutboxRig } from '../../support/outbox-rig.ts';
import type { OutboxStoreFixture } from '../../support/outbox-rig.ts';
import { claimOf, nowMs, shownRuns } from '../../support/outbox-rows.ts';

/** Declares the suite. */
export function outboxFinishContract(
  name: string,
  makeFixture: () => Promise<OutboxStoreFixture>,
): void {
  describe(`OutboxStore contract for adapters: ${name}`, () => {
    const rig = new OutboxRig(makeFixture);

    describe('starting', () => {
      it('answers the rows of the claim, raises their counter and pushes their lock (OUT-25)', async () => {
        const ids = await rig.putRoom('a', 2);
        const run = await rig.claimOne();
        const started = await rig.store.start(run.claimToken, ids, nowMs + 90_000);
        expect(started).toEqual(
          ids.map((rowId) => ({ rowId, retryCount: 0, usefulUntilMs: null })),
        );
        expect(await rig.see(ids[0] as bigint)).toMatchObject({
          startedCount: 1,
          lockUntilMs: nowMs + 90_000,
        });
        expect(await rig.store.claimRuns(claimOf({ nowMs: nowMs + lockMs }))).toEqual([]);
      });

      it('says what only the row knows', async () => {
        await rig.put({ room: 'a', version: 1, retryCount: 3, usefulUntilMs: nowMs + 7 });
        const run = await rig.claimOne();
        const [row] = await rig.store.start(run.claimToken, [run.rows[0]?.rowId as bigint], nowMs);
        expect(row).toMatchObject({ retryCount: 3, usefulUntilMs: nowMs + 7 });
      });

      it('a claim that was taken over answers no rows', async () => {
        const ids = await rig.putRoom('a', 2);
        const old = await rig.claimOne();
        await rig.claimOne({ nowMs: nowMs + lockMs });
        expect(await rig.store.start(old.claimToken, ids, nowMs + lockMs)).toEqual([]);
      });

      it('a start is refused while an older row is unfinished elsewhere', async () => {
        const ids = await rig.putRoom('a', 3);
        const old = await rig.claimOne();
        const current = await rig.claimOne({ nowMs: nowMs + lockMs, runSize: 1 });
        expect(current.rows).toHaveLength(1);
        // Rows 2 and 3 still bear the old token, but row 1 must arrive before them.
        expect(await rig.store.start(old.claimToken, ids, nowMs + 90_000)).toEqual([]);
      });

      it.each([
        ['waits for its next try', 'retryable'],
        ['was given back', 'pending'],
      ])('a start is refused while an older row %s', async (_, status) => {
        const ids = await rig.putRoom('a', 3);
        const old = await rig.claimOne();
        const current = await rig.claimOne({ nowMs: nowMs + lockMs, runSize: 1 });
        const [one] = ids as [bigint];
        if (status === 'pending') await rig.store.giveBack(current.claimToken, [one]);
        else await rig.store.finish(current.claimToken, failureAt(one), nowMs + lockMs);
        expect((await rig.see(one)).status).toBe(status);
        expect(await rig.store.start(old.claimToken, ids.slice(1), nowMs + 90_000)).toEqual([]);
      });
    });

    describe('finishing', () => {
      it('delivered rows end (OUT-5, OUT-11, OUT-16)', async () => {
        const ids = await rig.putRoom('a', 2);
        const run = await rig.claimOne();
        const result = await rig.store.finish(
          run.claimToken,
          { kind: 'delivered', rowIds: ids },
          nowMs,
        );
        expect(result).toEqual({ delivered: 2, failedRowState: null, returnedToPending: 0 });
        expect(await rig.see(ids[0] as bigint)).toMatchObject({
          status: 'delivered',
          finishedAtMs: nowMs,
          lastError: '',
        });
      });

      it('a superseded row is delivered and says that it was not sent', async () => {
        const ids = await rig.putRoom('a', 2);
        const run = await rig.claimOne();
        const finish = {
          kind: 'delivered' as const,
          rowIds: ids,
          supersededRowIds: ids.slice(0, 1),
        };
        expect((await rig.store.finish(run.claimToken, finish, nowMs)).delivered).toBe(2);
        expect(await rig.see(ids[0] as bigint)).toMatchObject({
          status: 'delivered',
          lastError: expect.stringContaining('superseded') as string,
        });
        expect((await rig.see(ids[1] as bigint)).lastError).toBe('');
      });

      it('up to n delivered, n+1 failed, the rows behind go back untouched (OUT-6, OUT-12, RETRY-1, RETRY-3)', async () => {
        const ids = await rig.putRoom('a', 4);
        const run = await rig.claimOne();
        await rig.store.start(run.claimToken, ids, nowMs + lockMs);
        const [first, second, third, fourth] = ids as [bigint, bigint, bigint, bigint];
        const finish = failureAt(second, { deliveredRowIds: [first], error: 'timeout' });
        expect(await rig.store.finish(run.claimToken, finish, nowMs)).toEqual({
          delivered: 1,
          failedRowState: 'retryable',
          returnedToPending: 2,
        });
        expect(await rig.see(second)).toMatchObject({
          status: 'retryable',
          retryCount: 1,
          startedCount: 0,
          nextRetryAtMs: nowMs + 5_000,
          lastError: 'timeout',
        });
        for (const id of [third, fourth]) {
          expect(await rig.see(id)).toMatchObject({
            status: 'pending',
            retryCount: 0,
            startedCount: 0,
            claimToken: '',
          });
        }
        expect(await rig.store.claimRuns(claimOf())).toEqual([]);
        const due = claimOf({ nowMs: nowMs + 5_000 });
        expect(shownRuns(await rig.store.claimRuns(due))).toEqual(['a/im: 2,3,4']);
      });

      it('the tenth failure of ten is failed, and the room goes on behind it (OUT-8, OUT-18, RETRY-2, OCFG-7)', async () => {
        const id = await rig.put({ room: 'a', version: 1, retryCount: 9 });
        await rig.put({ room: 'a', version: 2 });
        const run = await rig.claimOne();
        expect((await rig.store.finish(run.claimToken, failureAt(id), nowMs)).failedRowState).toBe(
          'failed',
        );
        expect(await rig.see(id)).toMatchObject({ status: 'failed', retryCount: 10 });
        expect(shownRuns(await rig.store.claimRuns(claimOf()))).toEqual(['a/im: 2']);
      });

      it('a failure that is no try leaves the counter, even at the limit', async () => {
        const id = await rig.put({ room: 'a', version: 1, retryCount: 9 });
        const run = await rig.claimOne();
        const finish = failureAt(id, { countsAsTry: false });
        expect((await rig.store.finish(run.claimToken, finish, nowMs)).failedRowState).toBe(
          'retryable',
        );
        expect((await rig.see(id)).retryCount).toBe(9);
      });

      it('a permanent failure is failed at once, whatever the counter (OUT-7, RETRY-8)', async () => {
        const [id] = (await rig.putRoom('a', 1)) as [bigint];
        const run = await rig.claimOne();
        const finish = failureAt(id, { permanent: true, error: '80002 too long' });
        expect((await rig.store.finish(run.claimToken, finish, nowMs)).failedRowState).toBe(
          'failed',
        );
        expect(await rig.see(id)).toMatchObject({ lastError: '80002 too long' });
      });

      it('a long error is cut between characters', async () => {
        const [id] = (await rig.putRoom('a', 1)) as [bigint];
        const run = await rig.claimOne();
        const error = '🙂'.repeat(800) + '\ud83d';
        await rig.store.finish(run.claimToken, failureAt(id, { error }), nowMs);
        const { lastError } = await rig.see(id);
        expect(lastError).toMatch(/^(🙂)+…$/u);
        expect(lastError.length).toBeLessThanOrEqual(1_000);
      });

      it('a late mark changes nothing: the failure of a claim that was taken over (OUT-22, TST-6)', async () => {
        const ids = await rig.putRoom('a', 2);
        const old = await rig.claimOne();
        const current = await rig.claimOne({ nowMs: nowMs + lockMs });
        const finish = failureAt(ids[0] as bigint, { permanent: true });
        expect(await rig.store.finish(old.claimToken, finish, nowMs)).toEqual({
          delivered: 0,
          failedRowState: null,
          returnedToPending: 0,
        });
        for (const id of ids) {
          expect(await rig.see(id)).toMatchObject({
            status: 'delivering',
            claimToken: current.claimToken,
          });
        }
      });

      it('a late mark of delivery ends the row from any unfinished state', async () => {
        const inState = (status: string): Promise<bigint> =>
          rig.put({ room: status, version: 1, status, claimToken: 'other' });
        const open = await Promise.all(['pending', 'retryable', 'delivering'].map(inState));
        const ended = await Promise.all(['failed', 'published'].map(inState));
        const rowIds = [...open, ...ended];
        const result = await rig.store.finish('late', { kind: 'delivered', rowIds }, nowMs);
        expect(result.delivered).toBe(3);
        expect(await rig.statuses(open)).toEqual(['delivered', 'delivered', 'delivered']);
        expect(await rig.statuses(ended)).toEqual(['failed', 'published']);
      });

      it('a failure of a row that a late finish delivered returns the rest', async () => {
        const ids = await rig.putRoom('a', 2);
        const [first, second] = ids as [bigint, bigint];
        const run = await rig.claimOne();
        await rig.store.finish('late', { kind: 'delivered', rowIds: [first] }, nowMs);
        expect(await rig.store.finish(run.claimToken, failureAt(first), nowMs)).toEqual({
          delivered: 0,
          failedRowState: null,
          returnedToPending: 1,
        });
        expect(await rig.statuses([first, second])).toEqual(['delivered', 'pending']);
      });

      it('finishing twice changes nothing the second time (OUT-22)', async () => {
        const ids = await rig.putRoom('a', 1);
        const run = await rig.claimOne();
        const finish = { kind: 'delivered' as const, rowIds: ids };
        await rig.store.finish(run.claimToken, finish, nowMs);
        expect((await rig.store.finish(run.claimToken, finish, nowMs + 1)).delivered).toBe(0);
        expect((await rig.see(ids[0] as bigint)).finishedAtMs).toBe(nowMs);
      });
    });
  });
}
