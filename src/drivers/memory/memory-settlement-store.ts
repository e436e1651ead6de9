/** Memory twin of the store of open voids. */
import type {
  ListedSettlement,
  OpenSettlement,
  SettlementStore,
} from '../../ports/settlement-store.ts';
import type { SettlementRecord } from './gift-rows.ts';
import { change, type MemoryDatabase } from './memory-database.ts';

/** Room of the real table's `last_error`, in characters. */
const lastErrorMax = 1_000;

/** See the port. Which partitions there are says the layout of the database's one commands topic. */
export class MemorySettlementStore implements SettlementStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  due(
    partitions: readonly number[],
    nowMs: number,
    limit: number,
  ): Promise<readonly OpenSettlement[]> {
    return this.database.server.call('settlements', 'looking for open voids', 'read', () => {
      const [layout] = this.database.layouts.values();
      const count = layout?.partitionCount;
      const hasStrays = count !== undefined && partitions.includes(0);
      return this.openRows()
        .filter(
          ({ partition, nextTryAtMs }) =>
            nextTryAtMs <= nowMs &&
            (partitions.includes(partition) || (hasStrays && partition >= count)),
        )
        .slice(0, limit)
        .map(openOf);
    });
  }

  settled(debitKey: string, movedCoins: bigint, nowMs: number): Promise<void> {
    return this.mark('ending a void', debitKey, (row) => {
      return { ...row, status: 'settled', refundedCoins: movedCoins, settledAtMs: nowMs };
    });
  }

  postponed(debitKey: string, error: string, nextTryAtMs: number): Promise<void> {
    return this.mark('postponing a void', debitKey, (row) => {
      const lastError = Array.from(error).slice(0, lastErrorMax).join('');
      return { ...row, tries: row.tries + 1, lastError, nextTryAtMs };
    });
  }

  listOpen(limit: number): Promise<readonly ListedSettlement[]> {
    return this.database.server.call('settlements', 'listing open voids', 'read', () =>
      this.openRows()
        .slice(0, limit)
        .map((row) => {
          const { partition, nextTryAtMs, lastError } = row;
          return { ...openOf(row), partition, nextTryAtMs, lastError };
        }),
    );
  }

  backlog(): Promise<{ readonly open: number; readonly oldestCreatedAtMs: number | null }> {
    return this.database.server.call('settlements', 'counting open voids', 'read', () => {
      const open = this.openRows();
      return { open: open.length, oldestCreatedAtMs: open[0]?.createdAtMs ?? null };
    });
  }

  /** Oldest first. */
  private openRows(): SettlementRecord[] {
    return [...this.database.settlements.values()]
      .filter(({ status }) => status === 'open')
      .sort(
        (one, other) =>
          one.createdAtMs - other.createdAtMs || (one.debitKey < other.debitKey ? -1 : 1),
      );
  }

  /** Late marks meet a row that is no longer open, and change nothing. */
  private mark(
    what: string,
    debitKey: string,
    marked: (row: SettlementRecord) => SettlementRecord,
  ): Promise<void> {
    const { server, settlements } = this.database;
    return server.call('settlements', what, 'write', () => {
      this.database.commit([
        change(settlements, debitKey, (row) => (row.status === 'open' ? marked(row) : row)),
      ]);
    });
  }
}

function openOf(row: SettlementRecord): OpenSettlement {
  const { debitKey, appCode, roomId, commandId, payerUserId, reason, tries, prize } = row;
  const { createdAtMs } = row;
  const ids = { debitKey, appCode, roomId, commandId, payerUserId };
  return { ...ids, reason, tries, createdAtMs, prize };
}
