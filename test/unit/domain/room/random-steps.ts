/**
 * Random steps of a run: who asks for what, in what role, and how much later. What depends on the
 * room as it then is (the session on a seat, the version of the password, the time) is put in by
 * `commandsOf` when the step is taken, so that a step is plain data that shrinks and prints well.
 */
import fc from 'fast-check';
import type { Charge } from '../../../../src/domain/gift/charge.ts';
import type { MicSessionId, UserId } from '../../../../src/domain/ids.ts';
import { findSeatByNumber, findSeatByUser } from '../../../../src/domain/mic/seats.ts';
import type { ActorRole, CommandBody } from '../../../../src/domain/room/commands.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import * as build from '../../../support/command-builders.ts';
import { asUser, profileOf, session } from '../../../support/room-builders.ts';

/** One step of a run. */
export interface Step {
  readonly by: UserId;
  readonly role: ActorRole;
  /** `what is due`: every timer of the room whose time has come. */
  readonly body: CommandBody | 'what is due';
  /** What the wallet says, if it is asked. */
  readonly charge: Charge;
  /** Whether everybody sent a heartbeat just now, or nobody ever did. */
  readonly heard: boolean;
  readonly laterMs: number;
}

/** A command as a run takes it. */
export type Taken = Omit<Step, 'body' | 'laterMs'> & { readonly body: CommandBody };

/** In the place of a session: the one that the seat or the actor holds when the step is taken. */
const heldSession = '' as MicSessionId;

const anyUser = fc.constantFrom('owner', 'u1', 'u2', 'u3').map(asUser);
/** Who acts: the owner more often, as much is the owner's alone. */
const anyActor = fc
  .constantFrom('owner', 'owner', 'owner', 'u1', 'u1', 'u2', 'u2', 'u3')
  .map(asUser);
const anyRole = fc.oneof(
  { weight: 12, arbitrary: fc.constant<ActorRole>('user') },
  { weight: 3, arbitrary: fc.constantFrom<ActorRole>('service', 'operator', 'system', 'rtc') },
);
const anySeatNo = fc.integer({ min: 0, max: 4 });
/** Sessions are numbered by the decision that opens them: mostly the right one, else an old one. */
const anySession = fc.oneof(
  { weight: 2, arbitrary: fc.constant(heldSession) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }).map(session) },
);
/** Version 0 stands for the one before the room's own, 1 for the room's own. */
const anyJoin = fc
  .tuple(
    fc.constantFrom('a', 'b'),
    fc.constantFrom('match', 'match', 'mismatch', 'none_given'),
    fc.nat(5),
    fc.nat(9),
    fc.nat(19),
  )
  .map(([nickname, word, stale, robot, banned]) =>
    build.joinRoom(profileOf(nickname), {
      isRobot: robot === 0,
      isPlatformBanned: banned === 0,
      ...build.verdict(word, stale === 0 ? 0n : 1n),
    }),
  );
/** Mostly people who are there, sometimes nobody, the same one twice, or no gift at all. */
const anyGift = fc
  .tuple(fc.array(anyUser, { maxLength: 3 }), fc.integer({ min: 0, max: 3 }))
  .map(([targets, giftCount]) => build.sendGift(targets, { giftCount }));
/** An end is counted from now; some are over already. */
const anyKick = fc
  .record({
    userId: anyUser,
    reason: fc.constantFrom('a', 'b'),
    expiresAtMs: fc.oneof(fc.constant(0), fc.integer({ min: -1_000, max: 12_000 })),
  })
  .map(({ userId, ...fields }) => build.kickUser(userId, fields));
/** A time is counted from now; 0 is a callback without a time. */
const anyRtcEvent = fc
  .tuple(
    fc.constantFrom('audio_started', 'audio_started', 'audio_stopped', 'room_exited'),
    fc.oneof(fc.constant(0), fc.integer({ min: -6_000, max: 6_000 })),
  )
  .map(([kind, eventTimeMs]) => build.rtcEvent(kind, eventTimeMs));

const mic: readonly fc.WeightedArbitrary<CommandBody>[] = [
  { weight: 50, arbitrary: fc.oneof(fc.constant(0), anySeatNo).map(build.micUp) },
  { weight: 4, arbitrary: fc.constant(build.micDown()) },
  { weight: 4, arbitrary: anyUser.map((userId) => build.micDown({ userId })) },
  { weight: 3, arbitrary: anySession.map((micSessionId) => build.micDown({ micSessionId })) },
  { weight: 14, arbitrary: anySeatNo.map(build.changeSeat) },
  { weight: 16, arbitrary: anySession.map(build.confirm) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(anySeatNo, fc.constantFrom(true, false, false))
      .map(([n, on]) => build.lockSeat(n, on)),
  },
  {
    weight: 10,
    arbitrary: fc.tuple(anySeatNo, fc.boolean()).map(([n, on]) => build.muteSeat(n, on)),
  },
  { weight: 12, arbitrary: fc.tuple(anyUser, anySeatNo).map(([u, n]) => build.inviteToMic(u, n)) },
  { weight: 14, arbitrary: fc.oneof(fc.constant(0), anySeatNo).map(build.applyForMic) },
  {
    weight: 26,
    arbitrary: fc
      .tuple(fc.constantFrom('accepted', 'declined'), fc.oneof(fc.constant(''), anyUser))
      .map(([answer, userId]) => build.answerMic(answer, userId)),
  },
  { weight: 20, arbitrary: anyRtcEvent },
];
const people: readonly fc.WeightedArbitrary<CommandBody>[] = [
  { weight: 40, arbitrary: anyJoin },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('a', 'b', 'c')
      .map((name) => ({ type: 'UpdateUser', profile: profileOf(name) }) as const),
  },
  { weight: 4, arbitrary: fc.constant(build.leaveRoom) },
  { weight: 8, arbitrary: anyKick },
  { weight: 8, arbitrary: anyUser.map((userId) => ({ type: 'UnbanUser', userId }) as const) },
  { weight: 4, arbitrary: anyUser.map((userId) => build.evictUser(userId)) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(anyUser, fc.boolean())
      .map(([userId, isAdmin]) => ({ type: 'SetAdmin', userId, isAdmin }) as const),
  },
  { weight: 4, arbitrary: anyUser.map((userId) => ({ type: 'TransferOwner', userId }) as const) },
  { weight: 14, arbitrary: anyGift },
];
const choices: readonly fc.WeightedArbitrary<CommandBody>[] = [
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(-1, 2, 3, 3, 4, 4, 6)
      .map((n) => ({ type: 'SetSeatCount', seatCount: n })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('', 'h1')
      .map((hash) => ({ type: 'SetRoomPassword', passwordHash: hash })),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom('free', 'apply').map((mode) => ({ type: 'SetRoomMode', mode })),
  },
  {
    weight: 3,
    arbitrary: fc
      .bigInt({ min: 1n, max: 2n })
      .map((id) => ({ type: 'SetVisibleRegion', visibleRegionId: id })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('title', 'announcement', 'ext'), fc.constantFrom('', 'x'))
      .map(([part, text]) => build.updateRoomProfile({ [part]: text })),
  },
  { weight: 1, arbitrary: fc.constant(build.createRoom()) },
  { weight: 1, arbitrary: fc.constant(build.closeRoom()) },
  { weight: 1, arbitrary: fc.constant(build.deleteRoom()) },
];
/** Timers out of turn: named too early, twice, or about what is over. */
const timers: readonly fc.WeightedArbitrary<CommandBody>[] = [
  {
    weight: 3,
    arbitrary: fc.tuple(anySeatNo, anySession).map(([n, id]) => build.expire(n, id, 1)),
  },
  {
    weight: 26,
    arbitrary: fc.tuple(anySeatNo, anySession).map(([n, id]) => build.expireHeartbeat(n, id)),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'ExpireMicRequests' }) },
  { weight: 8, arbitrary: fc.array(anyUser, { maxLength: 4 }).map((ids) => build.sweep(...ids)) },
  { weight: 3, arbitrary: fc.constant({ type: 'ExpireBans' }) },
  { weight: 3, arbitrary: fc.constant({ type: 'FinishClosing' }) },
  {
    weight: 3,
    arbitrary: fc
      .bigInt({ min: 1n, max: 4n })
      .map((roundNo) => ({ type: 'LaunchRocket', roundNo })),
  },
  { weight: 3, arbitrary: anyUser.map((userId) => ({ type: 'NotePasswordAttempt', userId })) },
];
const anyBody: fc.Arbitrary<Step['body']> = fc.oneof(...mic, ...people, ...choices, ...timers, {
  weight: 16,
  arbitrary: fc.constant<Step['body']>('what is due'),
});
/** Small prices make ties in the rank; one near the end of 63 bits is refused the second time. */
const anyCharge: fc.Arbitrary<Charge> = fc.oneof(
  { weight: 12, arbitrary: fc.bigInt({ min: 1n, max: 3n }).map((price) => build.charged(price)) },
  { weight: 1, arbitrary: fc.constant(build.charged(2n ** 62n)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Charge>(
      { kind: 'insufficient' },
      { kind: 'notOffered' },
      { kind: 'notCharged', cause: 'timed out' },
    ),
  },
);

/** Any step. */
export const anyStep: fc.Arbitrary<Step> = fc.record({
  by: anyActor,
  role: anyRole,
  body: anyBody,
  charge: anyCharge,
  heard: fc.constantFrom(true, true, true, false),
  laterMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.nat({ max: 2_000 }) },
    { weight: 1, arbitrary: fc.nat({ max: 20_000 }) },
  ),
});

/** The command of a step on the room as it is; what is due is asked of the room and not of this. */
export function commandOfStep(step: Step & Taken, state: RoomState, nowMs: number): Taken {
  const { by, body } = step;
  return { ...step, role: roleFor(step.role, body), body: completed(body, by, state, nowMs) };
}

/** Timers come from the room itself, RTC events from RTC; now and then somebody else tries it. */
function roleFor(role: ActorRole, { type }: CommandBody): ActorRole {
  if (role !== 'user') return role;
  if (type === 'ApplyRtcEvent') return 'rtc';
  if (type === 'EvictUser') return 'operator';
  const isTimer = /^(Expire|Sweep|Finish|Note|Launch)/.test(type);
  return isTimer ? 'system' : role;
}

function completed(body: CommandBody, by: UserId, state: RoomState, nowMs: number): CommandBody {
  switch (body.type) {
    case 'JoinRoom': {
      const passwordVersion = state.passwordVersion - 1n + body.password.passwordVersion;
      return { ...body, password: { ...body.password, passwordVersion } };
    }
    case 'KickUser':
      return { ...body, expiresAtMs: body.expiresAtMs === 0 ? 0 : nowMs + body.expiresAtMs };
    case 'ApplyRtcEvent':
      return { ...body, eventTimeMs: body.eventTimeMs === 0 ? 0 : nowMs + body.eventTimeMs };
    case 'ConfirmMicPublishing': {
      const held = findSeatByUser(state.seats, by)?.occupancy.micSessionId;
      return body.micSessionId === heldSession
        ? { ...body, micSessionId: held ?? session(0) }
        : body;
    }
    case 'ExpireMicHeartbeat': {
      const held = findSeatByNumber(state.seats, body.seatNo)?.occupancy?.micSessionId;
      return body.micSessionId === heldSession
        ? { ...body, micSessionId: held ?? session(0) }
        : body;
    }
    case 'AnswerMicRequest':
      return body.userId === '' ? { ...body, userId: state.micRequests[0]?.userId ?? '' } : body;
    case 'UnbanUser':
      return { ...body, userId: [...state.bans.values()][0]?.userId ?? body.userId };
    default:
      return body;
  }
}
