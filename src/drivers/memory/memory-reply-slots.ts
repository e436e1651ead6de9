/** Memory twin of the reply slots. Only the server's clock is read, as the real one does in SQL. */
import type { ReplySlots } from '../../ports/reply-slots.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import type { SlotRow } from './memory-rows.ts';

const free: SlotRow = { nodeId: '', incarnation: '', leaseUntilMs: 0 };

/** See the file header. */
export class MemoryReplySlots implements ReplySlots {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  lease(holder: {
    readonly nodeId: string;
    readonly incarnation: string;
    readonly slotCount: number;
    readonly ttlMs: number;
  }): Promise<number | null> {
    const { nodeId, incarnation, slotCount, ttlMs } = holder;
    return this.write('leasing a reply slot', (nowMs) => {
      const longestFree = Array.from({ length: slotCount }, (_, slot) => slot)
        .filter((slot) => this.at(slot).leaseUntilMs <= nowMs)
        .sort((one, other) => this.at(one).leaseUntilMs - this.at(other).leaseUntilMs);
      const slot = longestFree[0];
      if (slot === undefined) return null;
      this.store(slot, { nodeId, incarnation, leaseUntilMs: nowMs + ttlMs });
      return slot;
    });
  }

  renew(slot: number, incarnation: string, ttlMs: number): Promise<boolean> {
    return this.write('renewing a reply slot', (nowMs) => {
      const row = this.at(slot);
      // A lease that ran out is not renewed even if nobody took it yet.
      if (row.incarnation !== incarnation || row.leaseUntilMs <= nowMs) return false;
      this.store(slot, { ...row, leaseUntilMs: nowMs + ttlMs });
      return true;
    });
  }

  async release(slot: number, incarnation: string): Promise<void> {
    await this.write('releasing a reply slot', () => {
      if (this.at(slot).incarnation === incarnation) this.store(slot, free);
    });
  }

  private at(slot: number): SlotRow {
    return this.database.slots.get(slot) ?? free;
  }

  private store(slot: number, row: SlotRow): void {
    this.database.commit([put(this.database.slots, slot, row)]);
  }

  private write<T>(what: string, work: (nowMs: number) => T): Promise<T> {
    const { server } = this.database;
    return server.call('replySlots', what, 'write', () => work(server.clock.wallMs()));
  }
}
