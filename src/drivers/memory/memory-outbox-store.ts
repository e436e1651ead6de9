/** Memory twin of the outbox store. Every call is one atomic step; time is what the calls say. */
import type {
  BlockingDestinations,
  ClaimedRun,
  ClaimRequest,
  FinishResult,
  OutboxStore,
  RunFinish,
  StartedRow,
} from '../../ports/outbox-store.ts';
import { destinations } from '../../protocol/topics.ts';
import { put, type MemoryDatabase } from './memory-database.ts';
import { isUnfinished, streamKey, type OutboxRow } from './memory-rows.ts';
import { claimRuns, isBehindFailed } from './outbox-claiming.ts';

/** Longest `last_error` that the real column holds, in UTF-16 units with the mark of the cut. */
const lastErrorCharsMax = 1_000;
const supersededNote = 'not sent: its time of use was over (superseded)';

/** See the file header. */
export class MemoryOutboxStore implements OutboxStore {
  private readonly database: MemoryDatabase;
  private readonly blocking: BlockingDestinations;

  constructor(database: MemoryDatabase, blocking: BlockingDestinations = []) {
    this.database = database;
    this.blocking = blocking;
  }

  claimRuns(request: ClaimRequest): Promise<readonly ClaimedRun[]> {
    return this.write('outbox claim', () => claimRuns(this.database, request, this.blocking));
  }

  async giveBack(claimToken: string, rowIds: readonly bigint[]): Promise<void> {
    await this.write('outbox give back', () =>
      this.store(this.ofClaim(claimToken, rowIds), backTo),
    );
  }

  start(
    claimToken: string,
    rowIds: readonly bigint[],
    lockUntilMs: number,
  ): Promise<readonly StartedRow[]> {
    return this.write('outbox start', () => {
      const rows = this.ofClaim(claimToken, rowIds);
      const oldest = rows[0];
      if (oldest === undefined || this.hasOlderElsewhere(oldest)) return [];
      this.store(rows, (row) => ({
        ...row,
        startedCount: row.startedCount + 1,
        lockUntilMs: Math.max(row.lockUntilMs, lockUntilMs),
      }));
      return rows.map(({ rowId, retryCount, usefulUntilMs }) => {
        return { rowId, retryCount, usefulUntilMs };
      });
    });
  }

  finish(claimToken: string, finish: RunFinish, nowMs: number): Promise<FinishResult> {
    return this.write('outbox finish', () => {
      const superseded = new Set(finish.supersededRowIds ?? []);
      const endedIds = finish.kind === 'delivered' ? finish.rowIds : finish.deliveredRowIds;
      const sent = this.unfinished(endedIds.filter((id) => !superseded.has(id)));
      const unsent = this.unfinished([...superseded]);
      this.store(sent, (row) => delivered(row, '', nowMs));
      this.store(unsent, (row) => delivered(row, supersededNote, nowMs));
      const count = sent.length + unsent.length;
      if (finish.kind === 'delivered') {
        return { delivered: count, failedRowState: null, returnedToPending: 0 };
      }
      const failing = this.ofClaim(claimToken, [finish.failedRowId])[0];
      const failed = failing === undefined ? null : failedRow(failing, finish, nowMs);
      if (failed !== null) this.store([failed], (row) => row);
      const behind = this.database.outbox
        .rowsBy('claim', claimToken)
        .filter((row) => row.status === 'delivering' && row.rowId > finish.failedRowId);
      // The start of this claim is undone in their counter, since its worker did finish.
      this.store(behind, (row) => {
        return { ...backTo(row), startedCount: Math.max(row.startedCount - 1, 0) };
      });
      const failedRowState = failed === null ? null : failed.status;
      return { delivered: count, failedRowState, returnedToPending: behind.length };
    });
  }

  backlog(): ReturnType<OutboxStore['backlog']> {
    const { server, outbox } = this.database;
    return server.call('outbox', 'outbox backlog', 'read', () => {
      const rows = [...outbox.values()];
      return destinations
        .map((destination) => {
          const own = rows.filter((row) => row.destination === destination);
          const unfinished = own.filter(isUnfinished).length;
          const failed = own.filter(({ status }) => status === 'failed').length;
          return { destination, unfinished, failed };
        })
        .filter(({ unfinished, failed }) => unfinished + failed > 0);
    });
  }

  blockedRooms(): ReturnType<OutboxStore['blockedRooms']> {
    if (this.blocking.length === 0) return Promise.resolve([]);
    const { server, outbox } = this.database;
    return server.call('outbox', 'counting blocked rooms', 'read', () => {
      const failed = [...outbox.values()].filter(({ status }) => status === 'failed');
      return this.blocking.map((destination) => {
        const own = failed.filter((row) => row.destination === destination);
        return { destination, rooms: new Set(own.map(streamKey)).size };
      });
    });
  }

  /** Those of the rows that are under the claim now, oldest first. */
  private ofClaim(claimToken: string, rowIds: readonly bigint[]): OutboxRow[] {
    return this.rows(rowIds).filter(
      (row) => row.status === 'delivering' && row.claimToken === claimToken,
    );
  }

  private unfinished(rowIds: readonly bigint[]): OutboxRow[] {
    return this.rows(rowIds).filter(isUnfinished);
  }

  private rows(rowIds: readonly bigint[]): OutboxRow[] {
    return [...new Set(rowIds)]
      .flatMap((id) => this.database.outbox.get(id) ?? [])
      .sort((one, other) => (one.rowId < other.rowId ? -1 : 1));
  }

  private hasOlderElsewhere(oldest: OutboxRow): boolean {
    if (isBehindFailed(this.database, oldest, this.blocking)) return true;
    return this.database.outbox
      .rowsBy('stream', streamKey(oldest))
      .some((row) => row.rowId < oldest.rowId && row.claimToken !== oldest.claimToken);
  }

  private store(rows: readonly OutboxRow[], changed: (row: OutboxRow) => OutboxRow): void {
    const { outbox } = this.database;
    this.database.commit(rows.map((row) => put(outbox, row.rowId, changed(row))));
  }

  private write<T>(what: string, work: () => T): Promise<T> {
    return this.database.server.call('outbox', what, 'write', () => this.database.asOne(work));
  }
}

/** `pending` again, counters untouched. */
function backTo(row: OutboxRow): OutboxRow {
  return { ...row, status: 'pending', claimToken: '', workerId: '', lockUntilMs: 0 };
}

function delivered(row: OutboxRow, lastError: string, nowMs: number): OutboxRow {
  return { ...row, status: 'delivered', lastError, lockUntilMs: 0, finishedAtMs: nowMs };
}

/** RETRY-1 to RETRY-3; the counter of starts begins anew, for the worker survived this row. */
function failedRow(
  row: OutboxRow,
  finish: Extract<RunFinish, { kind: 'failed' }>,
  nowMs: number,
): OutboxRow & { readonly status: 'failed' | 'retryable' } {
  const retryCount = row.retryCount + (finish.countsAsTry || finish.permanent ? 1 : 0);
  const isOver = finish.permanent || (finish.countsAsTry && retryCount >= finish.maxRetryCount);
  return {
    ...row,
    status: isOver ? 'failed' : 'retryable',
    retryCount,
    startedCount: 0,
    nextRetryAtMs: isOver ? 0 : finish.nextRetryAtMs,
    lastError: lastErrorText(finish.error),
    claimToken: '',
    lockUntilMs: 0,
    finishedAtMs: isOver ? nowMs : null,
  };
}

/** Cut between characters; lone surrogates are replaced, as the real column would refuse them. */
function lastErrorText(error: string): string {
  const whole = Array.from(error, (character) =>
    /^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character,
  );
  if (whole.join('').length <= lastErrorCharsMax) return whole.join('');
  let cut = '';
  for (const character of whole) {
    if (cut.length + character.length >= lastErrorCharsMax) break;
    cut += character;
  }
  return `${cut}…`;
}
