/** Starts and finishes that come together: each is answered as if it had come by itself. */
import { describe, expect, it } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/outbox-store.ts';
import { failureAt, lockMs, OutboxRig } from '../../support/outbox-rig.ts';
import type { OutboxStoreFixture } from '../../support/outbox-rig.ts';
import { claimOf, nowMs } from '../../support/outbox-rows.ts';

const idsOf = (run: ClaimedRun): bigint[] => run.rows.map(({ rowId }) => rowId);

/** Declares the suite. */
export function outboxTogetherContract(
  name: string,
  makeFixture: () => Promise<OutboxStoreFixture>,
): void {
  describe(`OutboxStore contract for calls that come together: ${name}`, () => {
    const rig = new OutboxRig(makeFixture);

    /** Claimed runs of `rooms` rooms, in the order of the rooms. */
    const claimRooms = async (rooms: number, rows = 2): Promise<ClaimedRun[]> => {
      for (let at = 0; at < rooms; at += 1) await rig.putRoom(`r${at}`, rows);
      const runs = await rig.store.claimRuns(claimOf());
      return [...runs].sort((one, other) => (one.roomId < other.roomId ? -1 : 1));
    };
    const start = (run: ClaimedRun, lockUntilMs = nowMs + 90_000) =>
      rig.store.start(run.claimToken, idsOf(run), lockUntilMs);
    const startsOf = async (ids: readonly bigint[]): Promise<number[]> =>
      Promise.all(ids.map(async (id) => (await rig.see(id)).startedCount));

    it('starts of many rooms each answer their own rows and raise each counter once (OUT-25)', async () => {
      const runs = await claimRooms(9);
      const started = await Promise.all(runs.map((run) => start(run)));
      expect(started.map((rows) => rows.map(({ rowId }) => rowId))).toEqual(runs.map(idsOf));
      for (const id of runs.flatMap(idsOf)) {
        expect(await rig.see(id)).toMatchObject({
          startedCount: 1,
          lockUntilMs: nowMs + 90_000,
        });
      }
    });

    it('a late claim among them starts nothing and keeps none of the others (OUT-22)', async () => {
      const [late, ...others] = (await claimRooms(4)) as [ClaimedRun, ...ClaimedRun[]];
      await rig.store.finish('other', { kind: 'delivered', rowIds: idsOf(late) }, nowMs);
      const started = await Promise.all([start(late), ...others.map((run) => start(run))]);
      expect(started.map((rows) => rows.length)).toEqual([0, 2, 2, 2]);
      expect(await startsOf(idsOf(late))).toEqual([0, 0]);
    });

    it('of a claim that lost some of its rows the others start, and nothing of it twice', async () => {
      const [torn, whole] = (await claimRooms(2)) as [ClaimedRun, ClaimedRun];
      const [first, second] = idsOf(torn) as [bigint, bigint];
      await rig.store.finish('other', { kind: 'delivered', rowIds: [first] }, nowMs);
      const [ofTorn, ofWhole] = await Promise.all([start(torn), start(whole)]);
      expect(ofTorn.map(({ rowId }) => rowId)).toEqual([second]);
      expect(ofWhole).toHaveLength(2);
      expect(await startsOf([first, second])).toEqual([0, 1]);
    });

    it('a start behind an older row of another claim is refused, the others are not (OUT-23)', async () => {
      const runs = (await claimRooms(3, 3)) as [ClaimedRun, ClaimedRun, ClaimedRun];
      const later = { nowMs: nowMs + lockMs, runSize: 1 };
      const retaken = await rig.store.claimRuns(claimOf(later));
      const ofFirst = retaken.filter(({ roomId }) => roomId === runs[0].roomId);
      const others = retaken.filter(({ roomId }) => roomId !== runs[0].roomId);
      // Rows 2 and 3 are all the claim's own still.
      const behind = idsOf(runs[0]).slice(1);
      const started = await Promise.all([
        rig.store.start(runs[0].claimToken, behind, nowMs + 2 * lockMs),
        ...others.map((run) => start(run, nowMs + 2 * lockMs)),
      ]);
      expect(started.map((rows) => rows.length)).toEqual([0, 1, 1]);
      expect(await startsOf(idsOf(runs[0]))).toEqual([0, 0, 0]);
      expect(await start(ofFirst[0] as ClaimedRun, nowMs + 2 * lockMs)).toHaveLength(1);
    });

    it('one start asked for twice is counted twice: each may be a life that it costs', async () => {
      const [run] = (await claimRooms(1)) as [ClaimedRun];
      const started = await Promise.all([start(run), start(run)]);
      expect(started.map((rows) => rows.length)).toEqual([2, 2]);
      expect(await startsOf(idsOf(run))).toEqual([2, 2]);
    });

    it('finishes of many rooms each end their own rows and say how many (OUT-5)', async () => {
      const runs = await claimRooms(9);
      const results = await Promise.all(
        runs.map((run) =>
          rig.store.finish(run.claimToken, { kind: 'delivered', rowIds: idsOf(run) }, nowMs),
        ),
      );
      expect(results.map(({ delivered }) => delivered)).toEqual(runs.map(() => 2));
      expect(new Set(await rig.statuses(runs.flatMap(idsOf)))).toEqual(new Set(['delivered']));
    });

    it('a failure among them fails its own row, and a doubled finish ends nothing twice (OUT-7, OUT-22)', async () => {
      const [bad, doubled, good] = (await claimRooms(3)) as [ClaimedRun, ClaimedRun, ClaimedRun];
      await start(bad);
      const delivered = (run: ClaimedRun) =>
        rig.store.finish(run.claimToken, { kind: 'delivered', rowIds: idsOf(run) }, nowMs);
      const failing = idsOf(bad)[0] as bigint;
      const [ofBad, once, again, ofGood] = await Promise.all([
        rig.store.finish(bad.claimToken, failureAt(failing, { permanent: true }), nowMs),
        delivered(doubled),
        delivered(doubled),
        delivered(good),
      ]);
      expect(ofBad).toEqual({ delivered: 0, failedRowState: 'failed', returnedToPending: 1 });
      expect(once.delivered + again.delivered).toBe(2);
      expect(ofGood.delivered).toBe(2);
      expect(await rig.statuses(idsOf(bad))).toEqual(['failed', 'pending']);
    });
  });
}
