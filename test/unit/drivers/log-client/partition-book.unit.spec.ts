import { describe, expect, it } from 'vitest';
import { PartitionBook } from '../../../../src/drivers/log-client/partition-book.ts';

describe('partition book', () => {
  it('delivers nothing of an assigned partition before it is opened', () => {
    const book = new PartitionBook();
    expect(book.assign([3])).toEqual({ added: [3], kept: [] });
    expect(book.judge(3, 0n)).toBe('drop');
    book.open(3, 7n);
    expect(book.judge(3, 7n)).toBe('deliver');
  });

  it('keeps the position of partitions that stay and forgets those that go', () => {
    const book = new PartitionBook();
    book.assign([1, 2]);
    book.open(1, 10n);
    book.open(2, 20n);
    book.advance(1, 14n);
    expect(book.assign([1, 5])).toEqual({ added: [5], kept: [{ partition: 1, next: 15n }] });
    expect(book.judge(2, 20n)).toBe('drop');
    // Back again: as new, whatever it was before.
    expect(book.assign([1, 2]).added).toEqual([2]);
    expect(book.nextOf(2)).toBeNull();
  });

  it('calls a batch a stray when it was fetched at another offset than the next', () => {
    const book = new PartitionBook();
    book.assign([1]);
    book.open(1, 110n);
    expect(book.judge(1, 100n)).toEqual({ stray: 1 });
    expect(book.judge(1, 100n)).toEqual({ stray: 2 });
    book.advance(1, 119n);
    expect(book.judge(1, 110n)).toEqual({ stray: 1 });
  });

  it('ignores the opening of a partition that was lost meanwhile', () => {
    const book = new PartitionBook();
    book.assign([1]);
    book.assign([]);
    expect(book.open(1, 0n)).toBe(false);
    expect(book.judge(1, 0n)).toBe('drop');
  });
});
