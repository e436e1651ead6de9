/**
 * When users and mic sessions of one room were last heard of. Soft: never logged, no part of the
 * state, gone with the process (PRES-22). Nobody is stale by a table that is younger than the time
 * allowed for silence: whoever loads a room without its table gives everybody a fresh window.
 */
import type { MicSessionId, UserId } from '../../domain/ids.ts';
import type { HeartbeatFacts } from '../../domain/room/decision.ts';
import type { RoomEvent } from '../../domain/room/events.ts';
import type { RoomState } from '../../domain/room/state.ts';
import type { CellOptions } from '../cell-options.ts';

/** Steps of a stale window by which the time of the next sweep is rounded up. */
const sweepSteps = 4;

/** Silences after which somebody is stale, in ms of live time. */
export type StaleAfter = Pick<CellOptions, 'presenceStaleAfterMs' | 'micHeartbeatStaleAfterMs'>;

/** What the clocks say, and since when the intake has been live; null: it is not. */
export interface LiveNow {
  readonly wallMs: number;
  readonly monoMs: number;
  readonly liveSinceMonoMs: number | null;
}

/** See the file header. */
export class SoftTimes {
  readonly lastSeenMs = new Map<UserId, number>();
  /** A session is here once it has sent a mic heartbeat (decision 27). */
  readonly lastMicHeartbeatMs = new Map<MicSessionId, number>();
  /** No user can be stale before this time: looks at all of them may wait until then. */
  quietUntilMs = 0;
  /** Nothing that was heard since this monotonic time is missing here. */
  readonly sinceMonoMs: number;

  constructor(sinceMonoMs: number) {
    this.sinceMonoMs = sinceMonoMs;
  }

  /** A user gave a sign of life; an older one than the last changes nothing. */
  hear(userId: UserId, atMs: number): void {
    this.lastSeenMs.set(userId, Math.max(this.lastSeenMs.get(userId) ?? 0, atMs));
  }

  /** Follows a committed event: whoever left and what ended is heard of no more. */
  follow(event: RoomEvent, atMs: number): void {
    switch (event.type) {
      case 'RoomUserJoined':
        this.hear(event.userId, atMs);
        return;
      case 'RoomUserLeft':
        this.lastSeenMs.delete(event.userId);
        return;
      case 'RoomUsersStaleLeft':
        for (const userId of event.userIds) this.lastSeenMs.delete(userId);
        return;
      case 'RoomMicDown':
        this.lastMicHeartbeatMs.delete(event.micSessionId);
        return;
      case 'RoomClosed':
        this.lastSeenMs.clear();
        this.lastMicHeartbeatMs.clear();
        return;
      default:
        return;
    }
  }

  /**
   * What the sweeps are told.
   *
   * Race (tests of "a stall of the intake"): time in which nobody could be heard must not count.
   *   1. A user is silent for a while, and a sweep names it.
   *   2. Kafka, MySQL or this process stands still; the user's heartbeats wait or are never sent.
   *   3. The sweep is decided, or a new look is taken, before the heartbeats are read.
   * Closed by asking, here, at the time of deciding, since when the intake has been live without a
   * break: until that is as long as the silence allowed, the time before which one is stale is 0.
   */
  facts(now: LiveNow, options: StaleAfter): HeartbeatFacts {
    const { lastSeenMs, lastMicHeartbeatMs } = this;
    const staleBefore = (staleAfterMs: number): number => {
      if (now.liveSinceMonoMs === null) return 0;
      const liveMs = now.monoMs - Math.max(now.liveSinceMonoMs, this.sinceMonoMs);
      return liveMs < staleAfterMs ? 0 : now.wallMs - staleAfterMs;
    };
    return {
      staleBeforeMs: staleBefore(options.presenceStaleAfterMs),
      lastSeenMs,
      micStaleBeforeMs: staleBefore(options.micHeartbeatStaleAfterMs),
      lastMicHeartbeatMs,
    };
  }
}

/**
 * When somebody has to look for stale users of a room that is not in memory: null while only robots
 * are there. Rounded up, so that a busy room's row does not move in its index with every command.
 */
export function nextSweepMs(state: RoomState, presenceStaleAfterMs: number): number | null {
  let hasPeople = false;
  for (const { isRobot } of state.users.values()) {
    hasPeople = !isRobot;
    if (hasPeople) break;
  }
  if (!hasPeople) return null;
  const stepMs = Math.max(Math.ceil(presenceStaleAfterMs / sweepSteps), 1);
  return Math.ceil((state.lastEventAtMs + presenceStaleAfterMs) / stepMs) * stepMs;
}
