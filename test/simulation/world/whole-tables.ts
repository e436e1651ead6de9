/**
 * The database as judges see it who compare what was said with everything that was ever stored: rows
 * that left by retention are still there. Whether they might leave has a judge of its own, who looks at
 * the tables themselves.
 */
import type { IndexedTable } from '../../../src/drivers/memory/indexed-table.ts';
import type { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';

/** A view of the database; read only. */
export function wholeTables(database: MemoryDatabase): MemoryDatabase {
  const shadow = <Key, Row, Index extends string>(
    table: IndexedTable<Key, Row, Index>,
    copy: IndexedTable<Key, Row, Index>,
  ): { readonly value: IndexedTable<Key, Row, Index> } => {
    for (const [key, row] of table) copy.set(key, row);
    table.watch((key, _, after) => {
      if (after === undefined) {
        if (!database.isRetiring) copy.delete(key);
        // A removal that a crashed server lost brings the very row back.
      } else if (copy.get(key) !== after) copy.set(key, after);
    });
    return { value: copy };
  };
  return Object.create(database, {
    log: shadow(database.log, database.log.emptyLike()),
    events: shadow(database.events, database.events.emptyLike()),
    outbox: shadow(database.outbox, database.outbox.emptyLike()),
    settlements: shadow(database.settlements, database.settlements.emptyLike()),
  }) as MemoryDatabase;
}
