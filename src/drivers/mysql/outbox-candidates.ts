/**
 * Finds streams with `pending` or due rows. A candidate is only a hint: `outbox-claim.ts` looks
 * at each stream as a whole before it takes anything.
 *
 * A room whose first row waits in backoff keeps all its later rows `pending`, and thousands of them
 * may lie in front of everybody else's. The scan therefore remembers per shard how far it came and
 * goes on there next time, wrapping at the end; while it is under way the newest rows are looked at
 * as well, so that a healthy room does not wait for the wrap. It never skips ids for good: a lower
 * id may become visible later, and the wrap finds it.
 *
 * Where rows of many rooms have gathered, nearly all streams are under way, and whoever read on for the
 * few that are idle would read every row in every round. So once a scan has brought something, it reads
 * on only in shards of which it has seen few streams: there, a busy room may lie in front of the others.
 */
import type { Destination } from '../../protocol/topics.ts';
import type { SeenStream } from './outbox-looks.ts';
import { streamKey, streamOf, text } from './outbox-rows.ts';
import type { UnfinishedRow } from './outbox-rows.ts';
import type { Row, Statement } from './session.ts';

/** Rows read per shard on the first page, more for big batches; each further page is twice as long. */
const firstPageRowsMin = 50;
/** Pages per scan; what lies behind them waits for the next scan. */
const pagesMax = 6;
/** Fewer streams of a shard say nothing of those behind them. */
const fewStreams = 8;
/** Due `retryable` rows read per shard and scan. */
const dueRowsMax = 200;

/** What a scan looks for. */
export interface ScanRequest {
  readonly shards: readonly number[];
  readonly destinations: readonly Destination[];
  readonly nowMs: number;
  readonly batchSize: number;
}

/** Where the next scan of each shard goes on: ids above this one. Absent: from the beginning. */
export type ScanPositions = Map<number, bigint>;

const source = 'FROM room_outbox FORCE INDEX (by_shard) WHERE shard';
const pendingSql = (arm: 'in order' | 'newest') =>
  `(SELECT id, shard, app_code, room_id, destination, started_count, '${arm}' AS arm ${source} = ? ` +
  `AND status = 'pending' AND id > ? ORDER BY id ${arm === 'newest' ? 'DESC' : 'ASC'} LIMIT ?)`;
const dueSql =
  `(SELECT id, shard, app_code, room_id, destination, started_count, 'due' AS arm ${source} IN (?) ` +
  "AND status = 'retryable' AND next_retry_at_ms <= ? LIMIT ?)";

/** One pass over the shards, page by page. */
export class CandidateScan {
  private readonly request: ScanRequest;
  private readonly positions: ScanPositions;
  private pageRows: number;
  private readonly seen = new Set<string>();
  /** How many streams of each shard were seen. */
  private readonly streamCounts = new Map<number, number>();
  /** Position per shard that still has pages. */
  private readonly open: Map<number, bigint>;
  private pages = 0;
  /** Shards of the page that was asked for last. */
  private asked: readonly number[] = [];

  constructor(request: ScanRequest, positions: ScanPositions) {
    this.request = request;
    this.positions = positions;
    const share = Math.ceil(request.batchSize / Math.max(request.shards.length, 1));
    this.pageRows = Math.max(firstPageRowsMin, 2 * share);
    this.open = new Map(request.shards.map((shard) => [shard, positions.get(shard) ?? 0n]));
  }

  /**
   * Asks for the next page; null at the end. `hasBrought`: some of the streams before were of use. What the
   * page said is taken in before the next one is asked for.
   */
  nextPage(hasBrought: boolean): Statement | null {
    this.asked = [...this.open.keys()].filter(
      (shard) => !hasBrought || (this.streamCounts.get(shard) ?? 0) < fewStreams,
    );
    if (this.pages >= pagesMax || this.asked.length === 0) return null;
    return this.pageStatement(this.asked);
  }

  /** Streams of the page that this scan has not named yet, oldest row first. */
  streamsOf(rows: readonly Row[]): readonly SeenStream[] {
    this.advance(rows, this.asked);
    this.pages += 1;
    this.pageRows *= 2;
    const wanted = new Set<string>(this.request.destinations);
    const ordered = rows.filter((row) => wanted.has(text(row['destination'])));
    ordered.sort((one, other) => (rowId(one) < rowId(other) ? -1 : 1));
    const streams = new Map<string, SeenStream & { readonly pending: UnfinishedRow[] }>();
    for (const row of ordered) {
      const stream = streamOf(row);
      const key = streamKey(stream);
      if (this.seen.has(key)) continue;
      let seen = streams.get(key);
      if (seen === undefined) {
        seen = { stream, pending: [] };
        streams.set(key, seen);
        const shard = Number(row['shard']);
        this.streamCounts.set(shard, (this.streamCounts.get(shard) ?? 0) + 1);
      }
      // Only these are without a gap: of the newest rows nobody knows what lies before them.
      if (row['arm'] === 'in order') seen.pending.push(pendingRow(row));
    }
    for (const key of streams.keys()) this.seen.add(key);
    return [...streams.values()];
  }

  /**
   * Keeps where to go on. When the batch was filled nothing is kept: what was claimed is no longer
   * `pending`, so that the same place brings new rows, oldest first.
   */
  remember(batchFilled: boolean): void {
    if (batchFilled) return;
    for (const shard of this.request.shards) {
      const position = this.open.get(shard);
      if (position === undefined) this.positions.delete(shard);
      else this.positions.set(shard, position);
    }
  }

  private pageStatement(shards: readonly number[]): Statement {
    const arms: string[] = [];
    const values: unknown[] = [];
    for (const shard of shards) {
      const position = this.open.get(shard) ?? 0n;
      arms.push(pendingSql('in order'));
      values.push(shard, position, this.pageRows);
      if (this.pages > 0 || position === 0n) continue;
      arms.push(pendingSql('newest'));
      values.push(shard, position, this.pageRows);
    }
    if (this.pages === 0) {
      arms.push(dueSql);
      values.push([...shards], this.request.nowMs, shards.length * dueRowsMax);
    }
    return { sql: arms.join(' UNION ALL '), values };
  }

  private advance(rows: readonly Row[], shards: readonly number[]): void {
    for (const shard of shards) {
      const own = rows.filter((row) => row['arm'] === 'in order' && Number(row['shard']) === shard);
      if (own.length < this.pageRows) {
        this.open.delete(shard);
        continue;
      }
      const last = own.reduce((most, row) => (rowId(row) > most ? rowId(row) : most), 0n);
      this.open.set(shard, last);
    }
  }
}

function pendingRow(row: Row): UnfinishedRow {
  return {
    id: rowId(row),
    status: 'pending',
    ...{ claimToken: '', lockUntilMs: 0, nextRetryAtMs: 0 },
    startedCount: Number(row['started_count']),
  };
}

function rowId(row: Row): bigint {
  return BigInt(text(row['id']));
}
