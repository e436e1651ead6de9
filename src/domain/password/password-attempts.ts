/**
 * Wrong passwords, counted per user in windows of time (PWD-2, decision 23). The count is part of the
 * room's state, so that a failover gives nobody new attempts.
 */
import type { UserId } from '../ids.ts';
import type { DecideFacts, Decision } from '../room/decision.ts';
import { withOnePlace } from '../room/full-table.ts';
import { applied, noEffect } from '../room/outcomes.ts';
import type { NotePasswordAttempt } from '../room/room-commands.ts';
import type { RoomPasswordAttemptFailed } from '../room/room-events.ts';
import { passwordAttemptsMax } from '../room/room-limits.ts';
import type { PasswordAttempts, RoomState } from '../room/state.ts';

/** The user's attempts in the window that is still open at `nowMs`, or null. */
export function attemptsWithin(
  state: RoomState,
  userId: UserId,
  nowMs: number,
  windowMs: number,
): PasswordAttempts | null {
  const attempts = state.passwordAttempts.get(userId);
  if (attempts === undefined) return null;
  return nowMs < attempts.windowStartedAtMs + windowMs ? attempts : null;
}

/** Decides NotePasswordAttempt for an active room; a password that was cleared meanwhile ends it. */
export function decideNotePasswordAttempt(
  body: NotePasswordAttempt,
  { nowMs, times }: DecideFacts,
  state: RoomState,
): Decision {
  if (state.passwordHash === '') return noEffect();
  const open = attemptsWithin(state, body.userId, nowMs, times.passwordAttemptWindowMs);
  const failed: RoomPasswordAttemptFailed = {
    type: 'RoomPasswordAttemptFailed',
    userId: body.userId,
    attempts: (open?.attempts ?? 0) + 1,
    windowStartedAtMs: open?.windowStartedAtMs ?? nowMs,
  };
  return applied([failed]);
}

/** RoomPasswordAttemptFailed: the count stands as the event says. */
export function evolvePasswordAttemptFailed(
  state: RoomState,
  event: RoomPasswordAttemptFailed,
): RoomState {
  const { userId, attempts, windowStartedAtMs } = event;
  const others = state.passwordAttempts.has(userId)
    ? state.passwordAttempts
    : withOnePlace(state.passwordAttempts, passwordAttemptsMax, comparedByAge);
  return {
    ...state,
    passwordAttempts: others.set(userId, { userId, attempts, windowStartedAtMs }),
  };
}

/** The oldest window first; of equal ones the lower user id. */
function comparedByAge(left: PasswordAttempts, right: PasswordAttempts): number {
  if (left.windowStartedAtMs !== right.windowStartedAtMs) {
    return left.windowStartedAtMs - right.windowStartedAtMs;
  }
  return left.userId < right.userId ? -1 : 1;
}
