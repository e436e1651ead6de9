/** Failures on the wire: what a caller sees, and what it never sees. */
import { describe, expect, test } from 'vitest';
import { rejectReasons, requestReasons, retryReasons } from '../../../../src/domain/reasons.ts';
import { readFailure, statusOf } from '../../../../src/drivers/grpc/error-details.ts';
import { Failure } from '../../../../src/kernel/failure.ts';

const onTheWire = (thrown: unknown) => readFailure(statusOf(thrown).answer);

describe('a failure of the catalogue', () => {
  const rows = Object.entries({ ...rejectReasons, ...retryReasons, ...requestReasons });
  test.each(rows)('%s keeps its status, reason and sentence', (reason, row) => {
    expect(onTheWire(new Failure('reject', reason, 'inside'))).toMatchObject({
      status: row.status,
      reason,
      domain: 'roomcell',
      message: row.sentence,
      retryAfterMs: null,
    });
  });

  test('carries its facts and its pause', () => {
    const failure = new Failure('retry', 'ROOM_BUSY', 'inside', {
      facts: { produced: 'no' },
      retryAfterMs: 1_250,
    });
    expect(onTheWire(failure)).toMatchObject({ facts: { produced: 'no' }, retryAfterMs: 1_250 });
  });

  test('never tells the text of an exception, which may name hosts', () => {
    const failure = new Failure('retry', 'UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.3:3306', {
      facts: { host: '10.0.0.3' },
    });
    expect(JSON.stringify(onTheWire(failure))).not.toContain('10.0.0.3');
    expect(onTheWire(failure).facts).toEqual({ produced: 'no' });
  });

  test('stays small enough for a trailer, and keeps its reason', () => {
    const facts = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`fact_${index}`, 'x'.repeat(2_000)]),
    );
    const { answer } = statusOf(new Failure('reject', 'INVALID_FIELD', 'inside', { facts }));
    expect(readFailure(answer).reason).toBe('INVALID_FIELD');
    const [bytes] = answer.metadata.get('grpc-status-details-bin');
    expect((bytes as Buffer).length).toBeLessThan(6_000);
  });
});

describe('what nobody expected', () => {
  test.each([
    ['an exception', new Error('secret at 10.0.0.3')],
    ['a value', 'secret'],
    ['a broken invariant', new Failure('corrupt', 'ROOM_CORRUPT', 'secret')],
  ])('%s is INTERNAL, leaks nothing and is logged', (_name, thrown) => {
    expect(statusOf(thrown).isFault).toBe(true);
    const seen = onTheWire(thrown);
    expect(seen).toMatchObject({ status: 'INTERNAL', reason: 'INTERNAL', facts: {} });
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  test('a reason of a newer cell is passed on with a status that says what to do', () => {
    expect(onTheWire(new Failure('reject', 'NEW_RULE', 'x'))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'NEW_RULE',
    });
    expect(onTheWire(new Failure('retry', 'NEW_PAUSE', 'x'))).toMatchObject({
      status: 'UNAVAILABLE',
      reason: 'NEW_PAUSE',
    });
  });
});

test('details that are none of ours leave the bare status', () => {
  const { answer } = statusOf(new Failure('reject', 'ROOM_CLOSED', 'x'));
  answer.metadata.set('grpc-status-details-bin', Buffer.from([255, 1, 2]));
  expect(readFailure(answer)).toMatchObject({ status: 'FAILED_PRECONDITION', reason: '' });
  expect(readFailure({ code: 14, details: 'gone' })).toMatchObject({ status: 'UNAVAILABLE' });
});
