/** What lucky gifts stand on in a rig: the service, and the locks that its nodes share. */
import type { CellSurroundings } from '../../src/cell/cell.ts';
import { LuckyStandIn } from '../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import { createMemoryLuckyGiftClient } from '../../src/drivers/memory/memory-lucky-gift-client.ts';
import { MemoryLuckyGiftLocks } from '../../src/drivers/memory/memory-lucky-gift-send-locker.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Random } from '../../src/ports/random.ts';
import type { Timers } from '../../src/ports/timers.ts';

/** Times of a rig's lucky gifts. */
export const luckyTimes = {
  luckyGiftTimeoutMs: 500,
  prizeBudgetMs: 1_000,
  luckyGiftLockTtlMs: 5_000,
} as const;

/** See the file header. */
export class LuckyWorld extends LuckyStandIn {
  readonly locks: MemoryLuckyGiftLocks;
  private readonly time: Timers;

  constructor(ports: { readonly clock: Clock; readonly timers: Timers; readonly random: Random }) {
    super(ports);
    this.time = ports.timers;
    this.locks = new MemoryLuckyGiftLocks(ports.clock);
  }

  /** The ports of one node, behind its gate; none for a node that knows no such service. */
  portsOf(
    gate: <Port extends object>(port: Port) => Port,
    isKnown = true,
  ): Pick<CellSurroundings, 'luckyGifts' | 'luckyLocks'> {
    if (!isKnown) return {};
    const luckyGifts = gate(createMemoryLuckyGiftClient(this, this.time));
    return { luckyGifts, luckyLocks: gate(this.locks.open()) };
  }
}
