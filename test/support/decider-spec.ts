/**
 * given(events).when(command).then…: how every rule of the decider is written down as a test.
 *
 * `given` replays a history, one command per argument, one second apart from `startMs`. `when`
 * decides a command one second after the last event (or at a time the test names) and each `then…`
 * compares the whole decision. Whatever is applied is evolved at once: the room must step by exactly
 * one version and keep every invariant, in every test, without the test saying so.
 */
import { expect } from 'vitest';
import { temporaryBansOf } from '../../src/domain/bans/ban-table.ts';
import type { Charge } from '../../src/domain/gift/charge.ts';
import type { MicSessionId, UserId } from '../../src/domain/ids.ts';
import type { ActorRole, CommandBody, RoomCommand } from '../../src/domain/room/commands.ts';
import { decide } from '../../src/domain/room/decide.ts';
import type {
  DecideFacts,
  Decision,
  HeartbeatFacts,
  ResultFields,
  RoomLimits,
  RoomTimes,
} from '../../src/domain/room/decision.ts';
import { nextEventPosition } from '../../src/domain/room/event-position.ts';
import type { RoomEvent } from '../../src/domain/room/events.ts';
import { evolveCommand } from '../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../src/domain/room/initial-state.ts';
import { checkGiftSums, checkRoomInvariants } from '../../src/domain/room/invariants.ts';
import type { NotePasswordAttempt } from '../../src/domain/room/room-commands.ts';
import type { RocketRules } from '../../src/domain/rocket/rocket-rules.ts';
import type { RoomState } from '../../src/domain/room/state.ts';
import type { RejectReason, RetryReason } from '../../src/domain/reasons.ts';
import { alice, app, asCommandId, room, session } from './room-builders.ts';

/** Time of the first event of a history. */
export const startMs = 1_000_000;
/** Time between two commands of a history, and from the last one to `when`. */
export const stepMs = 1_000;
/** The publish window that `when` hands to decide. */
export const publishTimeoutMs = 15_000;

const roomyLimits: RoomLimits = {
  usersPerRoomMax: 100,
  eventsPerCommandMax: 50,
  giftRankMax: 20,
};

/** The room's durations and counts as `when` hands them to decide. */
export const usualTimes: RoomTimes = {
  micPublishTimeoutMs: publishTimeoutMs,
  micRequestTimeoutMs: 60_000,
  closeGraceMs: 0,
  rtcClockSkewMs: 2_000,
  passwordAttemptsPerWindow: 3,
  passwordAttemptWindowMs: 600_000,
};

const noHeartbeats: HeartbeatFacts = {
  staleBeforeMs: 0,
  lastSeenMs: new Map(),
  micStaleBeforeMs: 0,
  lastMicHeartbeatMs: new Map(),
};

/** What a test may say about a command beside its body. */
export interface WhenOptions {
  /** The actor; alice by default. */
  readonly by?: UserId;
  readonly role?: ActorRole;
  /** Absolute time of the decision. */
  readonly atMs?: number;
  readonly micSessionId?: MicSessionId;
  readonly limits?: Partial<RoomLimits>;
  readonly times?: Partial<RoomTimes>;
  readonly heartbeats?: Partial<HeartbeatFacts>;
  /** How the payment ended; none by default. */
  readonly charge?: Charge;
  /** The rules of the app's rocket; none by default. */
  readonly rocketRules?: RocketRules | null;
  readonly robotGiftsCount?: boolean;
}

/** A room that `given` has made, at the time of its last event. */
export class GivenRoom {
  readonly state: RoomState;
  private readonly decisions: number;

  constructor(state: RoomState, decisions: number) {
    this.state = state;
    this.decisions = decisions;
  }

  /** The default time of the next decision. */
  get nextMs(): number {
    return this.state.version === 0n ? startMs : this.state.lastEventAtMs + stepMs;
  }

  when(body: CommandBody, options: WhenOptions = {}): Outcome {
    const micSessionId = options.micSessionId ?? session(this.decisions + 1);
    const facts = factsAt(options.atMs ?? this.nextMs, { ...options, micSessionId });
    const decision = decide(commandOf(body, options), facts, this.state);
    return new Outcome(this.state, decision, facts, this.decisions + 1);
  }

  /** Goes on with the room after `body`, which must have been applied. */
  after(body: CommandBody, options: WhenOptions = {}): GivenRoom {
    return this.when(body, options).room();
  }
}

/** The decision and what it makes of the room. */
export class Outcome {
  readonly decision: Decision;
  /** The room afterwards; the room before when nothing was applied. */
  readonly state: RoomState;
  private readonly decisions: number;

  constructor(before: RoomState, decision: Decision, facts: DecideFacts, decisions: number) {
    this.decision = decision;
    this.decisions = decisions;
    this.state = before;
    if (decision.kind !== 'applied') return;
    const position = nextEventPosition(before, facts.nowMs);
    this.state = evolveCommand(before, decision.events, position);
    expect(this.state.version).toBe(before.version + 1n);
    expectWhole(this.state);
  }

  /** Applied with exactly these events; the result is compared when it is given. */
  thenApplied(events: readonly RoomEvent[], result?: ResultFields, forceSnapshot = false): this {
    expect(this.decision).toEqual({
      kind: 'applied',
      events,
      result: result ?? expect.any(Object),
      forceSnapshot,
    });
    return this;
  }

  thenNoEffect(result: ResultFields = {}): this {
    expect(this.decision).toEqual({ kind: 'noEffect', result });
    return this;
  }

  /** Rejected with this reason and exactly these facts; the room remembers nothing of it by default. */
  thenRejected(
    reason: RejectReason,
    facts: Readonly<Record<string, string>> = {},
    followUp: NotePasswordAttempt | null = null,
  ): this {
    expect(this.decision).toEqual({ kind: 'rejected', reason, facts, followUp });
    return this;
  }

  thenRetry(reason: RetryReason, facts: Readonly<Record<string, string>> = {}): this {
    expect(this.decision).toEqual({
      kind: 'retry',
      reason,
      facts,
      retryAfterMs: expect.any(Number),
    });
    return this;
  }

  /** Goes on with the room; the command must have been applied. */
  room(): GivenRoom {
    expect(this.decision).toMatchObject({ kind: 'applied' });
    return new GivenRoom(this.state, this.decisions);
  }
}

/** A room with this history: one command per argument. Without arguments it is absent. */
export function given(...history: readonly (RoomEvent | readonly RoomEvent[])[]): GivenRoom {
  let state = initialRoomState(app, room);
  for (const [index, entry] of history.entries()) {
    const events: readonly RoomEvent[] = 'type' in entry ? [entry] : entry;
    const position = nextEventPosition(state, startMs + index * stepMs);
    state = evolveCommand(state, events, position);
  }
  expectWhole(state);
  return new GivenRoom(state, history.length);
}

/** Every invariant, those too that are too dear for production. */
export function expectWhole(state: RoomState): void {
  expect(checkRoomInvariants(state) ?? checkGiftSums(state)).toBeNull();
  expect(state.temporaryBans).toEqual(temporaryBansOf(state.bans));
}

/** What decide gets beside command and state, at `nowMs`; what the options leave out is as usual. */
export function factsAt(nowMs: number, options: WhenOptions = {}): DecideFacts {
  return {
    nowMs,
    micSessionId: options.micSessionId ?? session(1),
    times: { ...usualTimes, ...options.times },
    heartbeats: { ...noHeartbeats, ...options.heartbeats },
    limits: { ...roomyLimits, ...options.limits },
    charge: options.charge ?? null,
    rocketRules: options.rocketRules ?? null,
    robotGiftsCount: options.robotGiftsCount ?? false,
  };
}

/** Time of the n-th command of a history, counted from 1 as versions are. */
export function timeOf(version: number): number {
  return startMs + (version - 1) * stepMs;
}

/** A complete command around `body`. */
export function commandOf(body: CommandBody, options: WhenOptions = {}): RoomCommand {
  return {
    appCode: app,
    roomId: room,
    commandId: asCommandId('command-1'),
    actorUserId: options.by ?? alice,
    actorRole: options.role ?? 'user',
    body,
  };
}
