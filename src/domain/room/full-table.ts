/** How a bounded table of users takes in one more: somebody leaves it first. */
import { assertDefined } from '../../kernel/assert.ts';
import type { PersistentMap } from '../../kernel/persistent-map.ts';
import type { UserId } from '../ids.ts';

/**
 * The table with a place for one more, at most `max` in all: of a full one whoever stands first in
 * `order` has left, of any other nobody. A walk over the table, paid only when it is full. `order`
 * must tell any two entries apart, or two nodes would let go of different ones.
 */
export function withOnePlace<Entry extends { readonly userId: UserId }>(
  table: PersistentMap<Entry>,
  max: number,
  order: (left: Entry, right: Entry) => number,
): PersistentMap<Entry> {
  if (table.size < max) return table;
  let first: Entry | null = null;
  for (const entry of table.values()) {
    if (first === null || order(entry, first) < 0) first = entry;
  }
  return table.remove(assertDefined(first, 'a full table holds an entry').userId);
}
