/**
 * Short ways to write events and command bodies in tests. Every builder gives a complete value;
 * what a test cares about it names, the rest is the same everywhere.
 */
import type { Charge, ChargeReceipt } from '../../src/domain/gift/charge.ts';
import type {
  AppCode,
  CommandId,
  GiftId,
  MicSessionId,
  RoomId,
  UserId,
} from '../../src/domain/ids.ts';
import type { CloseRoom, CreateRoom } from '../../src/domain/room/room-commands.ts';
import type {
  ConfirmMicPublishing,
  ExpireMicPublish,
  MicDown,
  MicUp,
} from '../../src/domain/mic/mic-commands.ts';
import type { JoinRoom } from '../../src/domain/presence/presence-commands.ts';
import type { PasswordVerdict } from '../../src/domain/password/password-verdict.ts';
import type { SendGift } from '../../src/domain/gift/gift-commands.ts';
import type {
  LeaveReason,
  RoomUserJoined,
  RoomUserLeft,
  RoomUserUpdated,
} from '../../src/domain/presence/presence-events.ts';
import type {
  MicDownReason,
  RoomMicDown,
  RoomMicPublishing,
  RoomMicUp,
} from '../../src/domain/mic/mic-events.ts';
import type { RoomClosed, RoomCreated } from '../../src/domain/room/room-events.ts';
import type { RoomGiftSent } from '../../src/domain/gift/gift-events.ts';
import type { CloserKind, UserProfile } from '../../src/domain/room/state.ts';

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

// Events

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
    ...fields,
  };
}

// Command bodies

export function createRoom(fields: Partial<CreateRoom> = {}): CreateRoom {
  const { ownerUserId: _owner, type: _type, ...rest } = created();
  return { type: 'CreateRoom', ...rest, ...fields };
}

export function verdict(
  word: PasswordVerdict['verdict'],
  passwordVersion = 1n,
): { password: PasswordVerdict } {
  return { password: { passwordVersion, verdict: word } };
}

export function joinRoom(profile: UserProfile, fields: Partial<JoinRoom> = {}): JoinRoom {
  return {
    type: 'JoinRoom',
    profile,
    isRobot: false,
    isPlatformBanned: false,
    ...verdict('none_given', 0n),
    ...fields,
  };
}

export const leaveRoom = { type: 'LeaveRoom' } as const;

export function micUp(seatNo: number): MicUp {
  return { type: 'MicUp', seatNo };
}

export function micDown(fields: Partial<MicDown> = {}): MicDown {
  return { type: 'MicDown', userId: '', micSessionId: '', ...fields };
}

export function confirm(micSessionId: MicSessionId): ConfirmMicPublishing {
  return { type: 'ConfirmMicPublishing', micSessionId };
}

export function closeRoom(fields: Partial<CloseRoom> = {}): CloseRoom {
  return { type: 'CloseRoom', reason: 'ended', note: 'note of the closer', ...fields };
}

export function sendGift(
  targetUserIds: readonly UserId[],
  fields: Partial<SendGift> = {},
): SendGift {
  return { type: 'SendGift', giftId: rose, giftCount: 1, targetUserIds, comboId: '', ...fields };
}

/** The wallet took the coins at this price, and said nothing of balances. */
export function charged(unitPrice: bigint, fields: Partial<ChargeReceipt> = {}): Charge {
  const receipt = { receiptId: 'receipt-1', unitPrice, catalogueVersion: 7n };
  const silent = { balanceAfter: null, incomeBalanceAfter: null };
  return { kind: 'charged', receipt: { ...receipt, ...silent, ...fields } };
}

export function expire(
  seatNo: number,
  micSessionId: MicSessionId,
  publishDeadlineMs: number,
): ExpireMicPublish {
  return { type: 'ExpireMicPublish', seatNo, micSessionId, publishDeadlineMs };
}
