/**
 * Whose heartbeats ceased. The owner node asks these to find candidates, and the two sweep commands
 * ask them again when they are decided, so that both mean the same.
 */
import type { MicSessionId, UserId } from '../ids.ts';
import type { HeartbeatFacts } from '../room/decision.ts';
import type { PresentUser } from '../room/state.ts';

/** Whether a present user was last seen too long ago. Robots send no heartbeats and never are. */
export function isStale(user: PresentUser | undefined, heartbeats: HeartbeatFacts): boolean {
  if (user === undefined || user.isRobot) return false;
  return lastSeenMsOf(user, heartbeats.lastSeenMs) < heartbeats.staleBeforeMs;
}

/** A join is a sign of life like a heartbeat. */
export function lastSeenMsOf(user: PresentUser, lastSeenMs: ReadonlyMap<UserId, number>): number {
  return Math.max(lastSeenMs.get(user.userId) ?? 0, user.joinedAtMs);
}

/** Whether a session that used to send mic heartbeats sends none any more (decision 27). */
export function isMicStale(micSessionId: MicSessionId, heartbeats: HeartbeatFacts): boolean {
  const lastMs = heartbeats.lastMicHeartbeatMs.get(micSessionId);
  return lastMs !== undefined && lastMs < heartbeats.micStaleBeforeMs;
}
