/** What every store of what was set aside must do, with the acts that send it again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { CommitLane, DeadLetterRow } from '../../../src/ports/commit-lane.ts';
import type { OperatorAct, OperatorStore } from '../../../src/ports/operator-store.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { OutboxFilter, ReplayStore } from '../../../src/ports/replay-store.ts';
import { emptyBatch, fenceOf, freshCommandId, open, takenBy } from '../../support/lane-batches.ts';
import { claimOf, nowMs, outboxApp, type PutRow, type SeenRow } from '../../support/outbox-rows.ts';

/** The ports over one set of tables, and ways to put rows there. */
export interface ReplayStoreFixture {
  readonly replays: ReplayStore;
  readonly operators: OperatorStore;
  readonly outbox: OutboxStore;
  /** On the same rows, for which `im` blocks. */
  readonly blockingOutbox: OutboxStore;
  readonly store: PartitionStore;
  /** The commands topic whose letters are read. */
  readonly topic: string;
  openLane(incarnation: string): CommitLane;
  put(rows: readonly PutRow[]): Promise<readonly bigint[]>;
  see(rowId: bigint): Promise<SeenRow>;
  close(): Promise<void>;
}

const operatorId = 'kim' as UserId;
const any: OutboxFilter = {
  appCode: outboxApp,
  roomId: '',
  eventId: '',
  destination: '',
  eventType: '',
  createdBeforeMs: 0,
};

/** Declares the suite. */
export function replayStoreContract(
  name: string,
  makeFixture: () => Promise<ReplayStoreFixture>,
): void {
  describe(`ReplayStore contract: ${name}`, () => {
    let fixture: ReplayStoreFixture;
    let rooms = 0;
    const freshRoom = (): RoomId => `replay-${(rooms += 1)}` as RoomId;
    const failed = (room: string, version: number, more: Partial<PutRow> = {}): PutRow => ({
      ...{ room, version, status: 'failed', retryCount: 10, startedCount: 2 },
      ...more,
    });
    const of = (roomId: RoomId, more: Partial<OutboxFilter> = {}): OutboxFilter => ({
      ...any,
      roomId,
      ...more,
    });
    const replayOf = (
      filter: OutboxFilter,
      limit = 100,
    ): OperatorAct & { readonly type: 'ReplayOutbox' } => ({
      ...filter,
      commandId: freshCommandId(),
      operatorId,
      type: 'ReplayOutbox',
      limit,
    });
    const ids = async (filter: OutboxFilter, afterId = 0n, limit = 100): Promise<bigint[]> => {
      const rows = await fixture.replays.outboxRows(filter, 'failed', afterId, limit);
      return rows.map(({ rowId }) => rowId);
    };

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    describe('rows of the outbox', () => {
      it('are found by state, room, destination, event and time, oldest first, page by page', async () => {
        const [room, other] = [freshRoom(), freshRoom()];
        const put = await fixture.put([
          failed(room, 1),
          failed(room, 2),
          failed(other, 1, { destination: 'activity' }),
          failed(room, 3, { status: 'pending' }),
        ]);
        expect(await ids(of(room))).toEqual(put.slice(0, 2));
        expect(await ids(of(room), put[0])).toEqual([put[1]]);
        expect(await ids(of(room), 0n, 1)).toEqual([put[0]]);
        expect(await ids({ ...any, destination: 'activity' })).toEqual([put[2]]);
        expect(await ids(of(room, { eventType: 'RoomUserLeft' }))).toEqual([]);
        expect(await ids(of(room, { eventType: 'RoomUserJoined' }))).toHaveLength(2);
        expect(await ids(of(room, { createdBeforeMs: 1 }))).toEqual([]);
        expect(await ids(of(room, { createdBeforeMs: 2 }))).toHaveLength(2);
        expect(await ids(of(room, { appCode: 'other' as AppCode }))).toEqual([]);
        expect((await ids(any)).filter((id) => put.includes(id))).toEqual(put.slice(0, 3));
        const [pending] = await fixture.replays.outboxRows(of(room), 'pending', 0n, 10);
        expect(pending).toMatchObject({ rowId: put[3], status: 'pending', roomVersion: 3n });
        const [first] = await fixture.replays.outboxRows(of(room), 'failed', 0n, 1);
        expect(first).toMatchObject({
          ...{ roomId: room, roomVersion: 1n, eventIndex: 0, eventType: 'RoomUserJoined' },
          ...{ destination: 'im', retryCount: 10, startedCount: 2, createdAtMs: 1 },
        });
        expect(await ids({ ...any, eventId: first?.eventId ?? '' })).toEqual([put[0]]);
      });

      it('begin anew when they are replayed: counters, lock and claim are gone, and they are claimed (RETRY-9)', async () => {
        const room = freshRoom();
        const [row = 0n] = await fixture.put([
          failed(room, 1, { claimToken: 'old', lockUntilMs: 9, nextRetryAtMs: 9 }),
        ]);
        const act = replayOf(of(room));
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        expect(await fixture.see(row)).toMatchObject({
          ...{ status: 'pending', claimToken: '', workerId: '', lockUntilMs: 0 },
          ...{ nextRetryAtMs: 0, retryCount: 0, startedCount: 0, finishedAtMs: null },
        });
        expect(await fixture.replays.replayedRows(outboxApp, act.commandId)).toBe(1);
        const runs = await fixture.outbox.claimRuns(claimOf());
        const claimed = runs.find(({ roomId }) => roomId === room);
        expect(claimed?.rows.map(({ rowId }) => rowId)).toEqual([row]);
      });

      it('keep their event id when they are replayed (RETRY-6)', async () => {
        const room = freshRoom();
        await fixture.put([failed(room, 1)]);
        const [before] = await fixture.replays.outboxRows(of(room), 'failed', 0n, 1);
        await fixture.operators.carryOut(replayOf(of(room)), nowMs);
        const [after] = await fixture.replays.outboxRows(of(room), 'pending', 0n, 1);
        expect(after?.eventId).toBe(before?.eventId);
        expect(after?.rowId).toBe(before?.rowId);
      });

      it('are replayed oldest first up to the limit, and only while they are failed', async () => {
        const room = freshRoom();
        const put = await fixture.put([
          failed(room, 1, { status: 'delivered' }),
          failed(room, 2),
          failed(room, 3),
          failed(room, 4),
        ]);
        const act = replayOf(of(room), 2);
        await fixture.operators.carryOut(act, nowMs);
        expect(await fixture.replays.replayedRows(outboxApp, act.commandId)).toBe(2);
        expect(await ids(of(room))).toEqual([put[3]]);
        expect((await fixture.see(put[0] ?? 0n)).status).toBe('delivered');
      });

      it('leave for good when they are dismissed, up to the limit, and what waited behind them goes on (RETRY-5)', async () => {
        const room = freshRoom();
        const put = await fixture.put([
          failed(room, 1),
          failed(room, 2),
          failed(room, 3, { status: 'pending', retryCount: 0, startedCount: 0 }),
        ]);
        const act = { ...replayOf(of(room), 1), type: 'DismissOutbox' } as const;
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        expect(await fixture.operators.carryOut(act, nowMs + 1)).toBe('repeat');
        expect(await fixture.replays.replayedRows(outboxApp, act.commandId)).toBe(1);
        expect(await ids(of(room))).toEqual([put[1]]);
        const again = { ...act, type: 'ReplayOutbox' } as const;
        expect(await fixture.operators.carryOut(again, nowMs)).toBe('reused');
        const blocking = fixture.blockingOutbox;
        const claimedHere = async (): Promise<bigint[]> => {
          const runs = await blocking.claimRuns(claimOf());
          const run = runs.find(({ roomId }) => roomId === room);
          return (run?.rows ?? []).map(({ rowId }) => rowId);
        };
        expect(await claimedHere()).toEqual([]);
        const rest = { ...act, commandId: freshCommandId() };
        expect(await fixture.operators.carryOut(rest, nowMs)).toBe('done');
        expect(await claimedHere()).toEqual([put[2]]);
        await expect(fixture.see(put[0] ?? 0n)).rejects.toThrow('no outbox row');
      });

      it('are replayed once for one id, whatever failed since', async () => {
        const room = freshRoom();
        await fixture.put([failed(room, 1)]);
        const act = replayOf(of(room));
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        const [later] = await fixture.put([failed(room, 2)]);
        expect(await fixture.operators.carryOut(act, nowMs + 1)).toBe('repeat');
        expect(await ids(of(room))).toEqual([later]);
        expect(await fixture.replays.replayedRows(outboxApp, act.commandId)).toBe(1);
        const others = { ...act, destination: 'rtc' } as const;
        expect(await fixture.operators.carryOut(others, nowMs)).toBe('reused');
      });
    });

    describe('records that were set aside', () => {
      let lane: CommitLane;
      let taken: TakenPartition;
      let commitSeq = 0n;
      const letterAt = (
        kafkaOffset: bigint,
        change: Partial<DeadLetterRow> = {},
      ): DeadLetterRow => ({
        topic: fixture.topic,
        partition: 1,
        kafkaOffset,
        reason: 'UNDECODABLE',
        detail: 'no such schema',
        recordKey: Buffer.from([1, 0, 255]),
        recordValue: Buffer.from([0, 1, 2]),
        headersJson: '{"rc-ttl-ms":"500"}',
        recordTimeMs: 77,
        createdAtMs: 88,
        ...change,
      });
      const replayLetter = (
        offset: bigint,
      ): OperatorAct & { readonly type: 'ReplayDeadLetter' } => ({
        appCode: outboxApp,
        commandId: freshCommandId(),
        operatorId,
        type: 'ReplayDeadLetter',
        partition: 1,
        offset,
      });

      beforeAll(async () => {
        lane = fixture.openLane('one');
        taken = await takenBy(fixture.store, 'one', 1);
        const deadLetters = [
          letterAt(5n),
          letterAt(9_007_199_254_740_993n),
          letterAt(7n, { recordKey: null, recordValue: null, headersJson: '{}' }),
        ];
        const fences = [fenceOf(taken, 'one', { commitSeq })];
        commitSeq += 1n;
        const outcome = await lane.commit({ ...emptyBatch, fences, deadLetters }, open());
        expect(outcome).toMatchObject({ kind: 'committed' });
      });
      afterAll(() => lane.stop());

      it('are listed by partition and offset, page by page, with their bytes', async () => {
        const all = await fixture.replays.deadLetters(null, 10);
        expect(all.map(({ offset }) => offset)).toEqual([5n, 7n, 9_007_199_254_740_993n]);
        expect(all[0]).toMatchObject({
          ...{ partition: 1, reason: 'UNDECODABLE', detail: 'no such schema' },
          ...{ recordTimeMs: 77, createdAtMs: 88, replayedAtMs: 0, replayedBy: '' },
        });
        expect(all[0]?.record?.headers).toEqual({ 'rc-ttl-ms': '500' });
        expect([...(all[0]?.record?.key ?? [])]).toEqual([1, 0, 255]);
        expect([...(all[0]?.record?.value ?? [])]).toEqual([0, 1, 2]);
        expect(all[1]?.record).toBeNull();
        const behind = await fixture.replays.deadLetters({ partition: 1, offset: 5n }, 1);
        expect(behind.map(({ offset }) => offset)).toEqual([7n]);
        expect(await fixture.replays.deadLetters({ partition: 2, offset: 0n }, 9)).toEqual([]);
      });

      it('say who sent them again, once for one id', async () => {
        const act = replayLetter(9_007_199_254_740_993n);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        expect(await fixture.operators.carryOut(act, nowMs + 1)).toBe('repeat');
        expect(await fixture.replays.deadLetter(act)).toMatchObject({
          replayedAtMs: nowMs,
          replayedBy: operatorId,
        });
        expect(await fixture.replays.deadLetter({ partition: 1, offset: 6n })).toBeNull();
      });

      it('cannot be sent again where none lies or no bytes were kept, and no audit says so', async () => {
        for (const offset of [6n, 7n]) {
          const act = replayLetter(offset);
          expect(await fixture.operators.carryOut(act, nowMs)).toBe('noLetter');
          expect(await fixture.operators.carryOut({ ...act, offset: 5n }, nowMs)).toBe('done');
        }
      });
    });
  });
}
