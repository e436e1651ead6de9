/** One command through the gateway: what each end means to the caller (bug cases A4 and A5). */
import { describe, expect, test } from 'vitest';
import { createExchange } from '../../../src/gateway/exchange.ts';
import { createExecuteCommand } from '../../../src/gateway/execute-command.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import type { GatewayLimits } from '../../../src/gateway/limits.ts';
import { createPendingCalls } from '../../../src/gateway/pending-calls.ts';
import { createRoomWindow } from '../../../src/gateway/room-window.ts';
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import type { CommandRecord } from '../../../src/protocol/records.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import {
  appCode,
  codec,
  CountingMetrics,
  emptyRegistry,
  FakeSink,
  frame,
  meta,
  outcomeOf,
  PlainPasswords,
  refusalReply,
  resultReply,
  roomId,
  roomKey,
  silentTrace,
} from './gateway-fakes.ts';

const join: CommandRequest = {
  type: 'JoinRoom',
  password: 'good',
  nickname: 'Ann',
  avatarUrl: '',
  countryCode: '',
  ext: '',
  isRobot: false,
};
const leave: CommandRequest = { type: 'LeaveRoom' };

function rig(change: Partial<GatewayLimits> = {}) {
  const limits = { ...defaultGatewayLimits, ...change };
  const time = new ManualTime();
  const sink = new FakeSink();
  const metrics = new CountingMetrics();
  const log = new MemoryLog();
  const stored = { passwordHash: 'hash(good,c0)', passwordVersion: 1n };
  const calls = createPendingCalls({
    incarnation: 'g1',
    callsMax: limits.pendingCallsMax,
    timers: time,
    metrics,
  });
  const ports = {
    clock: time,
    log,
    metrics,
    codec,
    schemaRegistry: emptyRegistry,
    trace: silentTrace,
    commandSink: sink,
    passwords: new PlainPasswords(),
    roomQueries: {
      passwordOf: () => Promise.resolve({ ...stored }),
      isPlatformBanned: () => Promise.resolve(false),
    },
  };
  const desk = { slot: 4, calls };
  let hasDesk = true;
  const window = createRoomWindow(limits.roomWindow);
  const execute = createExecuteCommand(ports, {
    exchange: createExchange(ports, () => (hasDesk ? desk : null)),
    window,
    limits,
    partitionCount: 8,
  });
  const call = (...args: Parameters<typeof execute>) => outcomeOf(execute(...args));
  const loseDesk = (): void => void (hasDesk = false);
  return { time, sink, metrics, log, stored, calls, window, execute, call, loseDesk };
}

const thrown = (reason: string, facts: Record<string, string>) => ({
  kind: 'thrown',
  failure: { reason, facts },
});

describe('the record', () => {
  test('carries who, what, where to answer and how long it is of use (PIPE-1)', async () => {
    const { sink, call } = rig();
    call(frame({ remainingMs: 2_000 }), meta({ snapshotMode: 'none' }), leave);
    await settled();
    expect(sink.read()).toEqual({
      kind: 'command',
      appCode,
      roomId,
      commandId: 'c1',
      actorUserId: 'u1',
      actorRole: 'user',
      clientTimeMs: 5,
      snapshotMode: 'none',
      body: { type: 'LeaveRoom' },
    });
    expect(new TextDecoder().decode(sink.produced[0]?.key)).toBe(roomKey);
    expect(sink.header('replyPartition')).toBe('4');
    expect(sink.header('ttlMs')).toBe('2000');
    expect(sink.header('crc32c')).toMatch(/^[0-9a-f]{8}$/);
  });

  test.each([
    [null, '5000'],
    [60_000, '30000'],
    [1_234, '1234'],
  ])('of a caller with the deadline %s expires after %s ms', async (remainingMs, ttlMs) => {
    const { sink, call } = rig();
    call(frame({ remainingMs }), meta(), leave);
    await settled();
    expect(sink.header('ttlMs')).toBe(ttlMs);
  });
});

describe('a reply', () => {
  test('with an applied result is a success', async () => {
    const { sink, calls, call } = rig();
    const outcome = call(frame(), meta(), leave);
    await settled();
    calls.onReply(sink.replyTo(resultReply({ fields: { seatNo: 3 } }, true)));
    await settled();
    expect(outcome.now()).toMatchObject({
      kind: 'value',
      value: { roomId, replayed: true, view: null, result: { fields: { seatNo: 3 } } },
    });
  });

  test('with a rejection is a failure that says whether it is a repeat', async () => {
    const { sink, calls, call } = rig();
    const outcome = call(frame(), meta(), leave);
    await settled();
    const rejection = { outcome: 'rejected', reason: 'SEAT_TAKEN', facts: { seat_no: '1' } };
    calls.onReply(sink.replyTo(resultReply(rejection as never, true)));
    await settled();
    expect(outcome.now()).toMatchObject({
      kind: 'thrown',
      failure: {
        kind: 'reject',
        reason: 'SEAT_TAKEN',
        facts: { seat_no: '1', room_version: '7', replayed: 'true', produced: 'yes' },
      },
    });
  });

  test('with a refusal leaves the id free and hands the pause on', async () => {
    const { sink, calls, call } = rig();
    const outcome = call(frame(), meta(), leave);
    await settled();
    calls.onReply(sink.replyTo(refusalReply('ROOM_BUSY', 200)));
    await settled();
    expect(outcome.now()).toMatchObject({
      failure: { kind: 'retry', reason: 'ROOM_BUSY', retryAfterMs: 200 },
    });
  });

  test('that overtakes the acknowledgement of the produce still answers', async () => {
    const { sink, calls, call } = rig();
    sink.produceOutcome = () => new Promise(() => undefined);
    const outcome = call(frame(), meta(), leave);
    await settled();
    calls.onReply(sink.replyTo(resultReply()));
    await settled();
    expect(outcome.now()).toMatchObject({ kind: 'value' });
  });

  test('that cannot be read is an unknown outcome, not a failure of the command', async () => {
    const { sink, calls, call, log } = rig();
    const outcome = call(frame(), meta(), leave);
    await settled();
    calls.onReply({ ...sink.replyTo(resultReply()), value: new Uint8Array([1, 2, 3]) });
    await settled();
    expect(outcome.now()).toMatchObject(thrown('OUTCOME_UNKNOWN', { produced: 'yes' }));
    expect(log.messages('error')).toEqual(['a reply cannot be read']);
  });
});

describe('no reply', () => {
  test('after a stored produce is unknown, and was produced', async () => {
    const { time, call } = rig();
    const outcome = call(frame({ remainingMs: 2_000 }), meta(), leave);
    await time.advance(2_000);
    expect(outcome.now()).toMatchObject(thrown('OUTCOME_UNKNOWN', { produced: 'yes' }));
  });

  test('after a produce with unknown end is unknown, and so is the produce', async () => {
    const { time, sink, call } = rig();
    sink.produceOutcome = () => Promise.resolve({ kind: 'unknown', cause: 'cut' });
    const outcome = call(frame({ remainingMs: 2_000 }), meta(), leave);
    await settled();
    // The record may be there: its reply is waited for until the deadline.
    expect(outcome.now()).toEqual({ kind: 'pending' });
    await time.advance(2_000);
    expect(outcome.now()).toMatchObject(thrown('OUTCOME_UNKNOWN', { produced: 'unknown' }));
  });

  test('because nothing was sent is UNAVAILABLE, and nothing was produced', async () => {
    const { sink, call } = rig();
    sink.produceOutcome = () => Promise.resolve({ kind: 'notSent', cause: 'queue full' });
    const outcome = call(frame(), meta(), leave);
    await settled();
    expect(outcome.now()).toMatchObject(thrown('UNAVAILABLE', { produced: 'no' }));
  });

  test('without a reply slot is UNAVAILABLE before anything is produced', async () => {
    const { sink, call, loseDesk } = rig();
    loseDesk();
    const outcome = call(frame(), meta(), leave);
    await settled();
    expect(outcome.now()).toMatchObject(thrown('UNAVAILABLE', { produced: 'no' }));
    expect(sink.produced).toEqual([]);
  });

  test('because the slot was lost is unknown at once', async () => {
    const { calls, call } = rig();
    const outcome = call(frame(), meta(), leave);
    await settled();
    calls.abandon();
    await settled();
    expect(outcome.now()).toMatchObject(thrown('OUTCOME_UNKNOWN', { produced: 'yes' }));
  });

  test('to a caller without time is EXPIRED before anything is produced', async () => {
    const { sink, call } = rig();
    const outcome = call(frame({ remainingMs: 0 }), meta(), leave);
    await settled();
    expect(outcome.now()).toMatchObject(thrown('EXPIRED', { produced: 'no' }));
    expect(sink.produced).toEqual([]);
  });
});

describe('a retry after an unknown outcome (bug case A5)', () => {
  test('is a new record of the same command, and gets the stored answer', async () => {
    const { time, sink, calls, call } = rig();
    call(frame({ remainingMs: 2_000 }), meta(), leave);
    await time.advance(3_000);
    const again = call(frame(), meta(), leave);
    await settled();
    expect(sink.read(1)).toEqual(sink.read(0));
    // The answer to the first try comes late and must not be taken for the second's.
    calls.onReply(sink.replyTo(resultReply(), 0));
    await settled();
    expect(again.now()).toEqual({ kind: 'pending' });
    calls.onReply(sink.replyTo(resultReply({}, true), 1));
    await settled();
    expect(again.now()).toMatchObject({ kind: 'value', value: { replayed: true } });
  });
});

describe('a stale fact', () => {
  test('a stale verdict is taken anew and sent under the same id, at most twice', async () => {
    const { sink, calls, call, stored } = rig();
    const outcome = call(frame(), meta(), join);
    for (let sends = 1; sends <= 3; sends += 1) {
      await settled();
      expect(sink.produced).toHaveLength(sends);
      stored.passwordVersion += 1n;
      calls.onReply(sink.replyTo(refusalReply('FACT_STALE')));
    }
    await settled();
    expect(sink.produced).toHaveLength(3);
    expect(outcome.now()).toMatchObject({ failure: { kind: 'retry', reason: 'FACT_STALE' } });
    const records = [0, 1, 2].map((index) => sink.read(index) as CommandRecord);
    expect(new Set(records.map(({ commandId }) => commandId)).size).toBe(1);
    const versions = records.map(({ body }) => body.type === 'JoinRoom' && body.password);
    expect(versions).toMatchObject([1n, 2n, 3n].map((passwordVersion) => ({ passwordVersion })));
  });

  test('that is refreshed in time ends like any other command', async () => {
    const { sink, calls, call } = rig();
    const outcome = call(frame(), meta(), join);
    await settled();
    calls.onReply(sink.replyTo(refusalReply('FACT_STALE')));
    await settled();
    calls.onReply(sink.replyTo(resultReply()));
    await settled();
    expect(outcome.now()).toMatchObject({ kind: 'value' });
  });

  test('has no more time than its call', async () => {
    const { time, sink, calls, call } = rig();
    const outcome = call(frame({ remainingMs: 1_000 }), meta(), join);
    await time.advance(900);
    calls.onReply(sink.replyTo(refusalReply('FACT_STALE')));
    await settled();
    expect(sink.header('ttlMs')).toBe('100');
    await time.advance(100);
    expect(outcome.now()).toMatchObject(thrown('OUTCOME_UNKNOWN', { produced: 'yes' }));
  });
});

describe('a full gateway', () => {
  test('refuses a room whose window is full before it produces', async () => {
    const { sink, call } = rig({ roomWindow: 1 });
    call(frame(), meta(), leave);
    const second = call(frame(), meta({ commandId: 'c2' }), leave);
    const elsewhere = call(frame(), meta({ roomId: 'r2' }), leave);
    await settled();
    expect(second.now()).toMatchObject({
      failure: { reason: 'ROOM_BUSY', facts: { produced: 'no' }, retryAfterMs: 100 },
    });
    expect(elsewhere.now()).toEqual({ kind: 'pending' });
    expect(sink.produced).toHaveLength(2);
  });

  test('says GATEWAY_BUSY when its table of waiting calls is full', async () => {
    const { sink, call } = rig({ pendingCallsMax: 1 });
    call(frame(), meta(), leave);
    const second = call(frame(), meta({ roomId: 'r2' }), leave);
    await settled();
    expect(second.now()).toMatchObject({ failure: { reason: 'GATEWAY_BUSY' } });
    expect(sink.produced).toHaveLength(1);
  });

  test('has room again once a call has ended, whatever its end', async () => {
    const { time, call, window } = rig();
    call(frame({ remainingMs: 100 }), meta(), leave);
    await settled();
    expect(window.roomCount).toBe(1);
    await time.advance(100);
    expect(window.roomCount).toBe(0);
  });
});

describe('a caller that hangs up', () => {
  test('is let go at once, and keeps its place in the window until its command is over', async () => {
    const { sink, calls, call, window } = rig();
    const hangUp = new AbortController();
    const outcome = call(frame({ signal: hangUp.signal }), meta(), leave);
    await settled();
    hangUp.abort();
    await settled();
    expect(outcome.now()).toMatchObject({ failure: { reason: 'OUTCOME_UNKNOWN' } });
    expect(window.roomCount).toBe(1);
    calls.onReply(sink.replyTo(resultReply()));
    await settled();
    expect(window.roomCount).toBe(0);
  });

  test('before the produce has sent nothing', async () => {
    const { sink, call } = rig();
    const hangUp = new AbortController();
    hangUp.abort();
    call(frame({ signal: hangUp.signal }), meta(), leave);
    await settled();
    expect(sink.produced).toEqual([]);
  });
});

test('a refused caller leaves no trace', async () => {
  const { sink, call, window } = rig();
  const outcome = call(frame({ caller: null, authFault: 'no bearer token' }), meta(), leave);
  await settled();
  expect(outcome.now()).toMatchObject({ failure: { reason: 'UNAUTHENTICATED' } });
  expect([sink.produced.length, window.roomCount]).toEqual([0, 0]);
});
