/** What every store of retention must do. What is there is seen through the other ports of the tables. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomKey, UserId } from '../../../src/domain/ids.ts';
import type { CommitLane, EventRow, LogRow, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { OperatorStore } from '../../../src/ports/operator-store.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type {
  OutboxFilter,
  OutboxStatus,
  RecordPlace,
  ReplayStore,
} from '../../../src/ports/replay-store.ts';
import type { RetentionStore } from '../../../src/ports/retention-store.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import type { SettlementStore } from '../../../src/ports/settlement-store.ts';
import {
  asVersion,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshCommandId,
  freshRoomId,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  settlementOf,
  testApp,
  takenBy,
} from '../../support/lane-batches.ts';
import { claimOf } from '../../support/outbox-rows.ts';

/** The port, and those through which rows come there and are seen. */
export interface RetentionStoreFixture {
  readonly retention: RetentionStore;
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly outbox: OutboxStore;
  readonly replays: ReplayStore;
  readonly operators: OperatorStore;
  readonly settlements: SettlementStore;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

const allOf = (roomId: RoomId): OutboxFilter => ({
  ...{ appCode: testApp, roomId, eventId: '', destination: '', eventType: '' },
  createdBeforeMs: 0,
});

/** Rows before it are old. */
const beforeMs = 10_000;
const oldMs = beforeMs - 1;
const youngMs = beforeMs;

/** Declares the suite. */
export function retentionStoreContract(
  name: string,
  makeFixture: () => Promise<RetentionStoreFixture>,
): void {
  describe(`RetentionStore contract: ${name}`, () => {
    let fixture: RetentionStoreFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let commitSeq = 0n;
    let offset = -1n;

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
      taken = await takenBy(fixture.store, 'one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });

    const commit = async (batch: Partial<LaneBatch>, appliedOffset = offset): Promise<void> => {
      const fence = fenceOf(taken, 'one', { commitSeq, appliedOffset });
      const whole = { ...emptyBatch, fences: [fence], ...batch };
      expect(await lane.commit(whole, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
    };
    /** A room with a step for each time, whose records are settled. */
    const roomOf = async (
      decidedAt: readonly number[],
      event: Partial<EventRow> = {},
    ): Promise<RoomId> => {
      const roomId = freshRoomId();
      for (const [at, decidedAtMs] of decidedAt.entries()) {
        const version = BigInt(at + 1);
        offset += 1n;
        await commit({
          logRows: [logRowOf(taken, roomId, version, { decidedAtMs, kafkaOffset: offset })],
          eventRows: [eventRowOf(roomId, version, { occurredAtMs: decidedAtMs, ...event })],
          roomRows: [roomRowOf(taken, roomId, version)],
        });
      }
      return roomId;
    };
    const versionsOf = async (roomId: RoomId): Promise<readonly bigint[]> => {
      const steps = await fixture.reader.stepsAfter(keyOf(roomId), asVersion(0n), 100);
      return steps.map(({ version }) => version);
    };
    const unapplied = (fields: Partial<LogRow>): Partial<LogRow> => ({
      ...{ outcome: 'rejected', appliedVersion: null, events: null, chainHash: null },
      ...fields,
    });
    const isThere = async (roomId: RoomId, commandId: CommandId): Promise<boolean> => {
      const found = await fixture.reader.findResults([{ roomKey: keyOf(roomId), commandId }]);
      return found.length > 0;
    };
    const deliver = async (roomId: RoomId, ...to: readonly ('im' | 'activity')[]) => {
      const runs = await fixture.outbox.claimRuns(claimOf({ destinations: to }));
      for (const run of runs.filter((each) => each.roomId === roomId)) {
        const rowIds = run.rows.map(({ rowId }) => rowId);
        await fixture.outbox.start(run.claimToken, rowIds, claimOf().nowMs + 1_000);
        await fixture.outbox.finish(run.claimToken, { kind: 'delivered', rowIds }, oldMs);
      }
    };
    const fail = async (roomId: RoomId, to: 'im' | 'activity'): Promise<void> => {
      const runs = await fixture.outbox.claimRuns(claimOf({ destinations: [to] }));
      for (const run of runs.filter((each) => each.roomId === roomId)) {
        const [failedRowId = 0n] = run.rows.map(({ rowId }) => rowId);
        await fixture.outbox.start(run.claimToken, [failedRowId], claimOf().nowMs + 1_000);
        const failure = { error: 'refused', permanent: true, countsAsTry: true };
        await fixture.outbox.finish(
          run.claimToken,
          {
            ...{ kind: 'failed', deliveredRowIds: [], failedRowId, ...failure },
            ...{ nextRetryAtMs: 0, maxRetryCount: 1 },
          },
          oldMs,
        );
      }
    };
    const rowsOf = async (roomId: RoomId, status: OutboxStatus): Promise<number> => {
      return (await fixture.replays.outboxRows(allOf(roomId), status, 0n, 100)).length;
    };
    const removeEvents = async (roomId: RoomId): Promise<number> =>
      (await fixture.retention.removeEvents(keyOf(roomId), null, 100)).removed;
    const everyDelivered = async (limit: number): Promise<number> => {
      let removed = 0;
      for (let after: bigint | null = 0n; after !== null;) {
        const page = await fixture.retention.removeDelivered(Number.MAX_SAFE_INTEGER, after, limit);
        removed += page.removed;
        after = page.next;
      }
      return removed;
    };

    describe('steps of a room', () => {
      it('leave from the oldest on, up to the first that is young (SNAP-2)', async () => {
        const roomId = await roomOf([oldMs, oldMs, youngMs, oldMs]);
        const { retention } = fixture;
        expect(await retention.oldSteps(keyOf(roomId), beforeMs, 10)).toEqual({
          upTo: 2n,
          isMore: false,
        });
        expect(await retention.oldSteps(keyOf(roomId), beforeMs, 1)).toEqual({
          upTo: 1n,
          isMore: true,
        });
        expect(await retention.removeSteps(keyOf(roomId), asVersion(4n), beforeMs, 10)).toBe(2);
        expect(await versionsOf(roomId)).toEqual([3n, 4n]);
        expect(await retention.oldSteps(keyOf(roomId), beforeMs, 10)).toBeNull();
      });

      it('leave no further than the caller says, nor more of them', async () => {
        const roomId = await roomOf([oldMs, oldMs, oldMs]);
        const { retention } = fixture;
        expect(await retention.removeSteps(keyOf(roomId), asVersion(2n), beforeMs, 1)).toBe(1);
        expect(await retention.removeSteps(keyOf(roomId), asVersion(2n), beforeMs, 10)).toBe(1);
        expect(await retention.removeSteps(keyOf(roomId), asVersion(2n), beforeMs, 10)).toBe(0);
        expect(await versionsOf(roomId)).toEqual([3n]);
      });

      it("of another room, and the room's own row, stay", async () => {
        const [one, other] = [await roomOf([oldMs]), await roomOf([oldMs])];
        await fixture.retention.removeSteps(keyOf(one), asVersion(9n), beforeMs, 10);
        expect(await versionsOf(other)).toEqual([1n]);
        expect((await fixture.reader.loadRoom(keyOf(one))).meta).toMatchObject({ version: 1n });
      });
    });

    describe('commands that changed nothing', () => {
      it('leave by age alone, page by page', async () => {
        const roomId = await roomOf([youngMs]);
        const ids = ['a', 'b', 'c'].map((letter) => `${letter}-${freshCommandId()}` as CommandId);
        for (const [at, commandId] of ids.entries()) {
          offset += 1n;
          const decidedAtMs = at === 1 ? youngMs : oldMs;
          const fields = unapplied({ commandId, decidedAtMs, kafkaOffset: offset });
          await commit({ logRows: [logRowOf(taken, roomId, 1n, fields)] });
        }
        let removed = 0;
        let pages = 0;
        for (let after: RecordPlace | null = null; after !== null || pages === 0; pages += 1) {
          const page = await fixture.retention.removeUnapplied(beforeMs, after, 2);
          removed += page.removed;
          after = page.next;
        }
        expect(pages).toBeGreaterThan(1);
        expect(removed).toBe(2);
        const there = await Promise.all(ids.map((id) => isThere(roomId, id)));
        expect(there).toEqual([false, true, false]);
        expect(await versionsOf(roomId)).toEqual([1n]);
      });
    });

    it("a command's row stays while its record may be read again", async () => {
      const roomId = await roomOf([oldMs]);
      const commandId = freshCommandId();
      const ahead = offset + 5n;
      const rejected = unapplied({ commandId, decidedAtMs: oldMs, kafkaOffset: ahead });
      await commit({
        logRows: [
          logRowOf(taken, roomId, 1n, rejected),
          logRowOf(taken, roomId, 2n, { decidedAtMs: oldMs, kafkaOffset: ahead + 1n }),
        ],
        eventRows: [eventRowOf(roomId, 2n)],
        roomRows: [roomRowOf(taken, roomId, 2n)],
      });
      const { retention } = fixture;
      expect(await retention.oldSteps(keyOf(roomId), beforeMs, 10)).toMatchObject({ upTo: 1n });
      await retention.removeSteps(keyOf(roomId), asVersion(9n), beforeMs, 10);
      await retention.removeUnapplied(beforeMs, null, 1_000);
      expect(await versionsOf(roomId)).toEqual([2n]);
      expect(await isThere(roomId, commandId)).toBe(true);
      offset = ahead + 1n;
      await commit({}, offset);
      await retention.removeSteps(keyOf(roomId), asVersion(9n), beforeMs, 10);
      await retention.removeUnapplied(beforeMs, null, 1_000);
      expect(await versionsOf(roomId)).toEqual([]);
      expect(await isThere(roomId, commandId)).toBe(false);
    });

    describe('rows of the outbox', () => {
      it('leave when they are done and old; pending and failed ones stay, however old', async () => {
        const roomId = await roomOf([oldMs, oldMs]);
        await deliver(roomId, 'im');
        await fail(roomId, 'activity');
        expect(await rowsOf(roomId, 'delivered')).toBe(2);
        await fixture.retention.removeDelivered(oldMs - 1, 0n, 10_000);
        expect(await rowsOf(roomId, 'delivered')).toBe(2);
        expect(await everyDelivered(3)).toBeGreaterThanOrEqual(2);
        expect(await rowsOf(roomId, 'delivered')).toBe(0);
        expect(await rowsOf(roomId, 'failed')).toBe(1);
        expect(await rowsOf(roomId, 'pending')).toBe(1);
      });
    });

    describe('events', () => {
      it('stay as long as their step, and leave behind it', async () => {
        const roomId = await roomOf([oldMs, youngMs], { destinations: [] });
        expect(await removeEvents(roomId)).toBe(0);
        await fixture.retention.removeSteps(keyOf(roomId), asVersion(9n), beforeMs, 10);
        expect(await removeEvents(roomId)).toBe(1);
        const steps = await fixture.reader.eventsAfter(keyOf(roomId), asVersion(1n), 10);
        expect(steps.map(({ version, envelopes }) => [version, envelopes.length])).toEqual([
          [2n, 1],
        ]);
      });

      it('stay while a row of the outbox is not done, so that it can still be sent', async () => {
        const roomId = await roomOf([oldMs, oldMs]);
        await fixture.retention.removeSteps(keyOf(roomId), asVersion(9n), beforeMs, 10);
        await deliver(roomId, 'im');
        expect(await removeEvents(roomId)).toBe(0);
        await fail(roomId, 'activity');
        await deliver(roomId, 'activity');
        await everyDelivered(1_000);
        expect(await rowsOf(roomId, 'failed')).toBe(1);
        expect(await removeEvents(roomId)).toBe(1);
        expect(await removeEvents(roomId)).toBe(0);
      });

      it('are looked through page by page, those that stay included', async () => {
        const roomId = await roomOf([oldMs, oldMs, oldMs]);
        await fixture.retention.removeSteps(keyOf(roomId), asVersion(9n), beforeMs, 10);
        const first = await fixture.retention.removeEvents(keyOf(roomId), null, 2);
        expect(first).toEqual({ removed: 0, next: { roomVersion: 2n, eventIndex: 0 } });
        const last = await fixture.retention.removeEvents(keyOf(roomId), first.next, 2);
        expect(last).toEqual({ removed: 0, next: null });
      });
    });

    describe('rooms', () => {
      const walk = async (
        next: (after: RoomKey | null) => Promise<RoomKey | null>,
      ): Promise<readonly RoomKey[]> => {
        const seen: RoomKey[] = [];
        for (let room = await next(null); room !== null; room = await next(room)) seen.push(room);
        return seen;
      };

      it('are walked once each, those of all apps, as long as they have rows', async () => {
        const roomId = await roomOf([oldMs, oldMs]);
        const elsewhere = { appCode: 'app2' as AppCode };
        offset += 1n;
        const there = { ...elsewhere, decidedAtMs: oldMs, kafkaOffset: offset };
        await commit({
          logRows: [logRowOf(taken, roomId, 1n, there)],
          eventRows: [eventRowOf(roomId, 1n, elsewhere)],
          roomRows: [roomRowOf(taken, roomId, 1n, elsewhere)],
        });
        const { retention } = fixture;
        const other = roomKeyOf(elsewhere.appCode, roomId);
        for (const next of [
          (after: RoomKey | null) => retention.nextLoggedRoom(after),
          (after: RoomKey | null) => retention.nextRoomWithEvents(after),
        ]) {
          const rooms = await walk(next);
          expect(new Set(rooms).size).toBe(rooms.length);
          expect(rooms).toContain(keyOf(roomId));
          expect(rooms.at(-1)).toBe(other);
        }
        await retention.removeSteps(other, asVersion(9n), beforeMs, 10);
        expect(await walk((after) => retention.nextLoggedRoom(after))).not.toContain(other);
      });
    });

    it('debits leave when the wallet has acknowledged them for so long; open ones stay', async () => {
      const [open1, settledOld, settledYoung] = [0, 0, 0].map(() => settlementOf(0));
      await commit({ settlements: [open1, settledOld, settledYoung].flatMap((row) => row ?? []) });
      await fixture.settlements.settled(settledOld?.debitKey ?? '', 1n, oldMs);
      await fixture.settlements.settled(settledYoung?.debitKey ?? '', 1n, youngMs);
      let removed = 0;
      for (let after: string | null = ''; after !== null;) {
        const page = await fixture.retention.removeSettlements(beforeMs, after, 1);
        removed += page.removed;
        after = page.next;
      }
      expect(removed).toBe(1);
      const left = await fixture.settlements.listOpen(100);
      expect(left.map(({ debitKey }) => debitKey)).toContain(open1?.debitKey);
      expect((await fixture.retention.removeSettlements(youngMs + 1, '', 100)).removed).toBe(1);
    });

    it('acts of operators leave the oldest first, with what they sent again', async () => {
      const roomId = await roomOf([oldMs]);
      await fail(roomId, 'im');
      const operatorId = 'kim' as UserId;
      const [first, second] = [freshCommandId(), freshCommandId()];
      const act = { ...allOf(roomId), operatorId, type: 'ReplayOutbox', limit: 10 } as const;
      await fixture.operators.carryOut({ ...act, commandId: first }, oldMs - 1);
      await fixture.operators.carryOut({ ...act, commandId: second }, oldMs);
      expect(await fixture.replays.replayedRows(testApp, first)).toBe(1);
      expect(await fixture.retention.removeAudit(oldMs - 1, 10)).toBe(0);
      expect(await fixture.retention.removeAudit(beforeMs, 1)).toBe(1);
      expect(await fixture.replays.replayedRows(testApp, first)).toBe(0);
      expect(await fixture.operators.carryOut({ ...act, commandId: second }, oldMs)).toBe('repeat');
      expect(await fixture.retention.removeAudit(beforeMs, 10)).toBe(1);
    });
  });
}
