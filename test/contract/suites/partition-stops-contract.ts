/** What every PartitionStops must do, with an operator's word by the OperatorStore beside it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/ids.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { OperatorAct, OperatorStore } from '../../../src/ports/operator-store.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type {
  PartitionStop,
  PartitionStops,
  StoppedPartition,
  StopResolution,
} from '../../../src/ports/partition-stops.ts';
import {
  commandBatch,
  emptyBatch,
  fenceOf,
  freshCommandId,
  freshRoomId,
  logRowOf,
  open,
  testApp,
} from '../../support/lane-batches.ts';

/** The ports on one database. */
export interface PartitionStopsFixture {
  readonly stops: PartitionStops;
  readonly operators: OperatorStore;
  readonly store: PartitionStore;
  openLane(incarnation: string): CommitLane;
  close(): Promise<void>;
}

const nowMs = 1_700_000_000_000;
const operatorId = 'op-1' as UserId;
const resumed = { isRenumbered: false, replayUntil: -1n, acceptedHint: -1n } as const;

/** Declares the suite. */
export function partitionStopsContract(
  name: string,
  makeFixture: () => Promise<PartitionStopsFixture>,
): void {
  describe(`PartitionStops contract: ${name}`, () => {
    let fixture: PartitionStopsFixture;
    let partitions = 0;

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    const take = (partition: number, incarnation = 'a'): Promise<TakenPartition> =>
      fixture.store.takeover({
        partition,
        nodeId: `node-of-${incarnation}`,
        incarnation,
        lane: 0,
        advertiseAddr: '10.0.0.1:7000',
      });
    const takeFresh = (): Promise<TakenPartition> => take((partitions += 1));
    const gapOf = (partition: number, fields: Partial<PartitionStop> = {}): PartitionStop => ({
      partition,
      state: 'GAP',
      expectedOffset: 5n,
      logStartOffset: 9n,
      logEndOffset: 20n,
      committedOffset: -1n,
      ...fields,
    });
    const note = (
      { partition, epoch }: TakenPartition,
      fields: Partial<PartitionStop> = {},
      atMs = nowMs,
    ): Promise<boolean> => {
      const found = gapOf(partition, fields);
      const owner = { epoch, incarnation: 'a', ownerNodeId: 'node-of-a' };
      return fixture.stops.note({ ...found, ...owner }, atMs);
    };
    const acceptOf = (
      partition: number,
      fields: Partial<OperatorAct & { type: 'AcceptState' }> = {},
    ): OperatorAct => ({
      appCode: testApp,
      commandId: freshCommandId(),
      operatorId,
      type: 'AcceptState',
      partition,
      state: 'GAP',
      expectedOffset: 5n,
      choice: 'skip',
      replayUntil: -1n,
      ...fields,
    });
    const noted = async (partition: number): Promise<StoppedPartition | undefined> =>
      (await fixture.stops.read()).find((stop) => stop.partition === partition);
    const ownerOf = ({ partition, epoch }: TakenPartition, incarnation = 'a') => ({
      partition,
      epoch,
      incarnation,
    });
    const accepted = { choice: 'skip', replayUntil: -1n, operatorId, acceptedAtMs: nowMs };

    describe('a note', () => {
      it('tells everybody what was found, by whom and when, with no word of an operator', async () => {
        const taken = await takeFresh();
        await note(taken, { committedOffset: 7n });
        expect(await noted(taken.partition)).toEqual({
          ...gapOf(taken.partition, { committedOffset: 7n }),
          epoch: 1n,
          ownerNodeId: 'node-of-a',
          stoppedAtMs: nowMs,
          acceptance: null,
        });
      });

      it('keeps what an operator said when a later owner finds the same', async () => {
        const taken = await takeFresh();
        await note(taken);
        await fixture.operators.carryOut(acceptOf(taken.partition), nowMs);
        await note(await take(taken.partition), { logStartOffset: 10n }, nowMs + 1);
        expect(await noted(taken.partition)).toMatchObject({
          ...{ epoch: 2n, logStartOffset: 10n, stoppedAtMs: nowMs + 1 },
          acceptance: accepted,
        });
      });

      it.each([
        ['another offset', { expectedOffset: 6n }],
        ['another state', { state: 'TOPIC_CHANGED' }],
      ] as const)('of %s takes no earlier word for an answer', async (_what, fields) => {
        const taken = await takeFresh();
        await note(taken);
        await fixture.operators.carryOut(acceptOf(taken.partition), nowMs);
        await note(await take(taken.partition), fields);
        expect(await noted(taken.partition)).toMatchObject({ ...fields, acceptance: null });
      });

      it('of an earlier owner changes nothing, and says so', async () => {
        const taken = await takeFresh();
        expect(await note(await take(taken.partition))).toBe(true);
        const before = await noted(taken.partition);
        expect(await note(taken, { state: 'TOPIC_CHANGED', expectedOffset: 1n })).toBe(false);
        expect(await noted(taken.partition)).toEqual(before);
      });

      it('of an earlier owner is none, although its successor has noted nothing', async () => {
        const taken = await takeFresh();
        await take(taken.partition);
        expect(await note(taken)).toBe(false);
        expect(await noted(taken.partition)).toBeUndefined();
      });
    });

    describe('an operator’s word', () => {
      it('is written once for its id, and stands with the stop', async () => {
        const { partition, ...taken } = await takeFresh();
        await note({ partition, ...taken });
        const act = acceptOf(partition);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        expect(await noted(partition)).toMatchObject({ acceptance: accepted });
        expect(await fixture.operators.carryOut(act, nowMs + 5)).toBe('repeat');
        expect(await noted(partition)).toMatchObject({ acceptance: accepted });
      });

      it('is told as a repeat although its stop is gone by now', async () => {
        const taken = await takeFresh();
        await note(taken);
        const act = acceptOf(taken.partition);
        await fixture.operators.carryOut(act, nowMs);
        await fixture.stops.clear(ownerOf(taken));
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('repeat');
      });

      it.each([
        ['a partition that runs', { partition: 9_999 }],
        ['another state', { state: 'TOPIC_CHANGED', choice: 'restart' }],
        ['another offset', { expectedOffset: 6n }],
      ] as const)('about %s is refused and leaves its id free', async (_what, fields) => {
        const taken = await takeFresh();
        await note(taken);
        const act = acceptOf(taken.partition, fields);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('noStop');
        expect(await noted(taken.partition)).toMatchObject({ acceptance: null });
        const right = { ...acceptOf(taken.partition), commandId: act.commandId };
        expect(await fixture.operators.carryOut(right, nowMs)).toBe('done');
      });

      it('under an id that said something else is told apart', async () => {
        const taken = await takeFresh();
        await note(taken);
        const act = acceptOf(taken.partition);
        await fixture.operators.carryOut(act, nowMs);
        const other = { ...act, replayUntil: 7n, choice: 'replay' } as OperatorAct;
        expect(await fixture.operators.carryOut(other, nowMs)).toBe('reused');
      });

      it('may be replaced by a later one', async () => {
        const taken = await takeFresh();
        const rewound = { state: 'DB_REWOUND', expectedOffset: 8n } as const;
        await note(taken, rewound);
        const resume = acceptOf(taken.partition, { ...rewound, choice: 'resume' });
        const replay = { ...rewound, choice: 'replay', replayUntil: 30n } as const;
        await fixture.operators.carryOut(resume, nowMs);
        await fixture.operators.carryOut(acceptOf(taken.partition, replay), nowMs + 1);
        expect(await noted(taken.partition)).toMatchObject({
          acceptance: { choice: 'replay', replayUntil: 30n, acceptedAtMs: nowMs + 1 },
        });
      });
    });

    describe('going on', () => {
      it('moves the owner row, forgets what it passed, and takes the note away', async () => {
        const taken = await takeFresh();
        const { partition } = taken;
        const lane = fixture.openLane('a');
        const settled = { appliedOffset: 0n, settledOffsets: [4n, 9n], appliedRecordMs: 77 };
        const batch = { ...emptyBatch, fences: [fenceOf(taken, 'a', settled)] };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        await lane.stop();
        const again = await take(partition);
        expect(again).toMatchObject({ appliedRecordMs: 77, settledOffsets: [4n, 9n] });
        await note(again);
        const how: StopResolution = { ...resumed, appliedOffset: 8n, acceptedHint: 12n };
        expect(await fixture.stops.resolve(ownerOf(again), how, nowMs)).toBe(true);
        expect(await noted(partition)).toBeUndefined();
        expect(await take(partition)).toMatchObject({
          ...{ appliedOffset: 8n, settledOffsets: [9n], acceptedHint: 12n },
          ...{ replayUntil: -1n, appliedRecordMs: null },
        });
      });

      it('on another log forgets the offsets of the former one, those of log rows too', async () => {
        const taken = await takeFresh();
        const { partition } = taken;
        const roomId = freshRoomId();
        const lane = fixture.openLane('a');
        const fields = { appliedOffset: 2n, settledOffsets: [6n] };
        const batch = {
          ...commandBatch(taken, 'a', { roomId, version: 1n }, fields),
          logRows: [logRowOf(taken, roomId, 1n, { kafkaOffset: 5n })],
        };
        expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
        await lane.stop();
        const again = await take(partition);
        expect(again).toMatchObject({ appliedOffset: 2n, settledOffsets: [5n, 6n] });
        await note(again, { state: 'TOPIC_CHANGED' });
        const how = { ...resumed, appliedOffset: -1n, isRenumbered: true };
        expect(await fixture.stops.resolve(ownerOf(again), how, nowMs)).toBe(true);
        const fresh = await take(partition);
        expect(fresh).toMatchObject({ appliedOffset: -1n, settledOffsets: [] });
        // Offsets of rows from now on count again.
        const next = fixture.openLane('a');
        const later = freshRoomId();
        const own = {
          ...commandBatch(fresh, 'a', { roomId: later, version: 1n }, { appliedOffset: -1n }),
          logRows: [logRowOf(fresh, later, 1n, { kafkaOffset: 1n })],
        };
        expect(await next.commit(own, open())).toEqual({ kind: 'committed' });
        await next.stop();
        expect(await take(partition)).toMatchObject({ settledOffsets: [1n] });
      });

      it('keeps how far records are replayed over every further takeover', async () => {
        const taken = await takeFresh();
        await note(taken, { state: 'DB_REWOUND' });
        const how = { ...resumed, appliedOffset: 4n, replayUntil: 30n, acceptedHint: 31n };
        await fixture.stops.resolve(ownerOf(taken), how, nowMs);
        for (const incarnation of ['b', 'c']) {
          const next = await take(taken.partition, incarnation);
          expect(next).toMatchObject({ replayUntil: 30n, acceptedHint: 31n });
        }
      });

      it('by one who is no longer the owner changes nothing', async () => {
        const taken = await takeFresh();
        const newer = await take(taken.partition, 'b');
        const found = {
          ...gapOf(newer.partition),
          ...ownerOf(newer, 'b'),
          ownerNodeId: 'node-of-b',
        };
        expect(await fixture.stops.note(found, nowMs)).toBe(true);
        const how = { ...resumed, appliedOffset: 8n };
        for (const former of [ownerOf(taken), ownerOf(newer, 'a')]) {
          expect(await fixture.stops.resolve(former, how, nowMs)).toBe(false);
        }
        expect(await noted(taken.partition)).toMatchObject({ state: 'GAP' });
        expect(await fixture.store.readOwner(taken.partition)).toMatchObject({
          appliedOffset: -1n,
        });
      });
    });

    it('a partition that runs again takes its own note away, and no later one', async () => {
      const taken = await takeFresh();
      const newer = await take(taken.partition);
      await note(newer);
      await fixture.stops.clear(ownerOf(taken));
      expect(await noted(taken.partition)).toMatchObject({ epoch: 2n });
      await fixture.stops.clear(ownerOf(newer));
      expect(await noted(taken.partition)).toBeUndefined();
    });
  });
}
