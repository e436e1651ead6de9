/**
 * Any value of the records: 64-bit numbers over their whole range, times over the safe range, texts
 * of any Unicode. What the domain forbids (two seats with one number) may occur; the codec does not
 * judge it.
 */
import fc from 'fast-check';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { PersistentMap } from '../../../src/kernel/persistent-map.ts';
import { topOfGiftSenders } from '../../../src/domain/gift/gift-rank.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  GiftId,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type {
  GiftSender,
  MicSeat,
  PresentUser,
  RoomState,
} from '../../../src/domain/room/state.ts';
import type {
  CommandTopicRecord,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
} from '../../../src/protocol/records.ts';

const wideId = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,64}$/);
const appCode = wideId.map((id) => id as AppCode);
const roomId = wideId.map((id) => id as RoomId);
const commandId = wideId.map((id) => id as CommandId);
const userId = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/).map((id) => id as UserId);
const giftId = wideId.map((id) => id as GiftId);
const micSessionId = fc.uuid().map((id) => id as MicSessionId);
const version = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map((value) => value as RoomVersion);
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const timeMs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.string({ unit: 'binary', maxLength: 80 });
const tags = fc.array(text, { maxLength: 4 });
const facts = fc
  .array(fc.tuple(text, text), { maxLength: 4 })
  .map((entries): Readonly<Record<string, string>> => Object.fromEntries(entries));
const mode = fc.constantFrom('free' as const, 'apply' as const);
const closer = fc.constantFrom(...(['owner', 'admin', 'operator', 'system'] as const));

const profile = fc.record({ nickname: text, avatarUrl: text, countryCode: text, ext: text });
const look = { title: text, coverUrl: text, backgroundUrl: text, tags, ext: text };
const type = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);

/** Any command body. */
export const anyBody: fc.Arbitrary<CommandBody> = fc.oneof(
  fc.record({
    type: type('CreateRoom'),
    ...look,
    seatCount: int,
    mode,
    visibleRegionId: long,
    passwordHash: text,
  }),
  fc.record({
    type: type('JoinRoom'),
    profile,
    isRobot: fc.boolean(),
    password: fc.record({
      passwordVersion: long,
      verdict: fc.constantFrom(...(['none_given', 'match', 'mismatch'] as const)),
    }),
  }),
  fc.record({ type: type('LeaveRoom') }),
  fc.record({ type: type('MicUp'), seatNo: int }),
  fc.record({
    type: type('MicDown'),
    userId: fc.oneof(type(''), userId),
    micSessionId: fc.oneof(type(''), micSessionId),
  }),
  fc.record({ type: type('ConfirmMicPublishing'), micSessionId }),
  fc.record({ type: type('CloseRoom'), reason: text, note: text }),
  fc.record({
    type: type('SendGift'),
    giftId,
    giftCount: int,
    targetUserIds: fc.array(userId, { maxLength: 4 }),
    comboId: text,
  }),
  fc.record({
    type: type('ExpireMicPublish'),
    seatNo: int,
    micSessionId,
    publishDeadlineMs: timeMs,
  }),
);

/** Any record of the commands topic. */
export const anyCommand: fc.Arbitrary<CommandTopicRecord> = fc.oneof(
  fc.record({
    kind: type('command'),
    appCode,
    roomId,
    commandId,
    actorUserId: userId,
    actorRole: fc.constantFrom(...(['user', 'service', 'operator', 'system'] as const)),
    clientTimeMs: timeMs,
    snapshotMode: fc.constantFrom(...(['none', 'view'] as const)),
    body: anyBody,
  }),
  fc.record({
    kind: type('heartbeats'),
    items: fc.array(fc.record({ appCode, roomId, userId }), { maxLength: 5 }),
  }),
);

/** Any event. */
export const anyEvent: fc.Arbitrary<RoomEvent> = fc.oneof(
  fc.record({
    type: type('RoomCreated'),
    ownerUserId: userId,
    ...look,
    seatCount: int,
    mode,
    visibleRegionId: long,
    passwordHash: text,
  }),
  fc.record({ type: type('RoomUserJoined'), userId, profile, isRobot: fc.boolean() }),
  fc.record({ type: type('RoomUserUpdated'), userId, profile }),
  fc.record({
    type: type('RoomUserLeft'),
    userId,
    reason: fc.constantFrom(...(['left', 'stale', 'kicked', 'closed'] as const)),
  }),
  fc.record({
    type: type('RoomMicUp'),
    userId,
    seatNo: int,
    micSessionId,
    publishDeadlineMs: timeMs,
  }),
  fc.record({
    type: type('RoomMicPublishing'),
    userId,
    seatNo: int,
    micSessionId,
    publishEventTimeMs: timeMs,
  }),
  fc.record({
    type: type('RoomMicDown'),
    userId,
    seatNo: int,
    micSessionId,
    reason: fc.constantFrom(
      ...(['mic_down', 'taken_down', 'left_room', 'publish_timeout', 'room_closed'] as const),
    ),
    onMicMs: timeMs,
  }),
  fc.record({
    type: type('RoomClosed'),
    closedByUserId: userId,
    closedByKind: closer,
    reason: text,
    note: text,
    finalOnlineCount: int,
    finalHeat: long,
  }),
  fc.record({
    type: type('RoomGiftSent'),
    senderUserId: userId,
    targetUserId: userId,
    giftId,
    giftCount: int,
    coins: long,
    unitPrice: long,
    catalogueVersion: long,
    comboId: text,
    billingReceiptId: text,
  }),
);

/** Any envelope. */
export const anyEnvelope: fc.Arbitrary<EventEnvelope> = fc
  .record({
    eventId: fc.uuid().map((id) => id as EventId),
    appCode,
    roomId,
    roomVersion: version,
    eventIndex: int,
    occurredAtMs: timeMs,
    commandId,
    actorUserId: userId,
    event: anyEvent,
  })
  .map((envelope) => ({ ...envelope, eventType: envelope.event.type }));

const anyUser: fc.Arbitrary<PresentUser> = fc.record({
  userId,
  profile,
  isRobot: fc.boolean(),
  joinedAtMs: timeMs,
  joinedAtVersion: version,
});

const anySeat: fc.Arbitrary<MicSeat> = fc.record({
  seatNo: int,
  locked: fc.boolean(),
  muted: fc.boolean(),
  occupancy: fc.option(
    fc.record({
      userId,
      micSessionId,
      state: fc.constantFrom(...(['pending_publish', 'publishing'] as const)),
      sessionRoomVersion: version,
      sessionStartedAtMs: timeMs,
      publishDeadlineMs: timeMs,
      lastPublishEventTimeMs: timeMs,
    }),
  ),
});

const anyStateWithoutGivers = fc.record({
  appCode,
  roomId,
  status: fc.constantFrom(...(['absent', 'active', 'closing', 'closed'] as const)),
  version,
  ownerUserId: fc.option(userId),
  profile: fc.record({ ...look, announcement: text }),
  mode,
  visibleRegionId: long,
  passwordHash: text,
  passwordVersion: long,
  seats: fc.array(anySeat, { maxLength: 4 }),
  users: fc
    .array(anyUser, { maxLength: 12 })
    .map((users) =>
      users.reduce((map, user) => map.set(user.userId, user), emptyPersistentMap<PresentUser>()),
    ),
  heat: long,
  createdAtMs: timeMs,
  lastEventAtMs: timeMs,
  closeInfo: fc.option(
    fc.record({
      closedByUserId: userId,
      closedByKind: closer,
      reason: text,
      note: text,
      closedAtMs: timeMs,
      finalOnlineCount: int,
      finalHeat: long,
    }),
  ),
});

const anyGiftSenders: fc.Arbitrary<PersistentMap<GiftSender>> = fc
  .array(fc.record({ userId, coins: long, reachedAtVersion: version }), { maxLength: 12 })
  .map((list) =>
    list.reduce((map, sender) => map.set(sender.userId, sender), emptyPersistentMap<GiftSender>()),
  );

/** Any state whose first places are those of its senders. */
export const anyState: fc.Arbitrary<RoomState> = fc
  .tuple(anyStateWithoutGivers, anyGiftSenders)
  .map(([state, giftSenders]) => {
    const topGiftSenders = topOfGiftSenders(giftSenders.values());
    return { ...state, giftSenders, topGiftSenders };
  });

/** Any result record. */
export const anyResult: fc.Arbitrary<ResultRecord> = fc.record({
  outcome: fc.constantFrom(...(['applied', 'no_effect', 'rejected'] as const)),
  roomVersion: version,
  reason: text,
  facts,
  fields: fc.record(
    {
      user: anyUser,
      seatNo: int,
      micSessionId,
      publishDeadlineMs: timeMs,
      billingReceiptId: text,
      coinBalanceAfter: long,
      giftIncomeBalanceAfter: long,
      roomHeat: long,
      giftRank: fc.array(fc.record({ userId, coins: long, rank: int }), { maxLength: 4 }),
    },
    { requiredKeys: [] },
  ),
});

/** Any reply without a view (views are projections of states: see `anyState`). */
export const anyReply: fc.Arbitrary<ReplyRecord> = fc.oneof(
  fc.record({
    kind: type('result'),
    resultBytes: fc.uint8Array().map((bytes): Uint8Array => Buffer.from(bytes)),
    replayed: fc.boolean(),
    view: fc.constant(null),
  }),
  fc.record({ kind: type('refusal'), reason: text, facts, retryAfterMs: timeMs }),
  fc.record({
    kind: type('heartbeats'),
    notPresent: fc.array(fc.nat()),
    notActive: fc.array(fc.nat()),
  }),
);
