/**
 * What a round may claim: what was claimed before it, by whomever, and how much that leaves.
 */
import type { ClaimRequest } from '../../ports/outbox-store.ts';
import type { Destination } from '../../protocol/topics.ts';
import type { SeenStream } from './outbox-looks.ts';
import { isUnderWay } from './outbox-plan.ts';
import { streamKey, streamOf } from './outbox-rows.ts';
import type { Stream } from './outbox-rows.ts';
import type { WholeStream } from './outbox-small-look.ts';
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
  const perDestination = new Map(
    request.destinations.map((name) => [name, request.unconfirmedMax]),
  );
  const underWay = new Set<string>();
  const expired: SeenStream[] = [];
  for (const row of rows) {
    const stream = streamOf(row);
    underWay.add(streamKey(stream));
    const left = perDestination.get(stream.destination);
    if (left === undefined) continue;
    const count = Number(row['under_way']);
    if (count === 0) expired.push({ stream, pending: [] });
    perDestination.set(stream.destination, left - count);
  }
  return { budget: { left: request.batchSize, perDestination }, underWay, expired };
}

/** The budget of a round that sees every unfinished row. */
export function budgetBeside(streams: readonly WholeStream[], request: ClaimRequest): Budget {
  const budget = { left: request.batchSize, perDestination: new Map<Destination, number>() };
  for (const name of request.destinations) budget.perDestination.set(name, request.unconfirmedMax);
  for (const { stream, rows } of streams) {
    const count = rows.filter((row) => isUnderWay(row, request.nowMs)).length;
    const left = budget.perDestination.get(stream.destination) ?? 0;
    budget.perDestination.set(stream.destination, left - count);
  }
  return budget;
}

/** Rows that may be claimed for the stream's destination. */
export function roomFor(stream: Stream, budget: Budget): number {
  return Math.min(budget.left, budget.perDestination.get(stream.destination) ?? 0);
}

/** Takes rows of the stream's destination from the budget. */
export function spend(budget: Budget, stream: Stream, rows: number): void {
  budget.left -= rows;
  const left = budget.perDestination.get(stream.destination) ?? 0;
  budget.perDestination.set(stream.destination, left - rows);
}
