import { describe, expect, it } from 'vitest';
import { ProduceQueue } from '../../../../src/drivers/log-client/produce-queue.ts';
import type { PendingRecord } from '../../../../src/drivers/log-client/produce-queue.ts';

const limits = { records: 4, bytes: 1_000 };

function pending(partition: number, name: string, bytes = 10): PendingRecord & { name: string } {
  const record = { partition, key: Buffer.from(name), value: Buffer.alloc(1), headers: {} };
  const self = {
    name,
    record,
    bytes,
    settled: false,
    sent: false,
    settle: () => void (self.settled = true),
  };
  return self;
}

const namesOf = (batch: readonly PendingRecord[]): string[] =>
  batch.map(({ record }) => Buffer.from(record.key).toString());

describe('produce queue', () => {
  it('never has two batches of one partition under way', () => {
    const queue = new ProduceQueue();
    queue.push(pending(0, 'a1'));
    const first = queue.takeBatch(limits);
    queue.push(pending(0, 'a2'));
    queue.push(pending(1, 'b1'));
    expect(namesOf(queue.takeBatch(limits))).toEqual(['b1']);
    expect(queue.takeBatch(limits)).toEqual([]);
    queue.landed(first);
    expect(namesOf(queue.takeBatch(limits))).toEqual(['a2']);
    expect(queue.size).toBe(0);
    expect(queue.bytes).toBe(0);
  });

  it('keeps the order of a partition across full batches', () => {
    const queue = new ProduceQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.push(pending(0, name));
    queue.push(pending(1, 'b1'));
    const first = queue.takeBatch(limits);
    expect(namesOf(first)).toEqual(['a1', 'a2', 'a3', 'a4']);
    // The full one goes behind the others, so partition 1 is not starved.
    expect(namesOf(queue.takeBatch(limits))).toEqual(['b1']);
    queue.landed(first);
    expect(namesOf(queue.takeBatch(limits))).toEqual(['a5']);
  });

  it('leaves out what was answered already, so that its answer stays true', () => {
    const queue = new ProduceQueue();
    const late = pending(0, 'late');
    queue.push(late);
    queue.push(pending(0, 'next'));
    late.settle({ kind: 'notSent', cause: 'too late' });
    expect(namesOf(queue.takeBatch(limits))).toEqual(['next']);
    expect(late.sent).toBe(false);
  });

  it('sends one record that is larger than a batch alone', () => {
    const queue = new ProduceQueue();
    queue.push(pending(0, 'huge', 5_000));
    queue.push(pending(0, 'small'));
    expect(namesOf(queue.takeBatch(limits))).toEqual(['huge']);
  });
});
