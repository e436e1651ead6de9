/** Offsets as kafkajs names them, text of 64 bits, on their way to the cell (A9). */
import type { EachBatchPayload } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { KafkaBatch } from '../../../../src/drivers/kafka/kafka-batch.ts';

/** 2^53 and the next number, which a double takes for the same. */
const offsets = ['9007199254740992', '9007199254740993'];

function payloadOf(resolved: string[]): EachBatchPayload {
  const messages = offsets.map((offset) => ({
    offset,
    key: Buffer.from(`key of ${offset}`),
    value: null,
    headers: {},
    timestamp: '1700000000123',
    attributes: 0,
  }));
  const batch = {
    partition: 3,
    fetchedOffset: offsets[0],
    messages,
    lastOffset: () => offsets[1],
  };
  const resolveOffset = (offset: string): void => {
    resolved.push(offset);
  };
  return { batch, resolveOffset, isStale: () => false } as unknown as EachBatchPayload;
}

describe('a batch beyond offset 2^53', () => {
  it('keeps its offsets apart and exact, and settles the last one by its own digits (A9)', () => {
    const resolved: string[] = [];
    const batch = new KafkaBatch(payloadOf(resolved));
    expect(batch.fetchedAt).toBe(9_007_199_254_740_992n);
    expect(batch.lastOffset).toBe(9_007_199_254_740_993n);
    expect(batch.records.map(({ offset }) => offset)).toEqual([
      9_007_199_254_740_992n,
      9_007_199_254_740_993n,
    ]);
    batch.resolve();
    expect(resolved).toEqual(['9007199254740993']);
  });
});
