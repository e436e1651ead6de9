/**
 * The rows of the outbox. INV-19: only the drawn edges happen, the counter of tries lies in the row,
 * never falls and never passes its maximum, and what identifies a row never changes; only an operator
 * lets a failed row begin anew. INV-21: at most one valid claim per row and per (room, destination),
 * begun at the oldest unfinished row, and behind no failed one where that blocks. INV-16: in the end each
 * row is delivered, or failed with a reason.
 *
 * A mark does not say who made it; a stale worker's is seen by what it does to a row that has ended or
 * that its present claim never started, or by the order of arrivals.
 */
import type { OutboxRow } from '../../../src/drivers/memory/memory-rows.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { RowChange } from './world-reading.ts';

/** Of a world that does not say how long a claim's lock is: how far two wall clocks may lie apart. */
const clockSkewMs = 2_000;

const edges: Readonly<Record<OutboxRow['status'], readonly OutboxRow['status'][]>> = {
  pending: ['delivering', 'delivered'],
  delivering: ['delivering', 'delivered', 'retryable', 'failed', 'pending'],
  retryable: ['delivering', 'delivered'],
  delivered: [],
  failed: [],
  published: [],
};
const identity = [
  'eventId',
  'appCode',
  'roomId',
  'roomVersion',
  'eventIndex',
  'eventType',
  'destination',
  'shard',
] as const;

/** Makes it; see the file header. */
export const outboxRows: CheckerFactory = (world, report) => new OutboxRows(world, report);

class OutboxRows implements Checker {
  readonly invariants = ['INV-16', 'INV-19', 'INV-21'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly changes: Cursor<RowChange<bigint, OutboxRow>>;
  /** How often a row had been started when its present claim was taken. */
  private readonly startsBefore = new Map<bigint, number>();
  private nowMs = 0;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.changes = new Cursor(readingOf(world).outbox);
  }

  observe(observation: Observation): void {
    this.nowMs = observation.atMs;
    this.look();
  }

  atEnd(): void {
    this.look();
    for (const row of this.world.database.outbox.values()) {
      if (row.status === 'delivered' || (row.status === 'failed' && row.lastError !== '')) continue;
      const claim =
        row.status === 'delivering'
          ? `, claimed by ${row.workerId} until ${row.lockUntilMs} ms`
          : `, ${row.retryCount} tries, next at ${row.nextRetryAtMs} ms, last error "${row.lastError}"`;
      this.fault(
        'INV-16',
        row,
        `${named(row)} is ${row.status} at the end (${this.nowMs} ms)${claim}`,
      );
    }
  }

  private look(): void {
    for (const { before, after } of this.changes.fresh()) {
      if (after === undefined) continue;
      if (before === undefined) this.checkNew(after);
      else this.checkEdge(before, after);
      const isClaim = after.status === 'delivering' && before?.claimToken !== after.claimToken;
      if (!isClaim) continue;
      this.startsBefore.set(after.rowId, after.startedCount);
      this.checkClaim(before, after);
    }
  }

  private checkNew(row: OutboxRow): void {
    if (row.status === 'pending' && row.retryCount === 0) return;
    this.fault('INV-19', row, `${named(row)} began as ${row.status} with ${row.retryCount} tries`);
  }

  private checkEdge(before: OutboxRow, after: OutboxRow): void {
    const isSentAgain = this.isSentAgain(before, after);
    if (!isSentAgain && !edges[before.status].includes(after.status)) {
      this.fault('INV-19', after, `${named(after)} went from ${before.status} to ${after.status}`);
    }
    for (const field of identity) {
      if (before[field] === after[field]) continue;
      this.fault('INV-19', after, `${named(before)} changed its ${field} to ${after[field]}`);
    }
    if (isSentAgain) return this.checkAnew(after);
    this.checkMark(before, after);
    const tries = after.retryCount - before.retryCount;
    const mayCount = after.status === 'retryable' || after.status === 'failed';
    if (tries < 0 || tries > (mayCount ? 1 : 0)) {
      this.fault(
        'INV-19',
        after,
        `${named(after)} went from ${before.status} to ${after.status} and from ${before.retryCount} to ${after.retryCount} tries`,
      );
    }
    const max = this.world.maxRetryCount ?? Infinity;
    const isOver = after.retryCount > max || (mayCount && tries > 0 && after.retryCount >= max);
    if (isOver && after.status !== 'failed') {
      this.fault(
        'INV-19',
        after,
        `${named(after)} is ${after.status} after ${after.retryCount} of at most ${max} tries`,
      );
    }
  }

  private isSentAgain(before: OutboxRow, after: OutboxRow): boolean {
    if (before.status !== 'failed' || after.status !== 'pending') return false;
    return this.world.operatorHad?.(after.eventId, after.destination) === true;
  }

  private checkAnew(row: OutboxRow): void {
    if (row.retryCount === 0 && row.startedCount === 0 && row.claimToken === '') return;
    const has = `${row.retryCount} tries, ${row.startedCount} starts and the claim "${row.claimToken}"`;
    this.fault('INV-19', row, `${named(row)} was sent again by an operator and begins with ${has}`);
  }

  /** A failed send is the word of whoever started the row, and the one that ends it is a try. */
  private checkMark(before: OutboxRow, after: OutboxRow): void {
    const isMark = after.status === 'retryable' || after.status === 'failed';
    if (!isMark || before.status !== 'delivering' || isEndedUnsent(after)) return;
    if (before.startedCount <= (this.startsBefore.get(before.rowId) ?? -1)) {
      this.fault(
        'INV-21',
        after,
        `${named(after)} was marked ${after.status} under the claim ${before.claimToken} of ${before.workerId}, which has never started it`,
      );
    }
    if (after.status === 'failed' && after.retryCount === before.retryCount) {
      this.fault(
        'INV-19',
        after,
        `${named(after)} failed without a try being counted: ${after.retryCount} tries before and after`,
      );
    }
  }

  private checkClaim(before: OutboxRow | undefined, after: OutboxRow): void {
    const nowMs = this.claimedAtMs(after);
    if (before !== undefined && isValid(before, nowMs)) {
      this.fault(
        'INV-21',
        after,
        `${named(after)} was claimed by ${after.workerId} (${after.claimToken}) at ${nowMs} ms, and ${before.workerId} holds it (${before.claimToken}) until ${before.lockUntilMs} ms`,
      );
    }
    const { appCode, roomId, destination } = after;
    const stream = `${appCode}\0${roomId}\0${destination}`;
    if (this.world.blocking?.includes(destination) === true) this.checkFailedBefore(after, stream);
    for (const other of this.world.database.outbox.rowsBy('stream', stream)) {
      if (other.claimToken === after.claimToken) continue;
      if (isValid(other, nowMs)) {
        this.fault(
          'INV-21',
          after,
          `${named(after)} was claimed as ${after.claimToken} while ${named(other)} of the same stream is under way as ${other.claimToken} until ${other.lockUntilMs} ms`,
        );
      } else if (other.rowId < after.rowId) {
        this.fault(
          'INV-21',
          after,
          `${named(after)} was claimed past ${named(other)}, which is ${other.status}`,
        );
      }
    }
  }

  private checkFailedBefore(claimed: OutboxRow, stream: string): void {
    for (const failed of this.world.database.outbox.rowsBy('failed', stream)) {
      if (failed.rowId > claimed.rowId) continue;
      this.fault(
        'INV-21',
        claimed,
        `${named(claimed)} was claimed past ${named(failed)}, which has failed and holds back what comes behind it`,
      );
    }
  }

  /** By the clock of whoever claimed, which is the only one that can tell it that a lock has run out. */
  private claimedAtMs({ lockUntilMs }: OutboxRow): number {
    const { claimLockMs } = this.world;
    return claimLockMs === undefined ? this.nowMs + clockSkewMs : lockUntilMs - claimLockMs;
  }

  private fault(invariant: string, { appCode, roomId }: OutboxRow, text: string): void {
    this.report({ invariant, text, room: { appCode, roomId } });
  }
}

function isValid({ status, lockUntilMs }: OutboxRow, nowMs: number): boolean {
  return status === 'delivering' && lockUntilMs > nowMs;
}

/** Given up by a relay: nobody has sent it. */
function isEndedUnsent({ lastError }: OutboxRow): boolean {
  return lastError.startsWith('started ') || lastError.includes('is missing from room_events');
}

function named(row: OutboxRow): string {
  return `outbox row ${row.rowId} (${row.eventType}, version ${row.roomVersion}.${row.eventIndex}, ${row.destination})`;
}
