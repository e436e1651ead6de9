/**
 * Taking a partition over: one autocommit UPDATE that raises the epoch, and what to do when somebody
 * holds the row. Nothing here waits for a clock or for Redis: the UPDATE is the fence.
 */
import { Failure } from '../../kernel/failure.ts';
import { writerLockName } from '../../protocol/lock-name.ts';
import type { TakeoverRequest } from '../../ports/partition-store.ts';
import { endHolder } from './lane-session.ts';
import { toMysqlError } from './mysql-errors.ts';
import type { MysqlSession, Row } from './session.ts';

/** Where the takeover happens and how long it may try. */
export interface TakeoverPlace {
  readonly topic: string;
  readonly database: string;
  /**
   * How long a held row is waited for. Longer than the writers' `wait_timeout`, which frees the row
   * where the holder may not be killed.
   */
  readonly heldRowMs: number;
}

/** What the UPDATE itself told. */
export interface RaisedEpoch {
  readonly epoch: bigint;
  readonly wasReleased: boolean;
}

/**
 * Raises the epoch on `session`, whose lock wait is the shortest there is. Throws MysqlError, or a
 * Retry failure when the row stayed held.
 *
 * Scenario 1: the committed owner is frozen in mid-transaction and holds the row. Our UPDATE ends in
 * a lock wait time-out; the row did not change meanwhile, so whoever holds it held it all the time:
 * the owner's lane is ended by its name lock, once, and the UPDATE runs again. Test: "a frozen
 * transaction is taken over by KILL …".
 * Scenario 2: a healthy owner commits batch after batch and we were merely unlucky: the row changed
 * while we waited, so nobody is ended and we try again. Test: "an owner that commits just when the
 * wait runs out is not ended".
 * Scenario 3: two nodes that both believe to be the next owner: each ends a lane at most once, so
 * they cannot end each other's lanes in turns.
 */
export async function raiseEpoch(
  session: MysqlSession,
  place: TakeoverPlace,
  request: TakeoverRequest,
): Promise<RaisedEpoch> {
  const giveUpAt = performance.now() + place.heldRowMs;
  let mayEndHolder = true;
  let before = await readOwnerColumns(session, place.topic, request.partition);
  for (;;) {
    const raised = await tryRaise(session, place.topic, request);
    if (raised !== 'held') return raised;
    const now = await readOwnerColumns(session, place.topic, request.partition);
    const stoodStill = sameRow(before, now);
    before = now;
    if (now !== null && stoodStill && mayEndHolder) {
      mayEndHolder = false;
      const holder = writerLockName(
        place.database,
        String(now['incarnation']),
        Number(now['lane']),
      );
      await endHolder(session, holder);
    }
    if (performance.now() > giveUpAt) throw stillHeld(request.partition, place.heldRowMs);
  }
}

async function tryRaise(
  session: MysqlSession,
  topic: string,
  request: TakeoverRequest,
): Promise<RaisedEpoch | 'held'> {
  try {
    const raised = await update(session, topic, request);
    if (raised !== null) return raised;
    await session.run(insertFirstRow, [topic, request.partition, Date.now()]);
    // Whoever inserted the row, ours or another node's: it is there now.
    return (await update(session, topic, request)) ?? 'held';
  } catch (thrown) {
    const error = toMysqlError(thrown);
    if (error.sort === 'lockWait' || error.sort === 'deadlock') return 'held';
    throw error;
  }
}

/**
 * The new epoch and the old release mark travel in LAST_INSERT_ID as `epoch * 2 + released`, so that
 * both are exactly what this UPDATE saw: a read before or after it could belong to another takeover.
 * The assignments run left to right: `released` and `taken_at_offset` are read before they are set.
 * A release leaves the count of stalled takeovers as it is: it says nothing about a record.
 */
async function update(
  session: MysqlSession,
  topic: string,
  request: TakeoverRequest,
): Promise<RaisedEpoch | null> {
  const answer = await session.run(
    'UPDATE partition_owner SET epoch = LAST_INSERT_ID((epoch + 1) * 2 + released) DIV 2, ' +
      'stalled_takeovers = ' +
      'IF(applied_offset = taken_at_offset, stalled_takeovers + 1 - released, 0), ' +
      'taken_at_offset = applied_offset, ' +
      'owner_node_id = ?, incarnation = ?, lane = ?, advertise_addr = ?, commit_seq = 0, ' +
      'released = 0, updated_at_ms = ? WHERE topic = ? AND partition_id = ?',
    [
      request.nodeId,
      request.incarnation,
      request.lane,
      request.advertiseAddr,
      Date.now(),
      topic,
      request.partition,
    ],
  );
  if (answer.affected === 0) return null;
  return { epoch: answer.insertId / 2n, wasReleased: answer.insertId % 2n === 1n };
}

/** Epoch 0 owns nothing: the first takeover makes 1. Nobody to wait for, hence released. */
const insertFirstRow =
  'INSERT INTO partition_owner (topic, partition_id, epoch, owner_node_id, incarnation, lane, ' +
  "advertise_addr, applied_offset, commit_seq, released, updated_at_ms) VALUES (?, ?, 0, '', '', " +
  "0, '', -1, 0, 1, ?) ON DUPLICATE KEY UPDATE partition_id = VALUES(partition_id)";

async function readOwnerColumns(
  session: MysqlSession,
  topic: string,
  partition: number,
): Promise<Row | null> {
  const rows = await session.rows(
    'SELECT epoch, incarnation, lane, commit_seq FROM partition_owner ' +
      'WHERE topic = ? AND partition_id = ?',
    [topic, partition],
  );
  return rows[0] ?? null;
}

function sameRow(a: Row | null, b: Row | null): boolean {
  return a?.['epoch'] === b?.['epoch'] && a?.['commit_seq'] === b?.['commit_seq'];
}

function stillHeld(partition: number, heldRowMs: number): Failure {
  const message =
    `The owner row of partition ${partition} was held by another transaction for ${heldRowMs} ms ` +
    'and its holder could not be ended.';
  return new Failure('retry', 'UNAVAILABLE', message, { retryAfterMs: 1_000 });
}
