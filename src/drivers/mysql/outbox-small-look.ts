/**
 * Looks at everything that is unfinished, while that is little: one statement in place of a count of what is
 * under way, a page of candidates of each shard and a look at each of their streams. Being one statement it
 * is one read view, so that what it says of a stream is what `outbox-streams.ts` would say.
 *
 * Where more has gathered than it reads it says nothing, and is not asked for a while: it would cost each
 * round of those in which there is most to do.
 *
 * Tests: "everything that is unfinished is seen at once …" (mysql-outbox contract), outbox-races.
 */
import type { ClaimRequest } from '../../ports/outbox-store.ts';
import { assert } from '../../kernel/assert.ts';
import type { WholeStream } from './outbox-looks.ts';
import {
  streamColumns,
  streamKey,
  streamOf,
  unfinishedRowOf,
  unfinishedStatuses,
} from './outbox-rows.ts';
import type { Stream, UnfinishedRow } from './outbox-rows.ts';
import type { MysqlSession } from './session.ts';

/** Rows that it reads at most, unless its maker says otherwise; as many are too many. */
export const smallLookRows = 500;
/** Claims that pass without it, once there was too much. */
const restClaims = 16;

/** See the file header. One per store: it remembers that there was too much. */
export class SmallLook {
  private readonly rowsMax: number;
  private claimsToRest = 0;

  /** With 0 rows it never says anything. */
  constructor(rowsMax: number) {
    this.rowsMax = rowsMax;
  }

  /** Streams with unfinished rows for the request's destinations, the oldest row first; null: too many. */
  async streams(
    session: MysqlSession,
    request: ClaimRequest,
  ): Promise<readonly WholeStream[] | null> {
    if (this.claimsToRest > 0) {
      this.claimsToRest -= 1;
      return null;
    }
    const rows = await session.rows(
      `SELECT ${streamColumns} FROM room_outbox FORCE INDEX (by_shard) ` +
        'WHERE shard IN (?) AND status IN (?) LIMIT ?',
      [[...request.shards], [...unfinishedStatuses], this.rowsMax],
    );
    if (rows.length >= this.rowsMax) {
      this.claimsToRest = restClaims;
      return null;
    }
    const wanted = new Set<string>(request.destinations);
    const streams = new Map<string, { readonly stream: Stream; whole: UnfinishedRow[] }>();
    for (const row of rows) {
      const stream = streamOf(row);
      if (!wanted.has(stream.destination)) continue;
      const key = streamKey(stream);
      const seen = streams.get(key) ?? { stream, whole: [] };
      seen.whole.push(unfinishedRowOf(row));
      streams.set(key, seen);
    }
    return [...streams.values()]
      .map(({ stream, whole }) => {
        whole.sort(byId);
        return { stream, whole, pending: whole.filter(({ status }) => status === 'pending') };
      })
      .sort((one, other) => byId(oldest(one), oldest(other)));
  }
}

function oldest({ whole }: WholeStream): UnfinishedRow {
  const [first] = whole;
  assert(first !== undefined, 'a stream that was seen has a row');
  return first;
}

function byId(one: UnfinishedRow, other: UnfinishedRow): number {
  return one.id < other.id ? -1 : 1;
}
