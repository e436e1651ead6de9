/**
 * Gathers heartbeats of one partition for a moment and sends them as one record, so that a room full
 * of users costs the topic a few records a second. Those that say they publish have a fold of their
 * own, which says so for all of them in a header: a cell of an older release takes it for any other.
 * The reply names who is not present, and whose mic session is over; everybody else is told "fine",
 * with the time at which the room heard it. A heartbeat leaves no record, so an unknown outcome is
 * simply tried again.
 */
import { createDeferred } from '../kernel/deferred.ts';
import type { Deferred } from '../kernel/deferred.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { CancelTimer, Timers } from '../ports/timers.ts';
import { heartbeatKey, partitionOf } from '../protocol/partition.ts';
import type { HeartbeatItem, HeartbeatReply } from '../protocol/records.ts';
import { headerNames } from '../protocol/topics.ts';
import { refused, repliedOrThrow } from './command-result.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayLimits } from './limits.ts';
import type { ParsedHeartbeat } from './parse-command.ts';
import { notProduced, refusal } from './refusals.ts';

/** See the file header. */
export interface HeartbeatFolder {
  /**
   * Resolves with the time at which the room heard it, in milliseconds, when the user is present and
   * the mic session, if one is named, holds the user's seat. Throws USER_NOT_PRESENT,
   * MIC_SESSION_STALE and the like otherwise.
   */
  beat(heartbeat: ParsedHeartbeat, timeoutMs: number): Promise<number>;
  /** Sends everything gathered now. */
  flush(): void;
}

/** One fold that still gathers. */
interface OpenFold {
  readonly partition: number;
  /** Whether all of its clients say that they publish. */
  readonly publishing: boolean;
  readonly items: HeartbeatItem[];
  /** By user and session within the room: two calls of the same kind share one item. */
  readonly waiters: Map<string, Deferred<number>>;
  readonly cancelTimer: CancelTimer;
}

const keyBytes = new TextEncoder().encode(heartbeatKey);

/** `exchange` sends one fold and gets its one reply. */
export function createHeartbeatFolder(
  ports: { readonly timers: Timers; readonly metrics: Metrics },
  parts: {
    readonly exchange: Exchange;
    readonly limits: GatewayLimits;
    readonly partitionCount: number;
  },
): HeartbeatFolder {
  const { timers, metrics } = ports;
  const { exchange, limits, partitionCount } = parts;
  /** By partition and by what they say. */
  const open = new Map<string, OpenFold>();
  let waiting = 0;

  const send = (key: string, fold: OpenFold): void => {
    if (open.get(key) !== fold) return;
    open.delete(key);
    fold.cancelTimer();
    metrics.count('gateway_heartbeat_folds_total');
    void sendFold(exchange, limits, fold);
  };

  const foldOf = (key: string, partition: number, publishing: boolean): OpenFold => {
    const existing = open.get(key);
    if (existing !== undefined) return existing;
    const cancelTimer = timers.after(limits.heartbeatFoldMs, () => send(key, fold));
    const fold = { partition, publishing, items: [], waiters: new Map(), cancelTimer };
    open.set(key, fold);
    return fold;
  };

  return {
    async beat(heartbeat, timeoutMs) {
      if (waiting >= limits.heartbeatWaitersMax) {
        throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: limits.busyRetryMs });
      }
      const partition = partitionOf(heartbeat.roomKey, partitionCount);
      const { publishing } = heartbeat;
      const key = `${partition}/${publishing}`;
      const fold = foldOf(key, partition, publishing);
      const answer = join(fold, heartbeat);
      // The items bound the record's size; a full fold does not wait for its timer.
      if (fold.items.length >= limits.heartbeatFoldItemsMax) send(key, fold);
      waiting += 1;
      try {
        return await within(timers, answer, timeoutMs);
      } finally {
        waiting -= 1;
      }
    },
    flush() {
      for (const [key, fold] of [...open]) send(key, fold);
    },
  };
}

/**
 * Puts the heartbeat into the fold, once. One of a mic session and one of presence alone are two
 * items, for they may end differently.
 */
function join(fold: OpenFold, heartbeat: ParsedHeartbeat): Promise<number> {
  const { appCode, roomId, roomKey, actorUserId, micSessionId } = heartbeat;
  const waiterKey = `${roomKey}\0${actorUserId}\0${micSessionId}`;
  const existing = fold.waiters.get(waiterKey);
  if (existing !== undefined) return existing.promise;
  const waiter = createDeferred<number>();
  // A waiter whose callers all gave up still gets an answer; without this it would be unhandled.
  waiter.promise.catch(() => undefined);
  fold.waiters.set(waiterKey, waiter);
  fold.items.push({ appCode, roomId, userId: actorUserId, micSessionId });
  return waiter.promise;
}

/** Settles every waiter; never throws. */
async function sendFold(exchange: Exchange, limits: GatewayLimits, fold: OpenFold): Promise<void> {
  const waiters = [...fold.waiters.values()];
  try {
    const end = await exchange({
      partition: fold.partition,
      key: keyBytes,
      record: { kind: 'heartbeats', items: fold.items },
      ttlMs: null,
      timeoutMs: limits.maxDeadlineMs,
      headers: fold.publishing ? { [headerNames.micPublishing]: '1' } : {},
    });
    const reply = repliedOrThrow(end, limits);
    if (reply.kind === 'refusal') throw refused(reply);
    if (reply.kind !== 'heartbeats') throw refusal('OUTCOME_UNKNOWN', { produced: 'yes' });
    settle(waiters, fold.items, reply);
  } catch (failure) {
    // The whole fold failed: everybody in it hears the same.
    for (const waiter of waiters) waiter.reject(failure as Error);
  }
}

/** Items and waiters were pushed together, so one index names both. */
function settle(
  waiters: readonly Deferred<number>[],
  items: readonly HeartbeatItem[],
  reply: HeartbeatReply,
): void {
  for (const index of reply.notPresent) {
    const item = items[index];
    if (item === undefined) continue;
    waiters[index]?.reject(refusal('USER_NOT_PRESENT', { user_id: item.userId }));
  }
  for (const index of reply.notActive) {
    waiters[index]?.reject(refusal('ROOM_CLOSED', { room_status: 'not_active' }));
  }
  for (const index of reply.micStale) {
    const micSessionId = items[index]?.micSessionId ?? '';
    waiters[index]?.reject(refusal('MIC_SESSION_STALE', { mic_session_id: micSessionId }));
  }
  for (const waiter of waiters) waiter.resolve(reply.heardAtMs);
}

/** The answer, or OUTCOME_UNKNOWN after `timeoutMs`; the fold itself waits on for the others. */
function within(timers: Timers, answer: Promise<number>, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(refusal('OUTCOME_UNKNOWN', { produced: 'unknown' }));
    const cancelTimer = timers.after(timeoutMs, giveUp);
    answer.then(resolve, reject).finally(cancelTimer);
  });
}
