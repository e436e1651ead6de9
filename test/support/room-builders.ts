/**
 * Short ways to write ids and events in tests. Every builder gives a complete value; what a test
 * cares about it names, the rest is the same everywhere. Bodies of commands stand in
 * command-builders.ts.
 */
import type { RoomEvent } from '../../src/domain/room/events.ts';
import type { RoomRocketFueled, RoomRocketIgnited } from '../../src/domain/rocket/rocket-events.ts';
import type {
  AppCode,
  CommandId,
  GiftId,
  MicSessionId,
  RoomId,
  UserId,
} from '../../src/domain/ids.ts';
import type {
  LeaveReason,
  RoomUserEvicted,
  RoomUserJoined,
  RoomUserKicked,
  RoomUserLeft,
  RoomUsersStaleLeft,
  RoomUserUnbanned,
  RoomUserUpdated,
  UnbanReason,
} from '../../src/domain/presence/presence-events.ts';
import type {
  MicDownReason,
  MicRequestEnd,
  RoomMicDown,
  RoomMicPublishing,
  RoomMicRequested,
  RoomMicRequestEnded,
  RoomMicRtcNoted,
  RoomMicSeatChanged,
  RoomMicSeatLocked,
  RoomMicUp,
} from '../../src/domain/mic/mic-events.ts';
import type {
  RoomAdminChanged,
  RoomClosed,
  RoomClosing,
  RoomCreated,
  RoomDeleted,
} from '../../src/domain/room/room-events.ts';
import type { RoomGiftSent } from '../../src/domain/gift/gift-events.ts';
import type { CloserKind, MicRequestKind, UserProfile } from '../../src/domain/room/state.ts';

export const app = 'app1' as AppCode;
export const room = 'room1' as RoomId;
/** The owner in every history of `created()`. */
export const owner = 'owner' as UserId;
export const alice = 'alice' as UserId;
export const bob = 'bob' as UserId;
export const carol = 'carol' as UserId;

export const asUser = (text: string): UserId => text as UserId;
export const asSession = (text: string): MicSessionId => text as MicSessionId;
export const asCommandId = (text: string): CommandId => text as CommandId;

/** The session that the harness gives to the MicUp of its n-th decision is `session(n)` too. */
export const session = (n: number): MicSessionId => asSession(`session-${n}`);

export function profileOf(nickname: string): UserProfile {
  return { nickname, avatarUrl: `https://cdn.test/${nickname}`, countryCode: 'DE', ext: '' };
}

export function created(fields: Partial<RoomCreated> = {}): RoomCreated {
  return {
    type: 'RoomCreated',
    ownerUserId: owner,
    title: 'Evening talk',
    coverUrl: 'https://cdn.test/cover',
    backgroundUrl: 'https://cdn.test/background',
    seatCount: 3,
    mode: 'free',
    visibleRegionId: 9007199254740993n,
    passwordHash: '',
    tags: ['music'],
    ext: 'opaque',
    ...fields,
  };
}

export function joined(userId: UserId, fields: Partial<RoomUserJoined> = {}): RoomUserJoined {
  return {
    type: 'RoomUserJoined',
    userId,
    profile: profileOf(userId),
    isRobot: false,
    ...fields,
  };
}

export function updated(userId: UserId, profile: UserProfile): RoomUserUpdated {
  return { type: 'RoomUserUpdated', userId, profile };
}

export function left(userId: UserId, reason: LeaveReason = 'left'): RoomUserLeft {
  return { type: 'RoomUserLeft', userId, reason };
}

/** Users whose heartbeats ceased. */
export function staleLeft(...userIds: readonly UserId[]): RoomUsersStaleLeft {
  return { type: 'RoomUsersStaleLeft', userIds };
}

/** Banned by the owner, without an end unless the fields say otherwise. */
export function kicked(userId: UserId, fields: Partial<RoomUserKicked> = {}): RoomUserKicked {
  return {
    type: 'RoomUserKicked',
    userId,
    byUserId: owner,
    reason: 'rude',
    expiresAtMs: 0,
    ...fields,
  };
}

export function unbanned(
  userId: UserId,
  byUserId: UserId = owner,
  reason: UnbanReason = 'unbanned',
): RoomUserUnbanned {
  return { type: 'RoomUserUnbanned', userId, byUserId, reason };
}

export function evicted(userId: UserId, byUserId: UserId, reason = 'fraud'): RoomUserEvicted {
  return { type: 'RoomUserEvicted', userId, byUserId, reason };
}

/** Made an admin by the owner, or no admin any more. */
export function adminSet(userId: UserId, isAdmin = true): RoomAdminChanged {
  return { type: 'RoomAdminChanged', byUserId: owner, userId, isAdmin };
}

/** Where a mic event stands. */
interface MicPlace {
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
}

/** The place `userId` has on seat `seatNo` with the n-th session. */
export function on(seatNo: number, userId: UserId, n: number): MicPlace {
  return { userId, seatNo, micSessionId: session(n) };
}

export function wentUp(place: MicPlace, publishDeadlineMs: number): RoomMicUp {
  return { type: 'RoomMicUp', ...place, publishDeadlineMs };
}

export function publishing(place: MicPlace, publishEventTimeMs = 0): RoomMicPublishing {
  return { type: 'RoomMicPublishing', ...place, publishEventTimeMs };
}

export function wentDown(place: MicPlace, reason: MicDownReason, onMicMs: number): RoomMicDown {
  return { type: 'RoomMicDown', ...place, reason, onMicMs };
}

export function rtcNoted(place: MicPlace, publishEventTimeMs: number): RoomMicRtcNoted {
  return { type: 'RoomMicRtcNoted', ...place, publishEventTimeMs };
}

/** From the place to another seat, with the same session. */
export function movedSeat(
  { seatNo, ...who }: MicPlace,
  toSeatNo: number,
  publishDeadlineMs: number,
): RoomMicSeatChanged {
  return { type: 'RoomMicSeatChanged', ...who, fromSeatNo: seatNo, toSeatNo, publishDeadlineMs };
}

export function seatLocked(seatNo: number): RoomMicSeatLocked {
  return { type: 'RoomMicSeatLocked', seatNo };
}

/** The user applies for any seat, unless the fields say otherwise. */
export function micRequested(
  userId: UserId,
  expiresAtMs: number,
  fields: Partial<RoomMicRequested> = {},
): RoomMicRequested {
  return {
    type: 'RoomMicRequested',
    kind: 'apply',
    userId,
    byUserId: userId,
    seatNo: 0,
    expiresAtMs,
    ...fields,
  };
}

export function micRequestEnded(
  userId: UserId,
  kind: MicRequestKind,
  end: MicRequestEnd,
  byUserId: UserId = userId,
): RoomMicRequestEnded {
  return { type: 'RoomMicRequestEnded', kind, userId, byUserId, end };
}

export function closing(closesAtMs: number, fields: Partial<RoomClosing> = {}): RoomClosing {
  return {
    type: 'RoomClosing',
    closedByUserId: owner,
    closedByKind: 'owner',
    reason: 'ended',
    note: 'note of the closer',
    closesAtMs,
    ...fields,
  };
}

export function deleted(fields: Partial<RoomDeleted> = {}): RoomDeleted {
  return {
    type: 'RoomDeleted',
    byUserId: owner,
    byKind: 'owner',
    reason: 'over',
    note: 'note of the deleter',
    ...fields,
  };
}

export function closed(fields: Partial<RoomClosed> = {}): RoomClosed {
  return {
    type: 'RoomClosed',
    closedByUserId: owner,
    closedByKind: 'owner' satisfies CloserKind,
    reason: 'ended',
    note: 'note of the closer',
    finalOnlineCount: 0,
    finalHeat: 0n,
    ...fields,
  };
}

export const rose = 'rose' as GiftId;

/** A gift of `coins`, for one piece unless the fields say otherwise. */
export function gifted(
  senderUserId: UserId,
  targetUserId: UserId,
  coins: bigint,
  fields: Partial<RoomGiftSent> = {},
): RoomGiftSent {
  return {
    type: 'RoomGiftSent',
    senderUserId,
    targetUserId,
    giftId: rose,
    giftCount: 1,
    coins,
    unitPrice: coins,
    catalogueVersion: 7n,
    comboId: '',
    billingReceiptId: 'receipt-1',
    luckyDraw: null,
    isUncounted: false,
    ...fields,
  };
}

/** A gift of 10 coins by `userId` that fills the first round of the room's rocket. */
export function ignitedBy(userId: UserId, launchAtMs: number): readonly RoomEvent[] {
  return [gifted(userId, owner, 10n), fueled(userId, 10n), ignited(userId, launchAtMs)];
}

/** Fuel for the first round, as much as the gift cost coins. */
export function fueled(
  userId: UserId,
  coins: bigint,
  fields: Partial<RoomRocketFueled> = {},
): RoomRocketFueled {
  return {
    type: 'RoomRocketFueled',
    userId,
    coins,
    fuel: coins,
    roundNo: 1n,
    level: 1,
    fuelTarget: 10n,
    rulesVersion: 3n,
    ...fields,
  };
}

/** The first round is full; the next one is on level 2. */
export function ignited(
  igniterUserId: UserId,
  launchAtMs: number,
  fields: Partial<RoomRocketIgnited> = {},
): RoomRocketIgnited {
  return {
    type: 'RoomRocketIgnited',
    roundNo: 1n,
    level: 1,
    fuel: 10n,
    igniterUserId,
    launchAtMs,
    rulesVersion: 3n,
    carriedFuel: 0n,
    minimumContribution: 1n,
    rewards: [],
    nextLevel: 2,
    nextFuelTarget: 50n,
    ...fields,
  };
}
