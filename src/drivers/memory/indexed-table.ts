/**
 * A table in memory: rows by primary key, with secondary indexes that follow every change. Rows are
 * replaced and never changed in place, or an index would not notice.
 */

/** What a row is found by under one index; null keeps the row out of it, as a NULL in a unique key. */
export type IndexKeyOf<Row> = (row: Row) => string | null;

/** Told of each change of a row, in order; undefined: there was, or is, no such row. */
export type RowWatcher<Key, Row> = (
  key: Key,
  before: Row | undefined,
  after: Row | undefined,
) => void;

interface FoundBy<Key, Row> {
  readonly keyOf: IndexKeyOf<Row>;
  /** Keys of the rows by value. */
  readonly keys: Map<string, Set<Key>>;
}

/** A map that tests may read and write like any other. `Index` names its indexes. */
export class IndexedTable<Key, Row, Index extends string> extends Map<Key, Row> {
  private readonly byIndex: Readonly<Record<Index, FoundBy<Key, Row>>>;
  private readonly found: readonly FoundBy<Key, Row>[];
  private readonly indexes: Readonly<Record<Index, IndexKeyOf<Row>>>;
  private readonly watchers: RowWatcher<Key, Row>[] = [];

  constructor(indexes: Readonly<Record<Index, IndexKeyOf<Row>>>) {
    super();
    this.indexes = indexes;
    const entries = Object.entries(indexes) as [Index, IndexKeyOf<Row>][];
    const found = entries.map(([index, keyOf]) => [index, { keyOf, keys: new Map() }] as const);
    this.byIndex = Object.fromEntries(found) as typeof this.byIndex;
    this.found = Object.values(this.byIndex);
  }

  override set(key: Key, row: Row): this {
    const before = this.get(key);
    for (const { keyOf, keys } of this.found) {
      const value = keyOf(row);
      const valueBefore = before === undefined ? null : keyOf(before);
      if (value === valueBefore) continue;
      if (valueBefore !== null) takeOut(keys, valueBefore, key);
      if (value === null) continue;
      const same = keys.get(value);
      if (same === undefined) keys.set(value, new Set([key]));
      else same.add(key);
    }
    super.set(key, row);
    for (const watch of this.watchers) watch(key, before, row);
    return this;
  }

  override delete(key: Key): boolean {
    const before = this.get(key);
    if (before !== undefined) {
      for (const { keyOf, keys } of this.found) {
        const value = keyOf(before);
        if (value !== null) takeOut(keys, value, key);
      }
    }
    const isDeleted = super.delete(key);
    for (const watch of this.watchers) watch(key, before, undefined);
    return isDeleted;
  }

  override clear(): void {
    const before = [...this];
    for (const { keys } of this.found) keys.clear();
    super.clear();
    for (const [key, row] of before) for (const watch of this.watchers) watch(key, row, undefined);
  }

  /** A table without rows, found by the same indexes. */
  emptyLike(): IndexedTable<Key, Row, Index> {
    return new IndexedTable(this.indexes);
  }

  /** From now on `watcher` is told of each change, in the middle of it: it must not throw. */
  watch(watcher: RowWatcher<Key, Row>): void {
    this.watchers.push(watcher);
  }

  /** Rows with this value under an index; the order is nobody's promise. */
  rowsBy(index: Index, value: string): Row[] {
    const rows: Row[] = [];
    for (const key of this.byIndex[index].keys.get(value) ?? []) {
      const row = this.get(key);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }
}

function takeOut<Key>(keys: Map<string, Set<Key>>, value: string, key: Key): void {
  const same = keys.get(value);
  same?.delete(key);
  if (same?.size === 0) keys.delete(value);
}
