/** Which rows of a stream make the next run. */
import { describe, expect, it } from 'vitest';
import { planRun } from '../../../../src/drivers/mysql/outbox-plan.ts';
import { lastErrorText } from '../../../../src/drivers/mysql/outbox-rows.ts';
import type { UnfinishedRow } from '../../../../src/drivers/mysql/outbox-rows.ts';

const nowMs = 1_000;
const limits = { nowMs, runSize: 3, startedMax: 3 };

const row = (id: number, fields: Partial<UnfinishedRow> = {}): UnfinishedRow => ({
  id: BigInt(id),
  status: 'pending',
  claimToken: '',
  lockUntilMs: 0,
  nextRetryAtMs: 0,
  startedCount: 0,
  ...fields,
});
const expired = (id: number, startedCount = 0): UnfinishedRow =>
  row(id, { status: 'delivering', lockUntilMs: nowMs, startedCount });
const underWay = (id: number): UnfinishedRow =>
  row(id, { status: 'delivering', lockUntilMs: nowMs + 1 });
const due = (id: number): UnfinishedRow => row(id, { status: 'retryable', nextRetryAtMs: nowMs });
const waiting = (id: number): UnfinishedRow =>
  row(id, { status: 'retryable', nextRetryAtMs: nowMs + 1 });

describe('the next run of a stream', () => {
  it('begins at the oldest row and ends at the run size', () => {
    const plan = planRun([row(4), row(2), row(3), row(1)], limits);
    expect(plan).toEqual({ kind: 'run', rowIds: [1n, 2n, 3n] });
  });

  it('goes through pending, due and expired rows alike', () => {
    const plan = planRun([due(1), expired(2), row(3)], limits);
    expect(plan).toEqual({ kind: 'run', rowIds: [1n, 2n, 3n] });
  });

  it('is none while any row of the stream is under way, older or newer', () => {
    expect(planRun([underWay(1), row(2)], limits)).toEqual({ kind: 'blocked' });
    expect(planRun([row(1), underWay(2)], limits)).toEqual({ kind: 'blocked' });
  });

  it('is none while the oldest row waits for its time', () => {
    expect(planRun([waiting(1), row(2)], limits)).toEqual({ kind: 'blocked' });
  });

  it('ends in front of a row that waits for its time', () => {
    expect(planRun([row(1), waiting(2), row(3)], limits)).toEqual({ kind: 'run', rowIds: [1n] });
  });

  it('does not reach past the last pending row that was read: more may lie behind it', () => {
    const read = [row(1), row(2), row(3), due(9)];
    expect(planRun(read, { ...limits, runSize: 3 })).toEqual({
      kind: 'run',
      rowIds: [1n, 2n, 3n],
    });
    const fewer = [row(5), row(6), expired(2)];
    expect(planRun(fewer, { ...limits, runSize: 2 })).toEqual({ kind: 'run', rowIds: [2n, 5n] });
    expect(planRun([expired(1), row(5), expired(9)], { ...limits, runSize: 1 })).toEqual({
      kind: 'run',
      rowIds: [1n],
    });
  });

  it('is a single row when that one was started before without an end', () => {
    expect(planRun([expired(1, 1), row(2)], limits)).toEqual({ kind: 'run', rowIds: [1n] });
  });

  it('ends in front of a row that was started before without an end', () => {
    expect(planRun([row(1), expired(2, 1)], limits)).toEqual({ kind: 'run', rowIds: [1n] });
  });

  it('is none, but a killer, when the oldest row was started too often', () => {
    expect(planRun([expired(1, 3), row(2)], limits)).toMatchObject({ kind: 'killer' });
    // The counter of a row that was given back is no proof: nobody died of it.
    expect(planRun([row(1, { startedCount: 3 })], limits)).toMatchObject({ kind: 'run' });
  });

  it('is none behind a failed row, where one is given, and ends in front of it (OUT-23)', () => {
    const failed = row(2, { status: 'failed' });
    expect(planRun([failed, row(3)], limits)).toEqual({ kind: 'blocked' });
    expect(planRun([row(1), failed, row(3)], limits)).toEqual({ kind: 'run', rowIds: [1n] });
  });

  it('is none when nothing is unfinished', () => {
    expect(planRun([], limits)).toEqual({ kind: 'empty' });
  });
});

describe('the text of last_error', () => {
  it('fits the column, ends at a whole character and holds no half ones', () => {
    expect(lastErrorText('short')).toBe('short');
    expect(lastErrorText('x'.repeat(1_000))).toHaveLength(1_000);
    expect(lastErrorText('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
    expect(lastErrorText(`${'x'.repeat(998)}🙂🙂`)).toBe(`${'x'.repeat(998)}…`);
    expect(lastErrorText('a\ud83d b\udc00')).toBe('a\ufffd b\ufffd');
  });
});
