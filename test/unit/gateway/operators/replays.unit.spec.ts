/** What operators see of rows and records that were set aside, and how they send them again. */
import { describe, expect, test } from 'vitest';
import type { OutgoingRecord, ProduceOutcome } from '../../../../src/ports/command-sink.ts';
import type { CallFrame } from '../../../../src/ports/room-api.ts';
import { memoryReplayRig } from './replay-rig.ts';
import { appCode, backend, frame, user } from '../gateway-fakes.ts';
import { byOperator } from './operators-rig.ts';

const platform = 'platform';
const byPlatform = (): CallFrame =>
  frame({ caller: { appCode: platform, subject: 'root', role: 'operator' } });
const any = {
  ...{ appCode, roomId: '', eventId: '', destination: '', eventType: '' },
  createdBeforeMs: 0n,
};
const page = { pageSize: 0, cursor: '' };
const replay = { ...any, commandId: 'r1', actorUserId: '', limit: 0, dryRun: false };
const letter = { appCode: platform, commandId: 'l1', actorUserId: '', partition: 1, offset: 5n };

describe('who may', () => {
  test.each([
    ['a user', user],
    ['a backend', backend],
  ])('%s has no say about the outbox', async (_who, caller) => {
    const { operators, ended } = await memoryReplayRig();
    const call = frame({ caller });
    const denied = { reason: 'PERMISSION_DENIED' };
    const list = operators.listOutbox(call, { ...any, ...page, status: '' });
    await expect(ended(list)).rejects.toMatchObject(denied);
    await expect(ended(operators.replayOutbox(call, replay))).rejects.toMatchObject(denied);
  });

  test('an operator of an app has no say about records of every app', async () => {
    const { operators, ended } = await memoryReplayRig();
    const denied = { reason: 'PERMISSION_DENIED' };
    const list = operators.listDeadLetters(byOperator(), { appCode, ...page });
    await expect(ended(list)).rejects.toMatchObject(denied);
    const again = operators.replayDeadLetter(byOperator(), { ...letter, appCode });
    await expect(ended(again)).rejects.toMatchObject(denied);
  });
});

describe('ListOutbox', () => {
  test('shows failed rows when nothing else is said, and goes on behind its cursor (QRY-5)', async () => {
    const { operators, ended } = await memoryReplayRig();
    const request = { ...any, status: '', pageSize: 2, cursor: '' };
    const first = await ended(operators.listOutbox(byOperator(), request));
    expect(first.rows.map(({ roomVersion }) => roomVersion)).toEqual([1n, 2n]);
    const { nextCursor: cursor } = first;
    const second = await ended(operators.listOutbox(byOperator(), { ...request, cursor }));
    expect(second.rows.map(({ roomVersion }) => roomVersion)).toEqual([3n]);
    expect(second.nextCursor).toBe('');
  });

  test.each([
    ['status', { status: 'lost' }],
    ['destination', { destination: 'mars' }],
    ['event_id', { eventId: 'no id' }],
    ['event_type', { eventType: 'a b' }],
    ['room_id', { roomId: 'a b' }],
    ['created_before_ms', { createdBeforeMs: -1n }],
    ['cursor', { cursor: 'x' }],
    ['room_id', { status: 'delivered' }],
  ])('refuses a %s that means nothing', async (field, change) => {
    const { operators, ended } = await memoryReplayRig();
    const list = operators.listOutbox(byOperator(), { ...any, ...page, status: '', ...change });
    await expect(ended(list)).rejects.toMatchObject({ reason: 'INVALID_FIELD', facts: { field } });
  });
});

describe('ReplayOutbox', () => {
  test('answers how many rows begin anew, and the same for a repeat', async () => {
    const { operators, ended, statuses } = await memoryReplayRig();
    const request = { ...replay, limit: 2 };
    expect(await ended(operators.replayOutbox(byOperator(), request))).toBe(2);
    expect(await ended(operators.replayOutbox(byOperator(), request))).toBe(2);
    expect(statuses()).toEqual(['pending', 'pending', 'failed']);
  });

  test('only counts in a dry run, and leaves the id unused', async () => {
    const { operators, ended, statuses, database } = await memoryReplayRig();
    const dry = { ...replay, dryRun: true };
    expect(await ended(operators.replayOutbox(byOperator(), dry))).toBe(3);
    expect(statuses()).toEqual(['failed', 'failed', 'failed']);
    expect(database.operatorAudit.size).toBe(0);
  });

  test.each([-1, 1_001, 0.5])('refuses a limit of %s', async (limit) => {
    const { operators, ended } = await memoryReplayRig();
    const call = operators.replayOutbox(byOperator(), { ...replay, limit });
    await expect(ended(call)).rejects.toMatchObject({ facts: { field: 'limit' } });
  });
});

describe('DismissOutbox', () => {
  test('answers how many rows are given up, and the same for a repeat', async () => {
    const { operators, ended, statuses } = await memoryReplayRig();
    const request = { ...replay, limit: 2 };
    expect(await ended(operators.dismissOutbox(byOperator(), { ...request, dryRun: true }))).toBe(
      2,
    );
    expect(await ended(operators.dismissOutbox(byOperator(), request))).toBe(2);
    expect(await ended(operators.dismissOutbox(byOperator(), request))).toBe(2);
    expect(statuses()).toEqual([undefined, undefined, 'failed']);
  });

  test('is an operator’s act, and no other one under the id of a replay', async () => {
    const { operators, ended } = await memoryReplayRig();
    const denied = { reason: 'PERMISSION_DENIED' };
    const byUser = operators.dismissOutbox(frame({ caller: user }), replay);
    await expect(ended(byUser)).rejects.toMatchObject(denied);
    await ended(operators.replayOutbox(byOperator(), replay));
    const reused = operators.dismissOutbox(byOperator(), replay);
    await expect(ended(reused)).rejects.toMatchObject({ reason: 'COMMAND_ID_REUSED' });
  });
});

describe('dead letters', () => {
  test('show the command in the record, and where it cannot be read, the rest', async () => {
    const { operators, ended } = await memoryReplayRig();
    const request = { appCode: platform, ...page };
    const { letters } = await ended(operators.listDeadLetters(byPlatform(), request));
    expect(letters).toMatchObject([
      { offset: 5n, command: { appCode, roomId: 'r1', commandId: 'c1', type: 'LeaveRoom' } },
      { offset: 6n, command: null, reason: 'UNDECODABLE' },
      { offset: 7n, command: null, record: null },
    ]);
  });

  test('go on behind their cursor', async () => {
    const { operators, ended } = await memoryReplayRig();
    const request = { appCode: platform, pageSize: 2, cursor: '' };
    const first = await ended(operators.listDeadLetters(byPlatform(), request));
    const { nextCursor: cursor } = first;
    const second = await ended(operators.listDeadLetters(byPlatform(), { ...request, cursor }));
    expect(second.letters.map(({ offset }) => offset)).toEqual([7n]);
  });

  test('are appended to their partition as they were, for nobody who waits', async () => {
    const { operators, ended, produced, database } = await memoryReplayRig();
    expect(await ended(operators.replayDeadLetter(byPlatform(), letter))).toBe(10n);
    expect(produced).toHaveLength(1);
    expect(produced[0]).toMatchObject({ partition: 1, headers: { 'rc-ttl-ms': '500' } });
    expect(Object.keys(produced[0]?.headers ?? {})).toEqual(['rc-ttl-ms']);
    expect([...(produced[0]?.key ?? [])]).toEqual([1, 2]);
    expect(database.letterReplays.get('1/5')?.by).toBe('root');
  });

  test.each([
    ['of which no bytes were kept', 7n],
    ['that are not there', 8n],
  ])('%s are not sent again', async (_what, offset) => {
    const { operators, ended, produced } = await memoryReplayRig();
    const again = operators.replayDeadLetter(byPlatform(), { ...letter, offset });
    await expect(ended(again)).rejects.toMatchObject({ reason: 'NO_DEAD_LETTER' });
    expect(produced).toEqual([]);
  });

  test.each([
    ['UNAVAILABLE', { kind: 'notSent', cause: 'full' }],
    ['OUTCOME_UNKNOWN', { kind: 'unknown', cause: 'timeout' }],
  ] as const)('say %s when the log does, and are sent by a repeat', async (reason, end) => {
    const ends: ProduceOutcome[] = [{ kind: 'stored', offset: 11n }, end];
    const produced: OutgoingRecord[] = [];
    const produce = (record: OutgoingRecord): Promise<ProduceOutcome> => {
      produced.push(record);
      return Promise.resolve(ends.pop() as ProduceOutcome);
    };
    const commandSink = { produce, endOffset: () => Promise.resolve(0n) };
    const { operators, ended } = await memoryReplayRig({ commandSink });
    const again = (): Promise<bigint> => ended(operators.replayDeadLetter(byPlatform(), letter));
    await expect(again()).rejects.toMatchObject({ reason });
    expect(await again()).toBe(11n);
    expect(produced).toHaveLength(2);
  });

  test('refuse a partition that there is not', async () => {
    const { operators, ended } = await memoryReplayRig();
    const again = operators.replayDeadLetter(byPlatform(), { ...letter, partition: 8 });
    await expect(ended(again)).rejects.toMatchObject({ facts: { field: 'partition' } });
  });
});
