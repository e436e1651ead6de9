/**
 * Looks at streams in their usual state, where nothing but `pending` rows waits. The scan has read those
 * already, so that what is asked here is only whether that is all: one row of answer per stream, at a tenth
 * of the price of reading the stream. Whatever is not usual is read as a whole by `outbox-streams.ts`, and
 * what the two give is the same.
 *
 * The look is one statement, hence one read view (see `outbox-streams.ts` why that matters), and decides by
 * itself: rows of the scan are believed only if the oldest `pending` row of the stream is still the one that
 * the scan saw, and no row is in another unfinished state. Between the scan's rows of one stream none is
 * missing, for a room has one writer, whose rows become visible in the order of their ids; only a replay
 * puts one back, which is passed over already by those that are under way when it comes.
 *
 * Tests: "a row that is put back …" and "a relay whose head was claimed anew …" (outbox-races), and "what is
 * asked of a stream reads a few rows of it" (mysql-outbox contract).
 */
import type { BlockingDestinations } from '../../ports/outbox-store.ts';
import { rowOfStreamSql, streamKey, text } from './outbox-rows.ts';
import type { Stream, UnfinishedRow } from './outbox-rows.ts';
import { readStreams } from './outbox-streams.ts';
import { idsOf, lockableStatement } from './outbox-write.ts';
import type { MysqlSession, Row, Statement } from './session.ts';

/** A stream as a scan met it. */
export interface SeenStream {
  readonly stream: Stream;
  /** Its oldest `pending` rows as far as the scan read them, in order; empty: the scan does not know. */
  readonly pending: readonly UnfinishedRow[];
  /** All its unfinished rows as one statement saw them; absent: nobody looked. */
  readonly whole?: readonly UnfinishedRow[];
}

/** A stream of which one statement saw every unfinished row, in order. */
export interface WholeStream extends SeenStream {
  readonly whole: readonly UnfinishedRow[];
}

/** A stream of which we hold the head. */
export interface HeldStream extends SeenStream {
  readonly headId: bigint;
  readonly claimToken: string;
}

/** How streams are looked at. */
export interface LookLimits {
  /** As many `pending` rows of a stream at most. */
  readonly pendingLimit: number;
  readonly blocking: BlockingDestinations;
}

/** `failed` rows are asked for only where some destination blocks: each question costs every look. */
const lookSql = (blocking: BlockingDestinations): string =>
  'SELECT h.id, h.status, h.claim_token, ' +
  `${rowOfStreamSql("o.status = 'pending' ORDER BY o.id")} AS oldest_pending, ` +
  `${rowOfStreamSql("o.status = 'retryable'")} AS retryable, ` +
  `${rowOfStreamSql("o.status = 'delivering' AND o.id <> h.id")} AS delivering, ` +
  `${blocking.length === 0 ? 'NULL' : rowOfStreamSql("o.status = 'failed'")} AS failed ` +
  'FROM room_outbox h FORCE INDEX (PRIMARY) WHERE h.id IN (?)';

/** What streams look like before anything of them is taken. */
export interface StreamViews {
  /** As `readStreams` gives them, by `streamKey`. */
  readonly views: ReadonlyMap<string, readonly UnfinishedRow[]>;
  /** Of the rows that were looked at, those that nobody holds a lock on; see `lockableNow`. */
  readonly free: ReadonlySet<bigint>;
  readonly lookedAt: ReadonlySet<bigint>;
}

/** Looks at streams, and at the locks of the rows that would be taken first, in one packet. */
export async function viewStreams(
  session: MysqlSession,
  streams: readonly SeenStream[],
  limits: LookLimits,
): Promise<StreamViews> {
  const views = new Map<string, readonly UnfinishedRow[]>();
  const unseen: SeenStream[] = [];
  for (const seen of streams) {
    // A failed row that blocks is not among the unfinished ones.
    const isWhole = seen.whole !== undefined && !limits.blocking.includes(seen.stream.destination);
    if (isWhole) views.set(streamKey(seen.stream), seen.whole);
    else unseen.push(seen);
  }
  const ids = unseen.flatMap(({ pending }) => pending.slice(0, 1).map(({ id }) => id));
  const [looked, locks] =
    ids.length === 0
      ? []
      : await session.runAll([lookStatement(ids, limits), lockableStatement(ids)]);
  const looks = looksOf(looked?.rows ?? []);
  const read = await viewsOf(session, unseen, limits, ({ stream, pending }) => {
    const [oldest] = pending;
    const look = oldest === undefined ? undefined : looks.get(oldest.id);
    if (oldest === undefined || look === undefined || !isUsual(look, stream, limits)) return null;
    return idOf(look['oldest_pending']) === oldest.id ? pending : null;
  });
  for (const [key, rows] of read) views.set(key, rows);
  return { views, free: idsOf(locks?.rows ?? []), lookedAt: new Set(ids) };
}

/**
 * The views of streams whose heads we have just taken: the head first, as the row that it is now. `looked`:
 * what the statement of `lookStatement` said of the heads.
 */
export async function viewHeld(
  session: MysqlSession,
  streams: readonly HeldStream[],
  limits: LookLimits,
  looked: readonly Row[],
): Promise<ReadonlyMap<string, readonly UnfinishedRow[]>> {
  const looks = looksOf(looked);
  return viewsOf(session, streams, limits, ({ stream, pending, headId, claimToken }) => {
    const look = looks.get(headId);
    const [head, next] = pending;
    if (head?.id !== headId || look === undefined || !isUsual(look, stream, limits)) return null;
    if (look['status'] !== 'delivering' || look['claim_token'] !== claimToken) return null;
    const oldest = idOf(look['oldest_pending']);
    // Behind the head must come what the scan saw there; if it saw nothing, only what is newer.
    const isNext = next === undefined ? oldest === null || oldest > headId : oldest === next.id;
    if (!isNext) return null;
    return [{ ...head, status: 'delivering', claimToken }, ...pending.slice(1)];
  });
}

/** Asks of these rows, at least one, whether they are all that waits in their streams. */
export function lookStatement(
  rowIds: readonly bigint[],
  { blocking }: Pick<LookLimits, 'blocking'>,
): Statement {
  return { sql: lookSql(blocking), values: [rowIds] };
}

/** Nothing waits for its time, is under way, or holds the rest back. */
function isUsual(look: Row, { destination }: Stream, { blocking }: LookLimits): boolean {
  if (look['retryable'] !== null || look['delivering'] !== null) return false;
  return look['failed'] === null || !blocking.includes(destination);
}

function looksOf(rows: readonly Row[]): ReadonlyMap<bigint, Row> {
  return new Map(rows.map((look) => [BigInt(text(look['id'])), look]));
}

/** What `usual` gives, and what it cannot tell by reading. */
async function viewsOf<Seen extends SeenStream>(
  session: MysqlSession,
  streams: readonly Seen[],
  { pendingLimit, blocking }: LookLimits,
  usual: (seen: Seen) => readonly UnfinishedRow[] | null,
): Promise<Map<string, readonly UnfinishedRow[]>> {
  const views = new Map<string, readonly UnfinishedRow[]>();
  const unknown: Stream[] = [];
  for (const seen of streams) {
    const view = usual(seen);
    if (view === null) unknown.push(seen.stream);
    else views.set(streamKey(seen.stream), view.slice(0, pendingLimit));
  }
  const read = await readStreams(session, unknown, pendingLimit, blocking);
  for (const [key, rows] of read) views.set(key, rows);
  return views;
}

function idOf(value: unknown): bigint | null {
  return value === null ? null : BigInt(text(value));
}
