/**
 * Gathers heartbeats of one partition for a moment and sends them as one record, so that a room full
 * of users costs the topic a few records a second. The reply names who is not present; everybody
 * else is told "fine". A heartbeat leaves no record, so an unknown outcome is simply tried again.
 */
import { createDeferred } from '../kernel/deferred.ts';
import type { Deferred } from '../kernel/deferred.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { CancelTimer, Timers } from '../ports/timers.ts';
import { heartbeatKey, partitionOf } from '../protocol/partition.ts';
import type { HeartbeatItem, HeartbeatReply } from '../protocol/records.ts';
import { refused, repliedOrThrow } from './command-result.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayLimits } from './limits.ts';
import type { ParsedPlace } from './parse-command.ts';
import { notProduced, refusal } from './refusals.ts';

/** See the file header. */
export interface HeartbeatFolder {
  /** Resolves when the user is present; throws USER_NOT_PRESENT and the like otherwise. */
  beat(place: ParsedPlace, timeoutMs: number): Promise<void>;
  /** Sends everything gathered now. */
  flush(): void;
}

/** One fold that still gathers. */
interface OpenFold {
  readonly items: HeartbeatItem[];
  /** By user within the room: two calls of one user share one item. */
  readonly waiters: Map<string, Deferred<void>>;
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
  const open = new Map<number, OpenFold>();
  let waiting = 0;

  const send = (partition: number): void => {
    const fold = open.get(partition);
    if (fold === undefined) return;
    open.delete(partition);
    fold.cancelTimer();
    metrics.count('gateway_heartbeat_folds_total');
    void sendFold(exchange, limits, partition, fold);
  };

  const foldOf = (partition: number): OpenFold => {
    const existing = open.get(partition);
    if (existing !== undefined) return existing;
    const cancelTimer = timers.after(limits.heartbeatFoldMs, () => send(partition));
    const fold: OpenFold = { items: [], waiters: new Map(), cancelTimer };
    open.set(partition, fold);
    return fold;
  };

  return {
    async beat(place, timeoutMs) {
      if (waiting >= limits.heartbeatWaitersMax) {
        throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: limits.busyRetryMs });
      }
      const partition = partitionOf(place.roomKey, partitionCount);
      const answer = join(foldOf(partition), place);
      // The items bound the record's size; a full fold does not wait for its timer.
      if ((open.get(partition)?.items.length ?? 0) >= limits.heartbeatFoldItemsMax) send(partition);
      waiting += 1;
      try {
        await within(timers, answer, timeoutMs);
      } finally {
        waiting -= 1;
      }
    },
    flush() {
      for (const partition of [...open.keys()]) send(partition);
    },
  };
}

/** Puts the user into the fold, once. */
function join(fold: OpenFold, place: ParsedPlace): Promise<void> {
  const { appCode, roomId, roomKey, actorUserId } = place;
  const waiterKey = `${roomKey}\0${actorUserId}`;
  const existing = fold.waiters.get(waiterKey);
  if (existing !== undefined) return existing.promise;
  const waiter = createDeferred<void>();
  // A waiter whose callers all gave up still gets an answer; without this it would be unhandled.
  waiter.promise.catch(() => undefined);
  fold.waiters.set(waiterKey, waiter);
  fold.items.push({ appCode, roomId, userId: actorUserId });
  return waiter.promise;
}

/** Settles every waiter; never throws. */
async function sendFold(
  exchange: Exchange,
  limits: GatewayLimits,
  partition: number,
  fold: OpenFold,
): Promise<void> {
  const waiters = [...fold.waiters.values()];
  try {
    const end = await exchange({
      partition,
      key: keyBytes,
      record: { kind: 'heartbeats', items: fold.items },
      ttlMs: null,
      timeoutMs: limits.maxDeadlineMs,
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
  waiters: readonly Deferred<void>[],
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
  for (const waiter of waiters) waiter.resolve();
}

/** The answer, or OUTCOME_UNKNOWN after `timeoutMs`; the fold itself waits on for the others. */
function within(timers: Timers, answer: Promise<void>, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(refusal('OUTCOME_UNKNOWN', { produced: 'unknown' }));
    const cancelTimer = timers.after(timeoutMs, giveUp);
    answer.then(resolve, reject).finally(cancelTimer);
  });
}
