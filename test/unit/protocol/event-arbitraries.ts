/** Any event, of every type: a new type does not compile without values of it. */
import fc from 'fast-check';
import type { PrizeState } from '../../../src/domain/gift/lucky-draw.ts';
import type { EventId } from '../../../src/domain/ids.ts';
import type { MicDownReason, MicRequestEnd } from '../../../src/domain/mic/mic-events.ts';
import type { LeaveReason, UnbanReason } from '../../../src/domain/presence/presence-events.ts';
import type { RoomEvent, RoomEventType } from '../../../src/domain/room/events.ts';
import type { EventEnvelope } from '../../../src/protocol/records.ts';
import {
  anySymbol,
  appCode,
  closer,
  commandId,
  giftId,
  int,
  long,
  look,
  micRequestKind,
  micSessionId,
  mode,
  profile,
  rocketReward,
  roomId,
  roomProfile,
  text,
  timeMs,
  type,
  userId,
  version,
} from './arbitrary-parts.ts';

type EventsByType = {
  readonly [T in RoomEventType]: fc.Arbitrary<Extract<RoomEvent, { readonly type: T }>>;
};

const leaveReason = anySymbol<LeaveReason>({
  left: true,
  stale: true,
  kicked: true,
  closed: true,
  evicted: true,
});

const micDownReason = anySymbol<MicDownReason>({
  mic_down: true,
  taken_down: true,
  left_room: true,
  publish_timeout: true,
  room_closed: true,
  seat_locked: true,
  seat_removed: true,
  kicked: true,
  evicted: true,
  stale: true,
  mic_stale: true,
  audio_stopped: true,
  rtc_exited: true,
});

const prize = fc.record({ rewardId: text, quantity: long });
const rocketWinner = fc.record({
  userId,
  coins: long,
  rank: int,
  prizes: fc.array(prize, { maxLength: 2 }),
});

const byUserId = userId;
const session = { userId, seatNo: int, micSessionId };
const closing = { closedByUserId: userId, closedByKind: closer, reason: text, note: text };

const events: EventsByType = {
  RoomCreated: fc.record({
    type: type('RoomCreated'),
    ownerUserId: userId,
    ...look,
    seatCount: int,
    mode,
    visibleRegionId: long,
    passwordHash: text,
  }),
  RoomClosing: fc.record({ type: type('RoomClosing'), ...closing, closesAtMs: timeMs }),
  RoomClosed: fc.record({
    type: type('RoomClosed'),
    ...closing,
    finalOnlineCount: int,
    finalHeat: long,
  }),
  RoomDeleted: fc.record({
    type: type('RoomDeleted'),
    byUserId,
    byKind: closer,
    reason: text,
    note: text,
  }),
  RoomProfileUpdated: fc.record({
    type: type('RoomProfileUpdated'),
    byUserId,
    profile: roomProfile,
  }),
  RoomSeatCountChanged: fc.record({ type: type('RoomSeatCountChanged'), byUserId, seatCount: int }),
  RoomPasswordChanged: fc.record({
    type: type('RoomPasswordChanged'),
    byUserId,
    passwordHash: text,
    locked: fc.boolean(),
    passwordVersion: long,
  }),
  RoomPasswordAttemptFailed: fc.record({
    type: type('RoomPasswordAttemptFailed'),
    userId,
    attempts: int,
    windowStartedAtMs: timeMs,
  }),
  RoomModeChanged: fc.record({ type: type('RoomModeChanged'), byUserId, mode }),
  RoomVisibleRegionChanged: fc.record({
    type: type('RoomVisibleRegionChanged'),
    byUserId,
    visibleRegionId: long,
  }),
  RoomAdminChanged: fc.record({
    type: type('RoomAdminChanged'),
    byUserId,
    userId,
    isAdmin: fc.boolean(),
  }),
  RoomOwnerTransferred: fc.record({
    type: type('RoomOwnerTransferred'),
    byUserId,
    fromUserId: userId,
    toUserId: userId,
  }),
  RoomUserJoined: fc.record({
    type: type('RoomUserJoined'),
    userId,
    profile,
    isRobot: fc.boolean(),
  }),
  RoomUserUpdated: fc.record({ type: type('RoomUserUpdated'), userId, profile }),
  RoomUserLeft: fc.record({ type: type('RoomUserLeft'), userId, reason: leaveReason }),
  RoomUsersStaleLeft: fc.record({
    type: type('RoomUsersStaleLeft'),
    userIds: fc.array(userId, { maxLength: 4 }),
  }),
  RoomUserKicked: fc.record({
    type: type('RoomUserKicked'),
    userId,
    byUserId,
    reason: text,
    expiresAtMs: timeMs,
  }),
  RoomUserUnbanned: fc.record({
    type: type('RoomUserUnbanned'),
    userId,
    byUserId,
    reason: anySymbol<UnbanReason>({ unbanned: true, expired: true }),
  }),
  RoomUserEvicted: fc.record({ type: type('RoomUserEvicted'), userId, byUserId, reason: text }),
  RoomMicUp: fc.record({ type: type('RoomMicUp'), ...session, publishDeadlineMs: timeMs }),
  RoomMicPublishing: fc.record({
    type: type('RoomMicPublishing'),
    ...session,
    publishEventTimeMs: timeMs,
  }),
  RoomMicRtcNoted: fc.record({
    type: type('RoomMicRtcNoted'),
    ...session,
    publishEventTimeMs: timeMs,
  }),
  RoomMicDown: fc.record({
    type: type('RoomMicDown'),
    ...session,
    reason: micDownReason,
    onMicMs: timeMs,
  }),
  RoomMicSeatChanged: fc.record({
    type: type('RoomMicSeatChanged'),
    userId,
    fromSeatNo: int,
    toSeatNo: int,
    micSessionId,
    publishDeadlineMs: timeMs,
  }),
  RoomMicSeatLocked: fc.record({ type: type('RoomMicSeatLocked'), seatNo: int }),
  RoomMicSeatUnlocked: fc.record({ type: type('RoomMicSeatUnlocked'), seatNo: int }),
  RoomMicSeatMuted: fc.record({
    type: type('RoomMicSeatMuted'),
    seatNo: int,
    muted: fc.boolean(),
  }),
  RoomMicRequested: fc.record({
    type: type('RoomMicRequested'),
    kind: micRequestKind,
    userId,
    byUserId,
    seatNo: int,
    expiresAtMs: timeMs,
  }),
  RoomMicRequestEnded: fc.record({
    type: type('RoomMicRequestEnded'),
    kind: micRequestKind,
    userId,
    byUserId,
    end: anySymbol<MicRequestEnd>({ declined: true, withdrawn: true, expired: true }),
  }),
  RoomRocketFueled: fc.record({
    type: type('RoomRocketFueled'),
    userId,
    coins: long,
    fuel: long,
    roundNo: long,
    level: int,
    fuelTarget: long,
    rulesVersion: long,
  }),
  RoomRocketIgnited: fc.record({
    type: type('RoomRocketIgnited'),
    roundNo: long,
    level: int,
    fuel: long,
    igniterUserId: userId,
    launchAtMs: timeMs,
    rulesVersion: long,
    carriedFuel: long,
    minimumContribution: long,
    rewards: fc.array(rocketReward, { maxLength: 3 }),
    nextLevel: int,
    nextFuelTarget: long,
  }),
  RoomRocketLaunched: fc.record({
    type: type('RoomRocketLaunched'),
    roundNo: long,
    level: int,
    igniterUserId: userId,
    launchAtMs: timeMs,
    rulesVersion: long,
    winners: fc.array(rocketWinner, { maxLength: 3 }),
    nextRoundNo: long,
    nextLevel: int,
    nextFuelTarget: long,
    nextFuel: long,
  }),
  RoomGiftSent: fc.record({
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
    luckyDraw: fc.option(
      fc.record({
        drawId: text,
        multiplierPercent: int,
        prizeCoins: long,
        prize: anySymbol<PrizeState>({ none: true, paid: true, pending: true }),
      }),
    ),
    isUncounted: fc.boolean(),
  }),
};

/** Any event. */
export const anyEvent: fc.Arbitrary<RoomEvent> = fc.oneof(...Object.values(events));

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
