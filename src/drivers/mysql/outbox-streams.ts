/**
 * Reads the unfinished rows of streams. One statement, hence one read view: under READ COMMITTED two
 * statements may see a row in neither of the states they ask for.
 *
 * Race: (1) a reader looks at the `retryable` rows of a stream: none. (2) The adapter fails the
 * stream's row 1: `delivering` becomes `retryable` with a pause. (3) The reader looks at the
 * `delivering` rows: none. It now believes that row 2 is the oldest and sends it before row 1. With
 * both questions in one statement row 1 is seen in one of its two states. A locking read would not
 * do: it walks the index on `status` while rows move in it and may miss one in the same way.
 * Tests: "a row that moves … is never passed over" (outbox-races).
 *
 * The same holds for a row that becomes `failed` where that blocks, hence the third question: seen as
 * `delivering` it keeps the stream busy, seen as `failed` it keeps it waiting. By its key it reads one
 * row, however many have failed.
 */
import type { BlockingDestinations } from '../../ports/outbox-store.ts';
import { streamColumns, streamKey, streamOf, unfinishedRowOf } from './outbox-rows.ts';
import type { Stream, UnfinishedRow } from './outbox-rows.ts';
import type { MysqlSession } from './session.ts';

/** Streams in one statement; each adds two or three SELECTs to its text. */
const streamsPerStatement = 40;

const oneStream =
  `(SELECT ${streamColumns} FROM room_outbox FORCE INDEX (by_stream) ` +
  'WHERE app_code = ? AND room_id = ? AND destination = ? ' +
  "AND status IN ('delivering', 'retryable')) UNION ALL " +
  `(SELECT ${streamColumns} FROM room_outbox FORCE INDEX (by_stream) ` +
  "WHERE app_code = ? AND room_id = ? AND destination = ? AND status = 'pending' " +
  'ORDER BY id LIMIT ?)';

const oldestFailed =
  ` UNION ALL (SELECT ${streamColumns} FROM room_outbox FORCE INDEX (by_stream) ` +
  "WHERE app_code = ? AND room_id = ? AND destination = ? AND status = 'failed' " +
  'ORDER BY id LIMIT 1)';

/**
 * All `delivering` and `retryable` rows and the `pendingLimit` oldest `pending` rows of each stream,
 * by `streamKey`, and the oldest `failed` row of those whose destination blocks. Streams without such
 * rows have an empty list.
 */
export async function readStreams(
  session: MysqlSession,
  streams: readonly Stream[],
  pendingLimit: number,
  blocking: BlockingDestinations,
): Promise<Map<string, UnfinishedRow[]>> {
  const byStream = new Map<string, UnfinishedRow[]>();
  for (const stream of streams) byStream.set(streamKey(stream), []);
  for (let at = 0; at < streams.length; at += streamsPerStatement) {
    const chunk = streams.slice(at, at + streamsPerStatement);
    const isBlocking = ({ destination }: Stream): boolean => blocking.includes(destination);
    const sql = chunk
      .map((stream) => (isBlocking(stream) ? oneStream + oldestFailed : oneStream))
      .join(' UNION ALL ');
    const values = chunk.flatMap((stream) => {
      const key = [stream.appCode, stream.roomId, stream.destination];
      return [...key, ...key, pendingLimit, ...(isBlocking(stream) ? key : [])];
    });
    for (const row of await session.rows(sql, values)) {
      byStream.get(streamKey(streamOf(row)))?.push(unfinishedRowOf(row));
    }
  }
  return byStream;
}
