/** What the suites of the outbox share: a fixture, rows under it, and short ways to claim and fail. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type {
  BlockingDestinations,
  ClaimedRun,
  ClaimRequest,
  OutboxStore,
  RunFinish,
} from '../../src/ports/outbox-store.ts';
import { claimOf, nowMs } from './outbox-rows.ts';
import type { PutRow, SeenRow } from './outbox-rows.ts';

/** A store with a way to put rows under it. */
export interface OutboxStoreFixture {
  /** Another store on the same rows, as another relay has. */
  newStore(blocking?: BlockingDestinations): OutboxStore;
  put(rows: readonly PutRow[]): Promise<bigint[]>;
  see(rowId: bigint): Promise<SeenRow>;
  /** Loses the event that the row points at. */
  loseEvent(rowId: bigint): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** How long claims of `claimOf` last. */
export const lockMs = 60_000;

/** A finish that fails at `failedRowId`, to be tried again five seconds later. */
export function failureAt(
  failedRowId: bigint,
  fields: Partial<Extract<RunFinish, { kind: 'failed' }>> = {},
): RunFinish {
  return {
    kind: 'failed',
    deliveredRowIds: [],
    failedRowId,
    error: 'no',
    permanent: false,
    countsAsTry: true,
    nextRetryAtMs: nowMs + 5_000,
    maxRetryCount: 10,
    ...fields,
  };
}

/** Make one inside `describe`: it opens the fixture, clears it before each test and closes it. */
export class OutboxRig {
  store!: OutboxStore;
  private fixture!: OutboxStoreFixture;

  constructor(makeFixture: () => Promise<OutboxStoreFixture>) {
    beforeAll(async () => {
      this.fixture = await makeFixture();
    });
    beforeEach(async () => {
      await this.fixture.clear();
      this.store = this.fixture.newStore();
    });
    afterAll(() => this.fixture.close());
  }

  newStore(blocking: BlockingDestinations = []): OutboxStore {
    return this.fixture.newStore(blocking);
  }

  putAll(rows: readonly PutRow[]): Promise<bigint[]> {
    return this.fixture.put(rows);
  }

  async put(row: PutRow): Promise<bigint> {
    return (await this.fixture.put([row]))[0] as bigint;
  }

  /** Pending rows of the versions 1 to `versions`. */
  putRoom(room: string, versions: number): Promise<bigint[]> {
    return this.fixture.put(
      Array.from({ length: versions }, (_, at) => ({ room, version: at + 1 })),
    );
  }

  see(rowId: bigint): Promise<SeenRow> {
    return this.fixture.see(rowId);
  }

  loseEvent(rowId: bigint): Promise<void> {
    return this.fixture.loseEvent(rowId);
  }

  statuses(ids: readonly bigint[]): Promise<string[]> {
    return Promise.all(ids.map(async (id) => (await this.fixture.see(id)).status));
  }

  /** The first run of a claim; fails when there is none. */
  async claimOne(fields: Partial<ClaimRequest> = {}): Promise<ClaimedRun> {
    const [run] = await this.store.claimRuns(claimOf(fields));
    if (run === undefined) throw new Error('expected a run, got none');
    return run;
  }
}
