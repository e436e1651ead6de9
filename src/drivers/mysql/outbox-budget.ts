/**
 * What a round may claim: what was claimed before it, by whomever, and how much that leaves.
 */
import type { ClaimRequest } from '../../ports/outbox-store.ts';
import type { Destination } from '../../protocol/topics.ts';
import type { SeenStream, WholeStream } from './outbox-looks.ts';
import { isUnderWay } from './outbox-plan.ts';
import { streamKey, streamOf } from './outbox-rows.ts';
import type { Stream } from './outbox-rows.ts';
import type { Row, Statement } from './session.ts';

/** What may still be claimed in this round. */
export interface Budget {
  left: number;
  readonly perDestination: Map<Destination, number>;
}

/** What was claimed before this round, by whomever. */
export interface UnderWay {
  readonly budget: Budget;
  /**
   * Streams of which a run was claimed, by `streamKey`. Planning would say so too, but with a look
   * at each: where rows have gathered, that is nearly all of what a round would read.
   */
  readonly underWay: ReadonlySet<string>;
  /** Those of them whose claims have all run out, the oldest row first. */
  readonly expired: readonly SeenStream[];
}

/**
 * Counts what is under way, whoever claimed it. Expired rows do not count: claiming them again adds
 * none. Two relays that count at the same time may pass the cap by one batch. A stream whose run ends
 * right after is met by the next round, for which its adapter's hint asks.
 */
export function underWayStatement(request: ClaimRequest): Statement {
  return {
    sql:
      'SELECT app_code, room_id, destination, SUM(lock_until_ms > ?) AS under_way ' +
      'FROM room_outbox FORCE INDEX (by_shard) ' +
      "WHERE shard IN (?) AND status = 'delivering' " +
      'GROUP BY app_code, room_id, destination ORDER BY MIN(id)',
    values: [request.nowMs, [...request.shards]],
  };
}

/** What the rows of that statement say. */
export function underWayOf(rows: readonly Row[], request: ClaimRequest): UnderWay {
  const budget = wholeBudget(request);
  const underWay = new Set<string>();
  const expired: SeenStream[] = [];
  for (const row of rows) {
    const stream = streamOf(row);
    underWay.add(streamKey(stream));
    if (!budget.perDestination.has(stream.destination)) continue;
    const count = Number(row['under_way']);
    if (count === 0) expired.push({ stream, pending: [] });
    occupy(budget, stream, count);
  }
  return { budget, underWay, expired };
}

/** The budget of a round that sees every unfinished row. */
export function budgetBeside(streams: readonly WholeStream[], request: ClaimRequest): Budget {
  const budget = wholeBudget(request);
  for (const { stream, whole } of streams) {
    occupy(budget, stream, whole.filter((row) => isUnderWay(row, request.nowMs)).length);
  }
  return budget;
}

/** What a round may claim where nothing is under way. */
function wholeBudget({ batchSize, destinations, unconfirmedMax }: ClaimRequest): Budget {
  const perDestination = new Map(destinations.map((name) => [name, unconfirmedMax]));
  return { left: batchSize, perDestination };
}

/** Rows that may be claimed for the stream's destination. */
export function roomFor(stream: Stream, budget: Budget): number {
  return Math.min(budget.left, budget.perDestination.get(stream.destination) ?? 0);
}

/** Takes rows of the stream's destination from the budget. */
export function spend(budget: Budget, stream: Stream, rows: number): void {
  budget.left -= rows;
  occupy(budget, stream, rows);
}

function occupy(budget: Budget, stream: Stream, rows: number): void {
  const left = budget.perDestination.get(stream.destination) ?? 0;
  budget.perDestination.set(stream.destination, left - rows);
}
