/**
 * Gives back what was debited for gifts that were not applied, and pays the prizes that lucky gifts
 * still owe: calls the wallet for every open row of this node's partitions until it has acknowledged
 * (architecture section 4). Two owners
 * that meet in one row do no harm: neither call has a second effect, and neither has its mark.
 */
import { backoffMs, type BackoffLimits } from '../../kernel/backoff.ts';
import { Failure } from '../../kernel/failure.ts';
import type { OpenPrize } from '../../ports/commit-lane.ts';
import type { OpenSettlement } from '../../ports/settlement-store.ts';
import type { CancelTimer } from '../../ports/timers.ts';
import type { CellContext } from '../cell-context.ts';
import { OutageNote } from '../outage-note.ts';
import { isOwnPrize } from './lucky-run.ts';
import type { PartitionSet } from '../partition/partition-set.ts';

/** Rows looked at in one round. */
const roundMax = 100;
/** Voids in flight at the same time. */
const concurrentMax = 8;
/** Pause before a row is tried again: a wallet that is down for hours is asked once a minute. */
const tryLimits: BackoffLimits = { initialMs: 1_000, maxMs: 60_000 };

/** See the file header. */
export class Settler {
  private readonly context: CellContext;
  private readonly partitions: PartitionSet;
  private cancel: CancelTimer = () => undefined;
  private working = false;
  private again = false;
  private stopped = false;
  private readonly outage: OutageNote;

  constructor(context: CellContext, partitions: PartitionSet) {
    this.context = context;
    this.partitions = partitions;
    this.outage = new OutageNote(context, 'read open settlements');
  }

  /** No round runs. */
  get idle(): boolean {
    return !this.working;
  }

  start(): void {
    this.later();
  }

  /** A row was committed just now: looks at once instead of with the next tick. */
  hint(): void {
    if (this.stopped) return;
    if (this.working) {
      this.again = true;
      return;
    }
    this.cancel();
    void this.round();
  }

  /** Leaves open rows to the next owner. Idempotent. */
  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  private later(): void {
    if (this.stopped) return;
    const { timers, options } = this.context;
    this.cancel = timers.after(options.settlementPollMs, () => void this.round());
  }

  private async round(): Promise<void> {
    this.working = true;
    let found = 0;
    try {
      const mine = [...this.partitions.all()].map(({ id }) => id);
      const rows = mine.length === 0 ? [] : await this.due(mine);
      found = rows.length;
      await this.settleAll(rows);
      this.outage.note(false);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      this.context.log.debug({ error: error.message }, 'open settlements unread or unmarked');
      this.outage.note(true);
    } finally {
      this.working = false;
    }
    const isMore = this.again || found === roundMax;
    this.again = false;
    if (isMore && !this.outage.isOut && !this.stopped) void this.round();
    else this.later();
  }

  private due(partitions: readonly number[]): Promise<readonly OpenSettlement[]> {
    return this.context.settlements.due(partitions, this.context.clock.wallMs(), roundMax);
  }

  private async settleAll(rows: readonly OpenSettlement[]): Promise<void> {
    const left = [...rows];
    const worker = async (): Promise<void> => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) await this.settle(row);
    };
    await Promise.all(Array.from({ length: concurrentMax }, worker));
  }

  /** A row that cannot be marked for its own data must not keep the others from being paid back. */
  private async settle(row: OpenSettlement): Promise<void> {
    try {
      await (row.prize === null ? this.voidOne(row) : this.payOne(row, row.prize));
    } catch (error) {
      if (error instanceof Failure && error.kind === 'retry') throw error;
      this.context.log.error({ debitKey: row.debitKey, error }, 'a settlement cannot be marked');
      await this.postpone(row, 'cannot be marked');
    }
  }

  private async voidOne(row: OpenSettlement): Promise<void> {
    const { wallet, settlements, clock, metrics, options, trace, log } = this.context;
    const { debitKey, appCode, roomId, commandId } = row;
    const outcome = await wallet.void(debitKey, appCode, options.walletTimeoutMs);
    if (outcome.kind === 'voided') {
      trace.at('cell.after_void_before_mark');
      await settlements.settled(debitKey, outcome.refundedCoins, clock.wallMs());
      const ended = outcome.refundedCoins > 0n ? 'refunded' : 'closed';
      metrics.count('cell_settlements_total', { ended });
      const { refundedCoins } = outcome;
      log.info({ appCode, roomId, commandId, debitKey, refundedCoins }, 'a debit is settled');
      return;
    }
    await this.postpone(row, outcome.cause);
  }

  /** The prize's key is that of every try before, so that a prize that was paid is not paid again. */
  private async payOne(row: OpenSettlement, prize: OpenPrize): Promise<void> {
    const { wallet, settlements, clock, metrics, options, trace, log } = this.context;
    const { debitKey: key, appCode, roomId, commandId, payerUserId: winnerUserId } = row;
    const request = { key, appCode, winnerUserId, ...prize };
    const outcome = await wallet.payPrize(request, options.walletTimeoutMs);
    if (outcome.kind === 'paid' && isOwnPrize(request, outcome.receipt)) {
      trace.at('cell.after_prize_before_mark');
      await settlements.settled(key, prize.coins, clock.wallMs());
      metrics.count('cell_settlements_total', { ended: 'paid' });
      log.info({ appCode, roomId, commandId, key, coins: prize.coins }, 'a prize is paid');
      return;
    }
    // A committed gift's debit is never void, and its prize is nobody else's: the books disagree.
    if (outcome.kind !== 'unknown') {
      metrics.count('cell_wallet_conflicts_total', { cause: 'PRIZE' });
      log.error({ appCode, roomId, commandId, key, outcome }, 'a prize cannot be paid');
    }
    await this.postpone(row, 'cause' in outcome ? outcome.cause : `PRIZE_${outcome.kind}`);
  }

  private async postpone({ debitKey, tries }: OpenSettlement, cause: string): Promise<void> {
    const { settlements, clock, metrics, random } = this.context;
    metrics.count('cell_settlements_total', { ended: 'postponed' });
    const pauseMs = backoffMs(tryLimits, tries + 1, random.fraction('settle again'));
    await settlements.postponed(debitKey, cause, clock.wallMs() + pauseMs);
  }
}
