/**
 * A run of random steps against one room, with what an observer of the events alone would count, and
 * the log that recovery would read. Every command is checked when it is taken.
 */
import { expect } from 'vitest';
import { temporaryBansOf } from '../../../../src/domain/bans/ban-table.ts';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import { nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { decide } from '../../../../src/domain/room/decide.ts';
import type {
  Applied,
  Decision,
  DecideFacts,
  EventPosition,
} from '../../../../src/domain/room/decision.ts';
import { nextEventPosition } from '../../../../src/domain/room/event-position.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import { evolveCommand } from '../../../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import { checkGiftSums, checkRoomInvariants } from '../../../../src/domain/room/invariants.ts';
import { guardAfter } from '../../../../src/domain/presence/guard-after.ts';
import { guardUser } from '../../../../src/domain/presence/guard-user.ts';
import type { UserId } from '../../../../src/domain/ids.ts';
import { plan } from '../../../../src/domain/room/plan.ts';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import { assert } from '../../../../src/kernel/assert.ts';
import { rocketRules } from '../../../support/rocket-builders.ts';
import { commandOf, factsAt } from '../../../support/decider-spec.ts';
import { app, room, session } from '../../../support/room-builders.ts';
import type { Step, Taken } from './random-steps.ts';
import { commandOfStep } from './random-steps.ts';

/** Tables so small that runs fill them. */
const limits = { usersPerRoomMax: 3, eventsPerCommandMax: 5, giftRankMax: 20 };
const staleAfterMs = 15_000;
const roundRules = rocketRules([3n, 5n], { countdownMs: 2_000 });
const dayRules = rocketRules([4n], { rulesVersion: 2n, reset: 'day', overflow: 'cap' });

/** One step of the log, and the state it made. */
interface LoggedStep {
  readonly events: readonly RoomEvent[];
  readonly position: EventPosition;
  readonly state: RoomState;
}

/** A run so far. */
export interface Run {
  state: RoomState;
  nowMs: number;
  decisions: number;
  online: number;
  /** Coins of all gifts. */
  coins: bigint;
  readonly closeGraceMs: number;
  readonly log: LoggedStep[];
  /** Every command with its end, such as `MicUp applied`, and how often it came. */
  readonly seen: Map<string, number>;
}

/** A run of a room that does not exist yet. */
export function newRun(closeGraceMs: number, seen: Map<string, number>): Run {
  const state = initialRoomState(app, room);
  return {
    state,
    nowMs: 1_000_000,
    decisions: 0,
    online: 0,
    coins: 0n,
    closeGraceMs,
    log: [],
    seen,
  };
}

/** Takes one step with all that follows from it, and looks at the room afterwards. */
export function takeStep(run: Run, step: Step): void {
  run.nowMs += step.laterMs;
  if (step.body === 'what is due') takeWhatIsDue(run, step);
  else take(run, commandOfStep({ ...step, body: step.body }, run.state, run.nowMs));
  const fault = faultOf(run);
  // Asked only when it is there: thousands of expectations of nothing would be most of the work.
  if (fault !== null) expect(fault).toBeNull();
}

/** What is wrong with the room as it is now, or null. */
function faultOf({ state, online, coins }: Run): string | null {
  const broken = checkRoomInvariants(state) ?? checkGiftSums(state);
  if (broken !== null) return broken;
  const ends = temporaryBansOf(state.bans);
  const isSameList = ends.length === state.temporaryBans.length;
  if (!isSameList || ends.some((ban, place) => ban !== state.temporaryBans[place])) {
    return 'the list of temporary bans is not that of the table';
  }
  if (state.heat !== (state.status === 'deleted' ? 0n : coins))
    return 'heat is not all coins given';
  const robots = [...state.users.values()].filter(({ isRobot }) => isRobot).length;
  if (state.robotCount !== robots) return 'the number of robots is not that of the set (ROBOT-5)';
  if ([...state.users.entries()].length !== state.users.size) return 'a size is not a count';
  if (state.users.size !== online) return 'an observer counts other users (INV-29)';
  const isOver = state.status === 'closed' || state.status === 'deleted';
  return isOver && nextDeadline(state) !== null ? 'a room that has ended still waits' : null;
}

/** A deadline that has come is always met by its command; else an owner node would ask for ever. */
function takeWhatIsDue(run: Run, step: Step): void {
  // Half of the time to the millisecond: at its deadline a command is due already.
  if (step.laterMs === 0) run.nowMs = Math.max(run.nowMs, nextDeadline(run.state)?.atMs ?? 0);
  for (;;) {
    const next = nextDeadline(run.state);
    if (next === null || next.atMs > run.nowMs) return;
    const decision = take(run, { ...step, role: 'system', body: next.command });
    expect(decision.kind, next.command.type).toBe('applied');
  }
}

/** Decides and applies one command. */
export function take(run: Run, taken: Taken): Decision {
  run.decisions += 1;
  const command = commandOf(taken.body, taken);
  const isPaid = plan(command, run.state).kind === 'debit';
  const decision = decide(command, factsOf(run, taken, isPaid), run.state);
  const kind = `${taken.body.type} ${decision.kind}`;
  run.seen.set(kind, (run.seen.get(kind) ?? 0) + 1);
  if (taken.body.type === 'SendGift') checkPayment(isPaid, decision, taken);
  if (decision.kind === 'applied') apply(run, decision);
  if (decision.kind === 'rejected' && decision.followUp !== null) {
    expect(taken.body.type).toBe('JoinRoom');
    take(run, { ...taken, role: 'system', body: decision.followUp });
  }
  checkTimer(taken.body, decision);
  return decision;
}

function factsOf(run: Run, { heard, charge }: Taken, isPaid: boolean): DecideFacts {
  const { users, seats } = run.state;
  const heldSessions = seats.flatMap(({ occupancy }) => occupancy?.micSessionId ?? []);
  const staleBeforeMs = run.nowMs - staleAfterMs;
  const lastMs = heard ? run.nowMs : staleBeforeMs - 1;
  const heartbeats = {
    staleBeforeMs,
    lastSeenMs: new Map(heard ? [...users.values()].map(({ userId }) => [userId, lastMs]) : []),
    micStaleBeforeMs: staleBeforeMs,
    lastMicHeartbeatMs: new Map(heldSessions.map((micSessionId) => [micSessionId, lastMs])),
  };
  const times = { closeGraceMs: run.closeGraceMs, micRequestTimeoutMs: 8_000 };
  const facts = factsAt(run.nowMs, {
    limits,
    times,
    heartbeats,
    micSessionId: session(run.decisions),
  });
  // A day of the rocket is over now and then, and so is a version of its rules.
  const rocketRules = run.decisions % 7 === 0 ? dayRules : roundRules;
  return { ...facts, charge: isPaid ? charge : null, rocketRules };
}

function apply(run: Run, decision: Applied): void {
  const position = nextEventPosition(run.state, run.nowMs);
  const before = run.state;
  run.state = evolveCommand(before, decision.events, position);
  run.log.push({ events: decision.events, position, state: run.state });
  run.online = decision.events.reduce(countedOnline, run.online);
  for (const event of decision.events) {
    if (event.type === 'RoomGiftSent' && !event.isUncounted) run.coins += event.coins;
  }
  assert(run.state.version === before.version + 1n, 'a command steps by one version (INV-5)');
  checkAnswer(decision, run.state);
  for (const { userId } of before.users.values()) checkGuard(run, before, decision.events, userId);
}

/** Who hears events alone learns from them, and from no others, that the guard's yes is over (ROOM-20). */
function checkGuard(
  { state, nowMs }: Run,
  before: RoomState,
  events: readonly RoomEvent[],
  userId: UserId,
): void {
  if (guardUser(before, userId, nowMs) !== null) return;
  const told = guardAfter(events, userId);
  // What the platform thinks of a user is no business of the room: to it the user is just absent.
  const inRoom = told === 'USER_PLATFORM_BANNED' ? 'USER_NOT_PRESENT' : told;
  assert(inRoom === guardUser(state, userId, nowMs), 'the events say otherwise than the guard', {
    told,
  });
}

/** No gift without a charge, and no refusal by the room of a gift that `plan` let through. */
function checkPayment(isPaid: boolean, decision: Decision, { charge }: Taken): void {
  if (decision.kind === 'applied') {
    expect(isPaid && charge.kind).toBe('charged');
  } else if (isPaid) {
    const words = ['INSUFFICIENT_BALANCE', 'GIFT_NOT_OFFERED', 'GIFT_NOT_CHARGED'];
    expect(decision.kind === 'rejected' && words.includes(decision.reason)).toBe(true);
  }
}

/** The room's own timers are never too large for one commit: nobody could ask for less. */
function checkTimer(body: CommandBody, decision: Decision): void {
  const isTimer = /^(Expire|Sweep|Finish|Launch)/.test(body.type);
  if (isTimer && decision.kind === 'rejected') expect(decision.reason).toBe('NOT_ROOM_MANAGER');
}

/** What an applied command answers is what the room now holds. */
function checkAnswer(decision: Applied, state: RoomState): void {
  const { user, micSessionId, publishDeadlineMs, seatNo, roomHeat, giftRank } = decision.result;
  if (roomHeat !== undefined) {
    expect(roomHeat).toBe(state.heat);
    expect(giftRank).toEqual(roomView(state, null, 20).giftRank);
  }
  if (user !== undefined) expect(state.users.get(user.userId)).toEqual(user);
  if (publishDeadlineMs !== undefined) {
    const seat = state.seats.find((candidate) => candidate.seatNo === seatNo);
    expect(seat?.occupancy).toMatchObject({ micSessionId, publishDeadlineMs });
  }
  for (const event of decision.events) {
    if (event.type === 'RoomMicDown') assert(event.onMicMs >= 0, 'a time on the mic is below 0');
  }
}

/** The online count as an observer of the events alone would keep it. */
function countedOnline(before: number, event: RoomEvent): number {
  if (event.type === 'RoomUserJoined') return before + 1;
  if (event.type === 'RoomUserLeft') return before - 1;
  if (event.type === 'RoomUsersStaleLeft') return before - event.userIds.length;
  if (event.type !== 'RoomClosed') return before;
  assert(event.finalOnlineCount === before, 'the final count is not the count', { before });
  return 0;
}
