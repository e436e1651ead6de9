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

/** A map that tests may read and write like any other. `Index` names its indexes. */
export class IndexedTable<Key, Row, Index extends string> extends Map<Key, Row> {
  private readonly keyOf: Readonly<Record<Index, IndexKeyOf<Row>>>;
  /** Keys of the rows, by name of the index and value. */
  private readonly found = new Map<Index, Map<string, Set<Key>>>();
  private readonly watchers: RowWatcher<Key, Row>[] = [];

  constructor(indexes: Readonly<Record<Index, IndexKeyOf<Row>>>) {
    super();
    this.keyOf = indexes;
    for (const index of this.indexes()) this.found.set(index, new Map());
  }

  override set(key: Key, row: Row): this {
    const before = this.get(key);
    if (before !== undefined) this.forget(key, before);
    for (const index of this.indexes()) {
      const value = this.keyOf[index](row);
      if (value === null) continue;
      const byValue = this.found.get(index);
      const keys = byValue?.get(value);
      if (keys === undefined) byValue?.set(value, new Set([key]));
      else keys.add(key);
    }
    super.set(key, row);
    for (const watch of this.watchers) watch(key, before, row);
    return this;
  }

  override delete(key: Key): boolean {
    const before = this.get(key);
    if (before !== undefined) this.forget(key, before);
    const isDeleted = super.delete(key);
    for (const watch of this.watchers) watch(key, before, undefined);
    return isDeleted;
  }

  override clear(): void {
    const before = [...this];
    for (const byValue of this.found.values()) byValue.clear();
    super.clear();
    for (const [key, row] of before) for (const watch of this.watchers) watch(key, row, undefined);
  }

  /** From now on `watcher` is told of each change, in the middle of it: it must not throw. */
  watch(watcher: RowWatcher<Key, Row>): void {
    this.watchers.push(watcher);
  }

  /** Rows with this value under an index; the order is nobody's promise. */
  rowsBy(index: Index, value: string): Row[] {
    const keys = this.found.get(index)?.get(value) ?? [];
    return [...keys].flatMap((key) => this.get(key) ?? []);
  }

  private forget(key: Key, row: Row): void {
    for (const index of this.indexes()) {
      const value = this.keyOf[index](row);
      if (value === null) continue;
      const byValue = this.found.get(index);
      const keys = byValue?.get(value);
      keys?.delete(key);
      if (keys?.size === 0) byValue?.delete(value);
    }
  }

  private indexes(): Index[] {
    return Object.keys(this.keyOf) as Index[];
  }
}
