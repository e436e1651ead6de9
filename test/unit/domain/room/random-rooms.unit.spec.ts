/**
 * Random command sequences against one room. After every command: all invariants hold, an applied
 * command steps the version by one and everything else changes nothing, a replay of the events from
 * the start gives an equal state (TST-18, INV-8), counts are sizes (INV-29).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Charge } from '../../../../src/domain/gift/charge.ts';
import type { UserId } from '../../../../src/domain/ids.ts';
import { findSeatByUser } from '../../../../src/domain/mic/seats.ts';
import type { ActorRole, CommandBody } from '../../../../src/domain/room/commands.ts';
import { dueCommands, nextDeadline } from '../../../../src/domain/room/deadlines.ts';
import { decide } from '../../../../src/domain/room/decide.ts';
import type {
  Applied,
  Decision,
  DecideFacts,
  EventPosition,
} from '../../../../src/domain/room/decision.ts';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import { nextEventPosition } from '../../../../src/domain/room/event-position.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import { evolveCommand } from '../../../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import { checkGiftSums, checkRoomInvariants } from '../../../../src/domain/room/invariants.ts';
import { plan } from '../../../../src/domain/room/plan.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import { commandOf, publishTimeoutMs } from '../../../support/decider-spec.ts';
import {
  charged,
  closeRoom,
  confirm,
  createRoom,
  expire,
  joinRoom,
  leaveRoom,
  micDown,
  micUp,
  sendGift,
  verdict,
} from '../../../support/command-builders.ts';
import { app, asUser, profileOf, room, session } from '../../../support/room-builders.ts';

/** Commands that depend on the room: the timers that are due, or one's own session confirmed. */
type Situation = 'what is due' | 'own session';

/** One step of a run: who, in what role, what, and how much later than the step before. */
interface Step {
  readonly by: UserId;
  readonly role: ActorRole;
  readonly body: CommandBody | Situation;
  /** What the wallet says, if it is asked. */
  readonly charge: Charge;
  readonly laterMs: number;
}

const anyUser = fc.constantFrom('owner', 'u1', 'u2', 'u3').map(asUser);
const anyRole = fc.oneof(
  { weight: 12, arbitrary: fc.constant<ActorRole>('user') },
  { weight: 3, arbitrary: fc.constantFrom<ActorRole>('service', 'operator', 'system') },
);
const anySeatNo = fc.integer({ min: 0, max: 4 });
/** Sessions are numbered by the step that opens them: mostly old ones, sometimes the right one. */
const anySession = fc.integer({ min: 0, max: 40 }).map(session);
const anyJoin = fc
  .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('match', 'mismatch'), fc.nat(3), fc.nat(3))
  .map(([nickname, word, stale, robot]) =>
    joinRoom(profileOf(nickname), {
      isRobot: robot === 0,
      ...verdict(word, stale === 0 ? 0n : 1n),
    }),
  );

/** Mostly people who are there, sometimes nobody, the same one twice, or no gift at all. */
const anyGift = fc
  .tuple(fc.array(anyUser, { maxLength: 3 }), fc.integer({ min: 0, max: 3 }))
  .map(([targets, giftCount]) => sendGift(targets, { giftCount }));
/** Small prices make ties in the rank; one near the end of 63 bits is refused the second time. */
const anyCharge: fc.Arbitrary<Charge> = fc.oneof(
  { weight: 12, arbitrary: fc.bigInt({ min: 1n, max: 3n }).map((price) => charged(price)) },
  { weight: 1, arbitrary: fc.constant(charged(2n ** 62n)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Charge>(
      { kind: 'insufficient' },
      { kind: 'notOffered' },
      { kind: 'notCharged', cause: 'timed out' },
    ),
  },
);

const anyBody: fc.Arbitrary<CommandBody | Situation> = fc.oneof(
  { weight: 24, arbitrary: anyJoin },
  { weight: 24, arbitrary: anySeatNo.map(micUp) },
  { weight: 5, arbitrary: fc.constant(leaveRoom) },
  { weight: 8, arbitrary: fc.constant(micDown()) },
  { weight: 4, arbitrary: anyUser.map((userId) => micDown({ userId })) },
  { weight: 3, arbitrary: anySession.map((micSessionId) => micDown({ micSessionId })) },
  { weight: 4, arbitrary: anySession.map(confirm) },
  { weight: 12, arbitrary: fc.constant<Situation>('own session') },
  { weight: 3, arbitrary: anySession.map((stale) => expire(1, stale, publishTimeoutMs)) },
  { weight: 6, arbitrary: fc.constant<Situation>('what is due') },
  { weight: 20, arbitrary: anyGift },
  { weight: 1, arbitrary: fc.constant(closeRoom()) },
  { weight: 1, arbitrary: fc.constant(createRoom()) },
);
const anyStep: fc.Arbitrary<Step> = fc.record({
  by: anyUser,
  role: anyRole,
  body: anyBody,
  charge: anyCharge,
  laterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
});
const anyRun = fc.record({
  mode: fc.constantFrom('free', 'free', 'free', 'apply'),
  passwordHash: fc.constantFrom('', '', '', 'scrypt$x'),
  steps: fc.array(anyStep, { minLength: 10, maxLength: 60, size: 'max' }),
  /** How often the owner closes at the end; most closings in the middle would waste the run. */
  closings: fc.nat({ max: 2 }),
});

/** A run so far: the state, and the log that recovery would read. */
interface Run {
  state: RoomState;
  nowMs: number;
  decisions: number;
  online: number;
  /** Coins of all gifts as an observer of the events alone would add them up. */
  coins: bigint;
  readonly log: { readonly events: readonly RoomEvent[]; readonly position: EventPosition }[];
}

interface Taken {
  readonly body: CommandBody;
  readonly charge: Charge;
  readonly by: UserId;
  readonly role: ActorRole;
}

function commandsOf({ body, by, role, charge }: Step, run: Run): readonly Taken[] {
  if (body === 'what is due') {
    return dueCommands(run.state, run.nowMs).map((due) => ({
      body: due,
      by,
      role: 'system',
      charge,
    }));
  }
  if (body !== 'own session') {
    // Timers come from the room itself; now and then somebody else tries it.
    const isTimer = body.type === 'ExpireMicPublish' && role === 'user';
    return [{ body, by, role: isTimer ? 'system' : role, charge }];
  }
  const held = findSeatByUser(run.state.seats, by);
  if (held === null) return [];
  return [{ body: confirm(held.occupancy.micSessionId), by, role, charge }];
}

function take(run: Run, step: Taken): void {
  run.decisions += 1;
  const command = commandOf(step.body, step);
  const isPaid = plan(command, run.state).kind === 'debit';
  const facts: DecideFacts = {
    nowMs: run.nowMs,
    micSessionId: session(run.decisions),
    micPublishTimeoutMs: publishTimeoutMs,
    limits: { usersPerRoomMax: 3, eventsPerCommandMax: 5, giftRankMax: 20 },
    charge: isPaid ? step.charge : null,
  };
  const decision = decide(command, facts, run.state);
  seenKinds.add(`${step.body.type} ${decision.kind}`);
  if (step.body.type === 'SendGift') checkPayment(isPaid, decision, step.charge);
  if (decision.kind !== 'applied') return;
  const position = nextEventPosition(run.state, run.nowMs);
  const before = run.state;
  run.state = evolveCommand(before, decision.events, position);
  run.log.push({ events: decision.events, position });
  run.online = decision.events.reduce(countedOnline, run.online);
  for (const event of decision.events) {
    if (event.type === 'RoomGiftSent') run.coins += event.coins;
  }
  expect(run.state.version).toBe(before.version + 1n);
  checkAnswer(decision, run.state);
}

/** No gift without a charge, and no refusal by the room of a gift that `plan` let through. */
function checkPayment(isPaid: boolean, decision: Decision, charge: Charge): void {
  if (decision.kind === 'applied') {
    expect(isPaid && charge.kind).toBe('charged');
  } else if (isPaid) {
    const words = ['INSUFFICIENT_BALANCE', 'GIFT_NOT_OFFERED', 'GIFT_NOT_CHARGED'];
    expect(decision.kind === 'rejected' && words.includes(decision.reason)).toBe(true);
  }
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
    if (event.type === 'RoomMicDown') expect(event.onMicMs).toBeGreaterThanOrEqual(0);
    if (event.type === 'RoomClosed') expect(event.finalOnlineCount).toBeGreaterThanOrEqual(0);
  }
}

function checkRoom(run: Run): void {
  expect(checkRoomInvariants(run.state) ?? checkGiftSums(run.state)).toBeNull();
  expect(run.state.heat).toBe(run.coins);
  expect(run.state.users.size).toBe(new Set([...run.state.users.entries()].map(([id]) => id)).size);
  expect(run.state.users.size).toBe(run.online);
  const next = nextDeadline(run.state);
  const due = dueCommands(run.state, Number.MAX_SAFE_INTEGER);
  expect(due[0]).toEqual(next?.command);
  if (run.state.status === 'closed') expect(next).toBeNull();
}

/** The online count as an observer of the events alone would keep it. */
function countedOnline(before: number, event: RoomEvent): number {
  if (event.type === 'RoomUserJoined') return before + 1;
  if (event.type === 'RoomUserLeft') return before - 1;
  if (event.type !== 'RoomClosed') return before;
  expect(event.finalOnlineCount).toBe(before);
  return 0;
}

const seenKinds = new Set<string>();

it('any sequence of commands keeps the room whole and replays to an equal state', () => {
  fc.assert(
    fc.property(anyRun, ({ mode, passwordHash, steps, closings }) => {
      const state = initialRoomState(app, room);
      const run: Run = { state, nowMs: 1_000_000, decisions: 0, online: 0, coins: 0n, log: [] };
      const body = createRoom({ mode, passwordHash });
      const owner = { by: asUser('owner'), role: 'user', charge: charged(1n) } as const;
      take(run, { ...owner, body });
      const closing: Step = { ...owner, body: closeRoom(), laterMs: 1 };
      const ending = Array.from({ length: closings }, () => closing);
      for (const step of [...steps, ...ending]) {
        run.nowMs += step.laterMs;
        for (const command of commandsOf(step, run)) take(run, command);
        if (step.body === 'what is due') expect(dueCommands(run.state, run.nowMs)).toEqual([]);
        checkRoom(run);
      }
      let replayed = initialRoomState(app, room);
      for (const { events, position } of run.log) {
        replayed = evolveCommand(replayed, events, position);
      }
      expect(replayed).toEqual(run.state);
      expect([...replayed.users.entries()]).toEqual([...run.state.users.entries()]);
    }),
    { numRuns: 150 },
  );
  // Wide, because a busy machine runs this many times slower than an idle one.
}, 60_000);

it('the sequences reach every command in its applied and in its other ends', () => {
  const mustSee = [
    'CreateRoom rejected',
    ...['applied', 'noEffect', 'rejected', 'retry'].map((kind) => `JoinRoom ${kind}`),
    ...['applied', 'noEffect', 'rejected'].flatMap((kind) =>
      ['LeaveRoom', 'MicUp', 'ConfirmMicPublishing', 'CloseRoom', 'ExpireMicPublish'].map(
        (type) => `${type} ${kind}`,
      ),
    ),
    'SendGift applied',
    'SendGift rejected',
    'MicDown applied',
    'MicDown rejected',
  ];
  expect(mustSee.filter((kind) => !seenKinds.has(kind))).toEqual([]);
});
