/** Short ways to write bodies of commands, and how a payment ended; see room-builders.ts. */
import type { Charge, ChargeReceipt } from '../../src/domain/gift/charge.ts';
import type { MicSessionId, UserId } from '../../src/domain/ids.ts';
import type {
  CloseRoom,
  CreateRoom,
  DeleteRoom,
  UpdateRoomProfile,
} from '../../src/domain/room/room-commands.ts';
import type {
  AnswerMicRequest,
  ApplyForMic,
  ApplyRtcEvent,
  ChangeMicSeat,
  ConfirmMicPublishing,
  ExpireMicHeartbeat,
  ExpireMicPublish,
  InviteToMic,
  MicDown,
  MicUp,
  RtcEventKind,
  SetMicSeatLock,
  SetMicSeatMute,
} from '../../src/domain/mic/mic-commands.ts';
import type {
  EvictUser,
  JoinRoom,
  KickUser,
  SweepStaleUsers,
} from '../../src/domain/presence/presence-commands.ts';
import type { PasswordVerdict } from '../../src/domain/password/password-verdict.ts';
import type { SendGift } from '../../src/domain/gift/gift-commands.ts';
import type { UserProfile } from '../../src/domain/room/state.ts';
import { created, rose } from './room-builders.ts';

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

export function changeSeat(toSeatNo: number): ChangeMicSeat {
  return { type: 'ChangeMicSeat', toSeatNo };
}

export function lockSeat(seatNo: number, locked = true): SetMicSeatLock {
  return { type: 'SetMicSeatLock', seatNo, locked };
}

export function muteSeat(seatNo: number, muted = true): SetMicSeatMute {
  return { type: 'SetMicSeatMute', seatNo, muted };
}

export function applyForMic(seatNo = 0): ApplyForMic {
  return { type: 'ApplyForMic', seatNo };
}

export function inviteToMic(userId: UserId, seatNo = 0): InviteToMic {
  return { type: 'InviteToMic', userId, seatNo };
}

export function answerMic(
  answer: AnswerMicRequest['answer'],
  userId: UserId | '' = '',
): AnswerMicRequest {
  return { type: 'AnswerMicRequest', userId, answer };
}

/** Send it with the role `rtc`. */
export function rtcEvent(kind: RtcEventKind, eventTimeMs: number): ApplyRtcEvent {
  return { type: 'ApplyRtcEvent', kind, eventTimeMs };
}

export function kickUser(userId: UserId, fields: Partial<KickUser> = {}): KickUser {
  return { type: 'KickUser', userId, reason: 'rude', expiresAtMs: 0, ...fields };
}

export function evictUser(userId: UserId, reason = 'fraud'): EvictUser {
  return { type: 'EvictUser', userId, reason };
}

export function sweep(...userIds: readonly UserId[]): SweepStaleUsers {
  return { type: 'SweepStaleUsers', userIds };
}

/** Leaves every part as it is, but for the fields named. */
export function updateRoomProfile(fields: Partial<UpdateRoomProfile> = {}): UpdateRoomProfile {
  return {
    type: 'UpdateRoomProfile',
    title: null,
    coverUrl: null,
    announcement: null,
    backgroundUrl: null,
    tags: null,
    ext: null,
    ...fields,
  };
}

export function deleteRoom(fields: Partial<DeleteRoom> = {}): DeleteRoom {
  return { type: 'DeleteRoom', reason: 'over', note: 'note of the deleter', ...fields };
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
  return { kind: 'charged', receipt: { ...receipt, ...silent, ...fields }, draws: [] };
}

export function expire(
  seatNo: number,
  micSessionId: MicSessionId,
  publishDeadlineMs: number,
): ExpireMicPublish {
  return { type: 'ExpireMicPublish', seatNo, micSessionId, publishDeadlineMs };
}

export function expireHeartbeat(seatNo: number, micSessionId: MicSessionId): ExpireMicHeartbeat {
  return { type: 'ExpireMicHeartbeat', seatNo, micSessionId };
}
