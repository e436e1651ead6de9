/**
 * A relay and an adapter in one, for a recorded run: claims what is open, lets it arrive and marks
 * it, with one failure after an arrival, one for ever, and rows that nobody needs any more.
 */
import { MemoryOutboxStore } from '../../../../src/drivers/memory/memory-outbox-store.ts';
import type { ClaimedRow, ClaimedRun, RunFinish } from '../../../../src/ports/outbox-store.ts';
import type { Recorder } from './recorded-run.ts';

const shards = Array.from({ length: 8 }, (_, shard) => shard);

/** See the file header. */
export class RecordedDelivery {
  private readonly recorder: Recorder;
  private readonly store: MemoryOutboxStore;
  private claims = 0;
  private hasFailed = false;
  private isPermanent = false;

  constructor(recorder: Recorder) {
    this.recorder = recorder;
    this.store = new MemoryOutboxStore(recorder.rig.database);
  }

  /** Until every row has ended. */
  async run(): Promise<void> {
    for (;;) {
      const runs = await this.store.claimRuns({
        shards,
        destinations: ['im', 'activity', 'rtc'],
        workerId: 'relay-1',
        newClaimToken: () => `claim-${(this.claims += 1)}`,
        nowMs: this.recorder.nowMs,
        lockMs: 60_000,
        batchSize: 1_000,
        runSize: 4,
        unconfirmedMax: 1_000,
        startedMax: 3,
      });
      if (runs.length === 0) return;
      for (const run of runs) await this.deliver(run);
      this.recorder.rig.time.advance(1_000);
    }
  }

  private async deliver(run: ClaimedRun): Promise<void> {
    const { recorder } = this;
    const ids = run.rows.map(({ rowId }) => rowId);
    await this.store.start(run.claimToken, ids, recorder.nowMs + 60_000);
    const rowIds: bigint[] = [];
    const supersededRowIds: bigint[] = [];
    for (const row of run.rows) {
      const failure = this.failureAt(run, row);
      if (failure !== null) {
        const finish = { ...failure, deliveredRowIds: rowIds, supersededRowIds };
        await this.store.finish(run.claimToken, finish, recorder.nowMs);
        return;
      }
      rowIds.push(row.rowId);
      if (run.destination === 'im' && row.eventType === 'RoomMicDown') {
        supersededRowIds.push(row.rowId);
      } else this.arrive(run, row);
    }
    const finish = { kind: 'delivered', rowIds, supersededRowIds } as const;
    await this.store.finish(run.claimToken, finish, recorder.nowMs);
  }

  /** The second row of `r1` fails once, after it had arrived; one update fails for ever. */
  private failureAt(
    run: ClaimedRun,
    row: ClaimedRow,
  ): Extract<RunFinish, { kind: 'failed' }> | null {
    if (run.destination !== 'activity' || run.appCode !== 'app1' || run.roomId !== 'r1')
      return null;
    const failed = {
      kind: 'failed',
      deliveredRowIds: [],
      failedRowId: row.rowId,
      error: 'no answer',
      countsAsTry: true,
      nextRetryAtMs: this.recorder.nowMs,
      maxRetryCount: 10,
    } as const;
    if (row.roomVersion === 2n && !this.hasFailed) {
      this.hasFailed = true;
      this.arrive(run, row);
      return { ...failed, permanent: false };
    }
    if (row.eventType !== 'RoomUserUpdated' || this.isPermanent) return null;
    this.isPermanent = true;
    return { ...failed, permanent: true };
  }

  private arrive(run: ClaimedRun, row: ClaimedRow): void {
    const { appCode, roomId, destination } = run;
    if (destination === 'rtc') return;
    const { eventId, eventType: type, roomVersion, eventIndex: index } = row;
    const shown = { event_id: eventId, app_code: appCode, room_id: roomId, type };
    const text = JSON.stringify({ ...shown, version: String(roomVersion), index });
    const bytes = destination === 'activity' ? row.envelope : Buffer.from(text);
    const atMs = this.recorder.nowMs;
    if (destination === 'im' && (type === 'RoomCreated' || type === 'RoomUserUnbanned')) return;
    this.recorder.observed({ kind: 'arrived', atMs, destination, appCode, roomId, eventId, bytes });
  }
}
