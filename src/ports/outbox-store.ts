/**
 * The outbox rows and their states (architecture section 8): pending → delivering → delivered,
 * delivering → retryable | failed, retryable → delivering, and back to pending for rows behind a
 * failure. Every mark is conditional, so that a late worker changes nothing.
 */
import type { AppCode, EventId, RoomId, RoomVersion } from '../domain/ids.ts';
import type { Destination } from '../protocol/topics.ts';

/**
 * What a `failed` row means for the later rows of its room and destination. `skip`: they go on without
 * it. `block`: they wait until it is no longer `failed`. One word for a whole deployment: relays and
 * adapters of different minds would not break order, but those that skip would let rows pass.
 */
export type OnFailed = 'skip' | 'block';

/** The destinations whose failed rows hold the later ones back; none is `skip` for all. */
export type BlockingDestinations = readonly Destination[];

/** A claimed row with its envelope. */
export interface ClaimedRow {
  readonly rowId: bigint;
  readonly eventId: EventId;
  readonly eventType: string;
  readonly roomVersion: RoomVersion;
  readonly eventIndex: number;
  readonly envelope: Uint8Array;
  readonly retryCount: number;
  readonly usefulUntilMs: number | null;
  /** It was started before and nobody has ended it: it may be what ended its worker. Alone in its run. */
  readonly isSuspect: boolean;
}

/**
 * Consecutive rows of one (room, destination) that begin at its oldest unfinished row. At most one
 * unfinished run per (room, destination) exists, so order holds whoever works on it.
 */
export interface ClaimedRun {
  readonly claimToken: string;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly destination: Destination;
  readonly rows: readonly ClaimedRow[];
}

/** What to claim. `nowMs` is the relay's wall clock; the lock is `nowMs + lockMs`. */
export interface ClaimRequest {
  readonly shards: readonly number[];
  readonly destinations: readonly Destination[];
  readonly workerId: string;
  readonly newClaimToken: () => string;
  readonly nowMs: number;
  readonly lockMs: number;
  /** Most rows in all. */
  readonly batchSize: number;
  /** Most rows in one run. */
  readonly runSize: number;
  /** Rows of a destination that may be in `delivering` at once, so that waiting stays under the lock. */
  readonly unconfirmedMax: number;
  /** A row started this often without a finish has killed its worker: it becomes `failed`. */
  readonly startedMax: number;
}

/** A row that the adapter may send now, with what only the row knows. */
export interface StartedRow {
  readonly rowId: bigint;
  /** Failures so far, from which the next pause follows. */
  readonly retryCount: number;
  /** After this time the row is confirmed without being sent. Null: never. */
  readonly usefulUntilMs: number | null;
}

/** How a run ended at the adapter. */
export type RunFinish =
  | {
      readonly kind: 'delivered';
      readonly rowIds: readonly bigint[];
      /** Those of them that were not sent because their time of use was over; the row says so. */
      readonly supersededRowIds?: readonly bigint[];
    }
  | {
      readonly kind: 'failed';
      /** Rows sent before the failing one. */
      readonly deliveredRowIds: readonly bigint[];
      /** As above, among `deliveredRowIds`. */
      readonly supersededRowIds?: readonly bigint[];
      readonly failedRowId: bigint;
      readonly error: string;
      /** Permanent: `failed` at once. Otherwise retryable until `maxRetryCount`. */
      readonly permanent: boolean;
      /** A throttle is waited out but is not a try: the counter stays. */
      readonly countsAsTry: boolean;
      /** When the row may be tried again, unless it is `failed`. */
      readonly nextRetryAtMs: number;
      readonly maxRetryCount: number;
    };

/** What a finish changed; late and doubled finishes change 0 rows. */
export interface FinishResult {
  readonly delivered: number;
  /** State the failing row went to, or null when the claim was no longer current. */
  readonly failedRowState: 'retryable' | 'failed' | null;
  readonly returnedToPending: number;
}

/**
 * All methods throw a Retry failure when MySQL cannot be reached. A store is made with the
 * destinations that block: for those nothing behind a `failed` row is claimed, nor started.
 *
 * Starts, and finishes, that come together may be written together. Each has its own answer all the
 * same, as if it had come by itself, and one that has to wait for somebody's lock keeps no other
 * waiting; a Retry alone may be common to them.
 */
export interface OutboxStore {
  claimRuns(request: ClaimRequest): Promise<readonly ClaimedRun[]>;
  /** Gives rows back that were claimed but not published: pending again, counters untouched. */
  giveBack(claimToken: string, rowIds: readonly bigint[]): Promise<void>;
  /**
   * The adapter begins: raises `started_count` of the rows still under the claim and pushes their
   * lock to `lockUntilMs`. Answers the rows that are still the claim's, in order; the others must
   * not be sent. Answers none while an older row of the stream is unfinished under another claim,
   * or `failed` where that blocks.
   */
  start(
    claimToken: string,
    rowIds: readonly bigint[],
    lockUntilMs: number,
  ): Promise<readonly StartedRow[]>;
  /**
   * `delivered` ends a row from any unfinished state, whoever claims it; a failure mark needs the
   * current claim, and sends the claim's rows behind the failing one back to `pending` with their
   * counters untouched, in the same transaction.
   */
  finish(claimToken: string, finish: RunFinish, nowMs: number): Promise<FinishResult>;
  /** Unfinished rows and age of the oldest, per destination; for metrics, at a slow pace. */
  backlog(nowMs: number): Promise<
    readonly {
      readonly destination: Destination;
      readonly unfinished: number;
      readonly failed: number;
    }[]
  >;
  /** Per blocking destination, in how many rooms a `failed` row holds later ones back; 0 too. */
  blockedRooms(): Promise<readonly { readonly destination: Destination; readonly rooms: number }[]>;
}
