/** What a failed row means for the rows behind it, where its destination blocks. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import { failureAt, lockMs, OutboxRig } from '../../support/outbox-rig.ts';
import type { OutboxStoreFixture } from '../../support/outbox-rig.ts';
import { claimOf, nowMs, shownRuns } from '../../support/outbox-rows.ts';

/** Declares the suite. */
export function outboxBlockContract(
  name: string,
  makeFixture: () => Promise<OutboxStoreFixture>,
): void {
  describe(`OutboxStore contract where failed rows block: ${name}`, () => {
    const rig = new OutboxRig(makeFixture);
    let store: OutboxStore;
    beforeEach(() => {
      store = rig.newStore(['im']);
    });
    const claimed = async (fields = {}): Promise<string[]> =>
      shownRuns(await store.claimRuns(claimOf(fields)));

    it('later rows of the room and destination wait behind a failed one, and no others (OUT-23)', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      await rig.put({ room: 'a', version: 2 });
      await rig.put({ room: 'a', version: 3, status: 'retryable' });
      await rig.put({ room: 'a', version: 2, destination: 'activity' });
      await rig.put({ room: 'b', version: 1 });
      expect(await claimed()).toEqual(['a/activity: 2', 'b/im: 1']);
      expect(await claimed({ nowMs: nowMs + 10 * lockMs })).toEqual(['a/activity: 2', 'b/im: 1']);
    });

    it('a destination that does not block lets later rows go on (OUT-23, RETRY-4)', async () => {
      await rig.put({ room: 'a', version: 1, destination: 'activity', status: 'failed' });
      await rig.put({ room: 'a', version: 2, destination: 'activity' });
      expect(await claimed()).toEqual(['a/activity: 2']);
    });

    it('rows before a failed one go, and the run ends at it (OUT-23)', async () => {
      await rig.put({ room: 'a', version: 1 });
      await rig.put({ room: 'a', version: 2, status: 'failed' });
      await rig.put({ room: 'a', version: 3 });
      expect(await claimed()).toEqual(['a/im: 1']);
    });

    it('it is the oldest of several failed ones that rows wait behind (OUT-23)', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      await rig.put({ room: 'a', version: 2 });
      await rig.put({ room: 'a', version: 3, status: 'failed' });
      expect(await claimed()).toEqual([]);
    });

    it('each room waits behind its own failed row, whichever failed first', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      await rig.put({ room: 'b', version: 1, status: 'failed' });
      await rig.put({ room: 'a', version: 2 });
      await rig.put({ room: 'b', version: 2 });
      expect(await claimed()).toEqual([]);
    });

    it('beside a destination that blocks, one that does not is claimed and started past its failed row', async () => {
      await rig.put({ room: 'a', version: 1, destination: 'activity', status: 'failed' });
      await rig.put({ room: 'a', version: 2, destination: 'activity' });
      await rig.put({ room: 'a', version: 2 });
      const runs = await store.claimRuns(claimOf());
      expect(shownRuns(runs)).toEqual(['a/activity: 2', 'a/im: 2']);
      const starts = runs.map(({ claimToken, rows: [row] }) =>
        store.start(claimToken, [row?.rowId ?? 0n], nowMs + lockMs),
      );
      expect((await Promise.all(starts)).map(({ length }) => length)).toEqual([1, 1]);
    });

    it('a room that waits takes no place in the batch', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      await rig.put({ room: 'a', version: 2 });
      await rig.put({ room: 'b', version: 1 });
      expect(await claimed({ batchSize: 1, runSize: 1 })).toEqual(['b/im: 1']);
    });

    it('a row that seems to kill its worker is not given up while it waits', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      const waiting = await rig.put({
        ...{ room: 'a', version: 2, status: 'delivering', claimToken: 'old' },
        ...{ lockUntilMs: nowMs - 1, startedCount: 3 },
      });
      expect(await claimed()).toEqual([]);
      expect((await rig.see(waiting)).status).toBe('delivering');
    });

    it('a row that fails for good holds back what was claimed with it (OUT-7, OUT-23)', async () => {
      const [first, second, third] = (await rig.putRoom('a', 3)) as [bigint, bigint, bigint];
      const [run] = await store.claimRuns(claimOf());
      const failure = failureAt(second, { deliveredRowIds: [first], permanent: true });
      await store.finish(run?.claimToken ?? '', failure, nowMs);
      expect(await rig.statuses([first, second, third])).toEqual([
        'delivered',
        'failed',
        'pending',
      ]);
      expect(await claimed()).toEqual([]);
    });

    it('a row that kills its worker holds later ones back once it has failed', async () => {
      const [first] = await rig.putRoom('a', 2);
      for (let at = 0; at < 3; at += 1) {
        const started = { nowMs: nowMs + at * lockMs };
        const [run] = await store.claimRuns(claimOf(started));
        await store.start(run?.claimToken ?? '', [first as bigint], started.nowMs + lockMs);
      }
      expect(await claimed({ nowMs: nowMs + 3 * lockMs })).toEqual([]);
      expect((await rig.see(first as bigint)).status).toBe('failed');
      expect(await claimed({ nowMs: nowMs + 4 * lockMs })).toEqual([]);
    });

    it('a start is refused behind a failed row, of a claim from before it failed', async () => {
      const ids = await rig.putRoom('a', 3);
      const [old] = await store.claimRuns(claimOf());
      const later = nowMs + lockMs;
      const [current] = await store.claimRuns(claimOf({ nowMs: later, runSize: 1 }));
      const failure = failureAt(ids[0] as bigint, { permanent: true });
      await store.finish(current?.claimToken ?? '', failure, later);
      // Rows 2 and 3 still bear the old token, and nothing unfinished lies before them.
      expect(await store.start(old?.claimToken ?? '', ids, later + lockMs)).toEqual([]);
      const behind = ids.slice(1);
      expect(await store.start(old?.claimToken ?? '', behind, later + lockMs)).toEqual([]);
      expect(await rig.newStore().start(old?.claimToken ?? '', ids, later + lockMs)).toHaveLength(
        2,
      );
    });

    it('says in how many rooms rows wait, for each destination that blocks', async () => {
      await rig.put({ room: 'a', version: 1, status: 'failed' });
      await rig.put({ room: 'a', version: 2, status: 'failed' });
      await rig.put({ room: 'b', version: 1, status: 'failed' });
      await rig.put({ room: 'c', version: 1, destination: 'activity', status: 'failed' });
      const both = rig.newStore(['im', 'rtc']);
      expect(await both.blockedRooms()).toEqual([
        { destination: 'im', rooms: 2 },
        { destination: 'rtc', rooms: 0 },
      ]);
      expect(await rig.newStore().blockedRooms()).toEqual([]);
    });
  });
}
