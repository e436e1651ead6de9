/** What every OutboxStore must do for relays. Time is whatever the calls say. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import { outboxShardOf } from '../../../src/protocol/outbox-shard.ts';
import { lockMs, OutboxRig } from '../../support/outbox-rig.ts';
import type { OutboxStoreFixture } from '../../support/outbox-rig.ts';
import { claimOf, nowMs, outboxApp, shownRuns } from '../../support/outbox-rows.ts';

/** Declares the suite. */
export function outboxClaimContract(
  name: string,
  makeFixture: () => Promise<OutboxStoreFixture>,
): void {
  describe(`OutboxStore contract for relays: ${name}`, () => {
    const rig = new OutboxRig(makeFixture);

    describe('claiming', () => {
      it('a run holds consecutive rows of one room and destination, oldest first (OUT-23)', async () => {
        await rig.putRoom('a', 3);
        await rig.put({ room: 'a', version: 3, destination: 'activity' });
        await rig.putRoom('b', 1);
        const runs = await rig.store.claimRuns(claimOf());
        expect(shownRuns(runs)).toEqual(['a/activity: 3', 'a/im: 1,2,3', 'b/im: 1']);
        expect(runs.find((run) => run.roomId === 'b')?.rows[0]).toMatchObject({
          eventType: 'RoomUserJoined',
          envelope: Buffer.from('b 1'),
          retryCount: 0,
          usefulUntilMs: null,
        });
      });

      it('a claimed row is delivering, locked and bears worker and token (OUT-3, OUT-9, OUT-15)', async () => {
        const [id] = await rig.putRoom('a', 1);
        const run = await rig.claimOne();
        expect(await rig.see(id as bigint)).toMatchObject({
          status: 'delivering',
          workerId: 'relay-1',
          claimToken: run.claimToken,
          lockUntilMs: nowMs + lockMs,
          startedCount: 0,
        });
      });

      it('a room has one run at a time, however many rows wait (OUT-23)', async () => {
        const ids = await rig.putRoom('a', 5);
        expect(shownRuns(await rig.store.claimRuns(claimOf({ runSize: 2 })))).toEqual([
          'a/im: 1,2',
        ]);
        expect(await rig.store.claimRuns(claimOf({ runSize: 2 }))).toEqual([]);
        await rig.store.finish('x', { kind: 'delivered', rowIds: ids.slice(0, 2) }, nowMs);
        expect(shownRuns(await rig.store.claimRuns(claimOf({ runSize: 2 })))).toEqual([
          'a/im: 3,4',
        ]);
      });

      it('rows behind one that waits for its next try wait too, until it is due (OUT-4, OUT-17, OUT-23)', async () => {
        await rig.put({
          room: 'a',
          version: 1,
          status: 'retryable',
          nextRetryAtMs: nowMs + 1,
        });
        await rig.put({ room: 'a', version: 2 });
        expect(await rig.store.claimRuns(claimOf())).toEqual([]);
        const later = claimOf({ nowMs: nowMs + 1 });
        expect(shownRuns(await rig.store.claimRuns(later))).toEqual(['a/im: 1,2']);
      });

      it('an expired lock is claimable again, and not a millisecond before (OUT-10, OUT-15, OUT-21, TST-5)', async () => {
        await rig.putRoom('a', 2);
        const first = await rig.claimOne();
        expect(await rig.store.claimRuns(claimOf({ nowMs: nowMs + lockMs - 1 }))).toEqual([]);
        const second = await rig.claimOne({ nowMs: nowMs + lockMs });
        expect(second.rows).toHaveLength(2);
        expect(second.claimToken).not.toBe(first.claimToken);
      });

      it('delivered, failed and historical published rows are never claimed nor in the way (OUT-19, OUT-26, RETRY-4)', async () => {
        const ids = [
          await rig.put({ room: 'a', version: 1, status: 'published' }),
          await rig.put({ room: 'a', version: 2, status: 'delivered' }),
          await rig.put({ room: 'a', version: 3, status: 'failed' }),
        ];
        await rig.put({ room: 'a', version: 4 });
        expect(shownRuns(await rig.store.claimRuns(claimOf()))).toEqual(['a/im: 4']);
        expect(await rig.statuses(ids)).toEqual(['published', 'delivered', 'failed']);
      });

      it('only the wanted destinations and shards are claimed', async () => {
        await rig.put({ room: 'a', version: 1 });
        await rig.put({ room: 'a', version: 1, destination: 'activity' });
        expect(
          shownRuns(await rig.store.claimRuns(claimOf({ destinations: ['activity'] }))),
        ).toEqual(['a/activity: 1']);
        expect(await rig.store.claimRuns(claimOf({ shards: [] }))).toEqual([]);
      });

      it('a row whose event is gone is failed with a reason, and nothing overtakes it', async () => {
        const ids = await rig.putRoom('a', 3);
        await rig.loseEvent(ids[1] as bigint);
        expect(shownRuns(await rig.store.claimRuns(claimOf()))).toEqual(['a/im: 1']);
        expect(await rig.see(ids[1] as bigint)).toMatchObject({
          status: 'failed',
          lastError: expect.stringContaining('missing') as string,
        });
        expect(await rig.statuses(ids)).toEqual(['delivering', 'failed', 'pending']);
      });

      it('a round claims no more than its batch, and the next one goes on (OCFG-4)', async () => {
        for (const room of ['a', 'b', 'c']) await rig.putRoom(room, 4);
        const first = await rig.store.claimRuns(claimOf({ batchSize: 7, runSize: 4 }));
        expect(first.flatMap((run) => run.rows)).toHaveLength(7);
        for (const run of first) {
          const rowIds = run.rows.map((row) => row.rowId);
          await rig.store.finish(run.claimToken, { kind: 'delivered', rowIds }, nowMs);
        }
        const second = await rig.store.claimRuns(claimOf({ batchSize: 7, runSize: 4 }));
        // Every room gets its oldest row before any gets its second, so none is starved by another.
        expect(shownRuns(first)).toEqual(['a/im: 1,2,3,4', 'b/im: 1,2', 'c/im: 1']);
        expect(shownRuns(second)).toEqual(['b/im: 3,4', 'c/im: 2,3,4']);
      });

      it('a destination with too many unconfirmed rows gets no more, another one does', async () => {
        await rig.putRoom('a', 3);
        await rig.store.claimRuns(claimOf());
        await rig.putRoom('b', 3);
        await rig.put({ room: 'a', version: 9, destination: 'activity' });
        const full = await rig.store.claimRuns(claimOf({ unconfirmedMax: 3 }));
        expect(shownRuns(full)).toEqual(['a/activity: 9']);
        const roomForTwo = await rig.store.claimRuns(claimOf({ unconfirmedMax: 5 }));
        expect(shownRuns(roomForTwo)).toEqual(['b/im: 1,2']);
        // Rows whose lock ran out are nobody's: they do not count.
        const later = claimOf({ nowMs: nowMs + lockMs, unconfirmedMax: 3 });
        expect(await rig.store.claimRuns(later)).not.toEqual([]);
      });

      it('a room with many rows keeps no other room waiting, not even for a round', async () => {
        await rig.putRoom('a', 700);
        const quiet = neighbourOf('a');
        await rig.putRoom(quiet, 1);
        const runs = shownRuns(await rig.store.claimRuns(claimOf()));
        expect(runs).toEqual(['a/im: 1,2,3,4,5,6,7,8,9,10', `${quiet}/im: 1`]);
      });

      it('rooms behind many others are claimed by one of the next rounds, whatever these bring', async () => {
        const rooms = Array.from({ length: 12 }, (_, at) => neighbourOf('a', at));
        const versions = Array.from({ length: 20 }, (_, at) => at + 1);
        await rig.putAll(versions.flatMap((version) => rooms.map((room) => ({ room, version }))));
        const last = neighbourOf('a', rooms.length);
        await rig.putRoom(last, 1);
        const claimed: string[] = [];
        for (let round = 0; round < 20 && !claimed.includes(`${last}/im: 1`); round += 1) {
          const runs = await rig.store.claimRuns(claimOf({ runSize: 1 }));
          claimed.push(...shownRuns(runs));
          for (const { claimToken, rows } of runs) {
            const rowIds = rows.map(({ rowId }) => rowId);
            await rig.store.finish(claimToken, { kind: 'delivered', rowIds }, nowMs);
          }
        }
        expect(claimed).toContain(`${last}/im: 1`);
      });

      it('thousands of rows behind one bad row do not keep other rooms waiting', async () => {
        await rig.put({ room: 'a', version: 1, status: 'retryable', nextRetryAtMs: nowMs * 2 });
        const blocked = Array.from({ length: 6_500 }, (_, at) => ({ room: 'a', version: at + 2 }));
        await rig.putAll(blocked);
        const healthy = neighbourOf('a');
        await rig.putRoom(healthy, 1);
        // A scan of MySQL sees some three thousand rows of a shard; its second looks at the end too.
        const rounds = [await rig.store.claimRuns(claimOf()), await rig.store.claimRuns(claimOf())];
        expect(rounds.flatMap(shownRuns)).toEqual([`${healthy}/im: 1`]);
      });
    });

    describe('giving back', () => {
      it('rows that were not sent are pending again with their counters untouched (OUT-27)', async () => {
        const id = await rig.put({
          room: 'a',
          version: 1,
          status: 'retryable',
          retryCount: 4,
        });
        const run = await rig.claimOne();
        await rig.store.giveBack(run.claimToken, [id]);
        expect(await rig.see(id)).toMatchObject({
          status: 'pending',
          retryCount: 4,
          startedCount: 0,
          claimToken: '',
          lockUntilMs: 0,
        });
      });

      it('a head that was given back waits for the rest of its run', async () => {
        const ids = await rig.putRoom('a', 3);
        const run = await rig.claimOne();
        await rig.store.giveBack(run.claimToken, ids.slice(0, 1));
        expect(await rig.store.claimRuns(claimOf())).toEqual([]);
        await rig.store.giveBack(run.claimToken, ids.slice(1));
        expect(shownRuns(await rig.store.claimRuns(claimOf()))).toEqual(['a/im: 1,2,3']);
      });

      it('a late give-back of somebody else’s claim changes nothing', async () => {
        const [id] = (await rig.putRoom('a', 1)) as [bigint];
        const old = await rig.claimOne();
        const current = await rig.claimOne({ nowMs: nowMs + lockMs });
        await rig.store.giveBack(old.claimToken, [id]);
        expect(await rig.see(id)).toMatchObject({
          status: 'delivering',
          claimToken: current.claimToken,
        });
      });
    });

    describe('rows that end their worker', () => {
      it('three starts without a finish are failed with a reason, the room goes on', async () => {
        const ids = await rig.putRoom('a', 2);
        let at = nowMs;
        for (let turn = 0; turn < 3; turn += 1, at += lockMs) {
          const run = await rig.claimOne({ nowMs: at, runSize: 1 });
          await rig.store.start(run.claimToken, [ids[0] as bigint], at + lockMs);
        }
        await rig.store.claimRuns(claimOf({ nowMs: at }));
        expect(await rig.see(ids[0] as bigint)).toMatchObject({
          status: 'failed',
          lastError: expect.stringMatching(/started 3 times/) as string,
        });
        expect(shownRuns(await rig.store.claimRuns(claimOf({ nowMs: at })))).toEqual(['a/im: 2']);
      });

      it('neighbours of such a row are not counted with it: each goes alone', async () => {
        const ids = await rig.putRoom('a', 3);
        const run = await rig.claimOne();
        await rig.store.start(run.claimToken, ids, nowMs + lockMs);
        const again = await rig.claimOne({ nowMs: nowMs + lockMs });
        expect(again.rows.map((row) => row.rowId)).toEqual(ids.slice(0, 1));
      });

      it('a run says of its row that it was started and not ended', async () => {
        const ids = await rig.putRoom('a', 2);
        const run = await rig.claimOne();
        expect(run.rows.map((row) => row.isSuspect)).toEqual([false, false]);
        await rig.store.start(run.claimToken, ids.slice(0, 1), nowMs + lockMs);
        const again = await rig.claimOne({ nowMs: nowMs + lockMs });
        expect(again.rows.map((row) => row.isSuspect)).toEqual([true]);
      });

      it('a claim that was never started counts nothing', async () => {
        const [id] = (await rig.putRoom('a', 1)) as [bigint];
        for (let turn = 0; turn < 5; turn += 1)
          await rig.claimOne({ nowMs: nowMs + turn * lockMs });
        expect(await rig.see(id)).toMatchObject({ status: 'delivering', startedCount: 0 });
      });
    });

    describe('several relays', () => {
      it('two stores that race never both hold a run of one room (OUT-1, OUT-9)', async () => {
        const rooms = Array.from({ length: 12 }, (_, at) => `r${at}`);
        for (const room of rooms) await rig.putRoom(room, 6);
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
          relay(rig.store, 'relay-1'),
          relay(rig.newStore(), 'relay-2'),
          relay(rig.newStore(), 'relay-3'),
        ]);
        for (const room of rooms) expect(arrived.get(room)).toEqual([1, 2, 3, 4, 5, 6]);
      });
    });

    it('counts what is unfinished and what has failed per destination', async () => {
      await rig.putRoom('a', 2);
      await rig.put({ room: 'a', version: 1, destination: 'activity', status: 'failed' });
      await rig.put({ room: 'b', version: 1, status: 'delivered' });
      const backlog = await rig.store.backlog(nowMs);
      expect([...backlog].sort((one, two) => (one.destination < two.destination ? -1 : 1))).toEqual(
        [
          { destination: 'activity', unfinished: 0, failed: 1 },
          { destination: 'im', unfinished: 2, failed: 0 },
        ],
      );
    });
  });
}

/** Another room whose rows lie in the same shard as those of `room`; `nth` tells several apart. */
function neighbourOf(room: string, nth = 0): string {
  const shardOf = (id: string): number => outboxShardOf(roomKeyOf(outboxApp, id as RoomId));
  let left = nth;
  for (let at = 0; ; at += 1) {
    if (shardOf(`n${at}`) !== shardOf(room)) continue;
    if (left === 0) return `n${at}`;
    left -= 1;
  }
}
