/**
 * The password rule of JoinRoom (PWD-2, decision 23). The password was compared by the gateway, which
 * is slow on purpose; what arrives is its verdict for one version of the password.
 *
 * Race: the password changes while a join is on its way.
 *   1. The gateway compares the given password with the hash of version 1: match.
 *   2. The owner sets a new password; the room is at password version 2.
 *   3. The join arrives. Its verdict is about a password that no longer opens the room.
 * Line [A] closes it for every verdict, `none_given` too: a gateway that saw an open room had
 * nothing to compare a given password with, and a final no would be wrong. The id stays free and
 * the gateway asks again. Test: "a verdict for an older password is stale, whatever it says".
 */
import type { JoinRoom } from '../presence/presence-commands.ts';
import { roleOf } from '../roles/role-of.ts';
import type { RoomCommand } from '../room/commands.ts';
import type { DecideFacts, Rejected, RetryLater } from '../room/decision.ts';
import { factStale, rejected } from '../room/outcomes.ts';
import type { RoomState } from '../room/state.ts';
import { attemptsWithin } from './password-attempts.ts';

/** The refusal of a join by the password, or null when it opens the room or none is needed. */
export function refuseByPassword(
  body: JoinRoom,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Rejected | RetryLater | null {
  if (state.passwordHash === '' || isExempt(body, command, state)) return null;
  const { passwordVersion, verdict } = body.password;
  if (passwordVersion !== state.passwordVersion) {
    return factStale({ password_version: String(state.passwordVersion) }); // [A]
  }
  // Before the verdict: once the limit is reached the right password opens nothing either, or the
  // limit would only slow down whoever is guessing.
  const blocked = refuseTooMany(command, facts, state);
  if (blocked !== null) return blocked;
  if (verdict === 'match') return null;
  const refusal = rejected('WRONG_PASSWORD', { verdict });
  if (verdict === 'none_given') return refusal;
  return { ...refusal, followUp: { type: 'NotePasswordAttempt', userId: command.actorUserId } };
}

/** Owner and admins, and robots of a service (its role is checked before). */
function isExempt(body: JoinRoom, command: RoomCommand, state: RoomState): boolean {
  return body.isRobot || roleOf(state, command.actorUserId) !== 'member';
}

function refuseTooMany(
  command: RoomCommand,
  { nowMs, times }: DecideFacts,
  state: RoomState,
): Rejected | null {
  const window = attemptsWithin(state, command.actorUserId, nowMs, times.passwordAttemptWindowMs);
  if (window === null || window.attempts < times.passwordAttemptsPerWindow) return null;
  const untilMs = window.windowStartedAtMs + times.passwordAttemptWindowMs;
  return rejected('TOO_MANY_PASSWORD_ATTEMPTS', { until_ms: String(untilMs) });
}
