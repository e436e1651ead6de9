/** The lease server behind a network: a request that takes longer than its budget still arrives. */
import type { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import {
  MemoryLeaseServer,
  type ServerAnswer,
} from '../../../src/drivers/memory/memory-lease-server.ts';
import type { Latency } from './latency.ts';

/** See the file header. */
export class FarLeaseServer extends MemoryLeaseServer {
  private readonly network: { readonly timers: Timers; readonly latency: Latency };

  constructor(context: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly latency: Latency;
  }) {
    super(context);
    this.network = context;
  }

  override request<T>(work: () => T, budgetMs: number): Promise<ServerAnswer<T>> {
    const { timers, latency } = this.network;
    const thereMs = latency.drawNearMs();
    const backMs = latency.drawNearMs();
    if (thereMs + backMs === 0) return super.request(work, budgetMs);
    if (thereMs + backMs >= budgetMs) {
      timers.after(thereMs, () => void super.request(work, budgetMs));
      const cause = `no answer within ${budgetMs} ms`;
      return timers.sleep(budgetMs).then(() => ({ kind: 'unreachable', cause }));
    }
    return this.requestInTime(work, budgetMs, thereMs, backMs);
  }

  private async requestInTime<T>(
    work: () => T,
    budgetMs: number,
    thereMs: number,
    backMs: number,
  ): Promise<ServerAnswer<T>> {
    const { timers } = this.network;
    if (thereMs > 0) await timers.sleep(thereMs);
    const answer = await super.request(work, budgetMs - thereMs - backMs);
    if (backMs > 0) await timers.sleep(backMs);
    return answer;
  }
}
