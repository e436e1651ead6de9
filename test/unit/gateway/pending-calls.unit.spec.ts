/** Replies find their own call, once, or nobody (bug case A4). */
import { describe, expect, test } from 'vitest';
import { createPendingCalls } from '../../../src/gateway/pending-calls.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { CountingMetrics, outcomeOf } from './gateway-fakes.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function table(change: { incarnation?: string; callsMax?: number } = {}) {
  const timers = new ManualTime();
  const metrics = new CountingMetrics();
  const calls = createPendingCalls({
    incarnation: 'g1',
    callsMax: 10,
    timers,
    metrics,
    ...change,
  });
  const dropped = (why: string): number =>
    metrics.counts.get(`gateway_replies_dropped_total ${why}`) ?? 0;
  const open = (timeoutMs = 1_000) => {
    const call = calls.open(timeoutMs);
    if (call === null) throw new Error('the table is full');
    return { ...call, outcome: outcomeOf(call.ended) };
  };
  return { calls, timers, open, dropped };
}

describe('a reply', () => {
  test('settles its own call and no other', async () => {
    const { calls, open } = table();
    const [first, second] = [open(), open()];
    calls.onReply({ correlationId: second.correlationId, value: bytes('two') });
    await settled();
    expect(first.outcome.now()).toEqual({ kind: 'pending' });
    expect(second.outcome.now()).toEqual({
      kind: 'value',
      value: { kind: 'reply', value: bytes('two') },
    });
    expect(calls.size).toBe(1);
  });

  test('that comes after its call gave up is counted as late and settles nothing', async () => {
    const { calls, timers, open, dropped } = table();
    const call = open(1_000);
    await timers.advance(1_000);
    calls.onReply({ correlationId: call.correlationId, value: bytes('late') });
    await settled();
    expect(call.outcome.now()).toEqual({ kind: 'value', value: { kind: 'timeout' } });
    expect(dropped('late')).toBe(1);
  });

  test('that comes a second time is counted as double and changes nothing', async () => {
    const { calls, open, dropped } = table();
    const call = open();
    calls.onReply({ correlationId: call.correlationId, value: bytes('one') });
    calls.onReply({ correlationId: call.correlationId, value: bytes('two') });
    await settled();
    expect(call.outcome.now()).toMatchObject({ value: { value: bytes('one') } });
    expect(dropped('double')).toBe(1);
  });

  test('to the former holder of the slot settles none of our calls', async () => {
    const former = table({ incarnation: 'g1' });
    const theirs = former.open();
    const successor = table({ incarnation: 'g2' });
    const ours = successor.open();
    // Both are call number 1: only the incarnation tells them apart.
    successor.calls.onReply({ correlationId: theirs.correlationId, value: bytes('theirs') });
    await settled();
    expect(ours.outcome.now()).toEqual({ kind: 'pending' });
    expect(successor.dropped('foreign')).toBe(1);
  });

  test('with a name that is no correlation id is foreign', () => {
    const { calls, dropped } = table();
    for (const correlationId of ['', 'g1', 'g11:1']) {
      calls.onReply({ correlationId, value: bytes('x') });
    }
    expect(dropped('foreign')).toBe(3);
  });
});

describe('the table', () => {
  test('answers null when it is full and has room again after a reply', () => {
    const { calls, open } = table({ callsMax: 1 });
    const call = open();
    expect(calls.open(1_000)).toBeNull();
    calls.onReply({ correlationId: call.correlationId, value: bytes('x') });
    expect(calls.open(1_000)).not.toBeNull();
  });

  test('ends every call as lost when the slot is', async () => {
    const { calls, open } = table();
    const waiting = [open(), open()];
    calls.abandon();
    await settled();
    for (const call of waiting) {
      expect(call.outcome.now()).toEqual({ kind: 'value', value: { kind: 'lost' } });
    }
    expect(calls.size).toBe(0);
  });

  test('never uses a correlation id twice', () => {
    const { calls, open } = table();
    const first = open();
    calls.abandon();
    expect(open().correlationId).not.toBe(first.correlationId);
  });
});
