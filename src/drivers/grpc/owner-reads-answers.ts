/** Answers of an owner on the wire, both ways. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RoomVersion, UserId } from '../../domain/ids.ts';
import type { MicRequest, PresentUser, RoomBan } from '../../domain/room/state.ts';
import { Failure } from '../../kernel/failure.ts';
import type { AudienceUser, OwnerAnswer, OwnerReply } from '../../ports/owner-reads.ts';
import type {
  OwnerReadResponse,
  OwnerReadResponseSchema,
} from './generated/roomcell/v1/owner_reads_pb.ts';
import { MicRequestKind } from './generated/roomcell/v1/room_types_pb.ts';
import type {
  AudienceUser as WireAudienceUser,
  AudienceUserSchema,
  MicRequest as WireMicRequest,
  MicRequestSchema,
  RankItem as WireRankItem,
  RoomBan as WireRoomBan,
  RoomBanSchema,
  RoomUser,
} from './generated/roomcell/v1/room_types_pb.ts';
import { roomSnapshot, roomUser } from './room-answers.ts';
import { nameOf, roomRoles } from './room-names.ts';
import { roomViewOf } from './room-view-reading.ts';

const kinds: Readonly<Record<MicRequest['kind'], MicRequestKind>> = {
  apply: MicRequestKind.APPLY,
  invite: MicRequestKind.INVITE,
};
/** Addresses of a room are the gateway's to add. */
const noAddresses: ReadonlyMap<string, number> = new Map();

/** A reply as the server sends it. */
export function ownerReadResponse(
  reply: OwnerReply,
): MessageInitShape<typeof OwnerReadResponseSchema> {
  const { roomVersion, ownerEpoch, answer } = reply;
  return { roomVersion, ownerEpoch, answer: answerMessage(answer) };
}

/** A reply as the client reads it. Throws Retry UNAVAILABLE for what this release cannot read. */
export function ownerReplyOf(response: OwnerReadResponse): OwnerReply {
  const { roomVersion, ownerEpoch } = response;
  return { roomVersion: roomVersion as RoomVersion, ownerEpoch, answer: answerOf(response) };
}

/** A present user as audiences show it. */
export function audienceUser(one: AudienceUser): MessageInitShape<typeof AudienceUserSchema> {
  return { user: roomUser(one.user), role: roomRoles[one.role], seatNo: one.seatNo };
}

/** A ban as its managers see it. */
export function roomBan(ban: RoomBan): MessageInitShape<typeof RoomBanSchema> {
  const { userId, byUserId, reason, bannedAtMs, expiresAtMs } = ban;
  const times = { bannedAtMs: BigInt(bannedAtMs), expiresAtMs: BigInt(expiresAtMs) };
  return { userId, byUserId, reason, ...times };
}

/** A wish for the mic. */
export function micRequest(request: MicRequest): MessageInitShape<typeof MicRequestSchema> {
  const { kind, userId, byUserId, seatNo, requestedAtMs, expiresAtMs } = request;
  return {
    kind: kinds[kind],
    userId,
    byUserId,
    seatNo,
    requestedAtMs: BigInt(requestedAtMs),
    expiresAtMs: BigInt(expiresAtMs),
  };
}

function answerMessage(
  answer: OwnerAnswer,
): NonNullable<MessageInitShape<typeof OwnerReadResponseSchema>['answer']> {
  switch (answer.kind) {
    case 'view':
      return { case: 'view', value: roomSnapshot(answer.view, noAddresses) };
    case 'guard': {
      const { refusal, onSeat } = answer;
      return { case: 'guard', value: { allowed: refusal === null, reason: refusal ?? '', onSeat } };
    }
    case 'audience': {
      const users = answer.users.map(audienceUser);
      return { case: 'audience', value: { users, hasMore: answer.hasMore } };
    }
    case 'bans':
      return {
        case: 'bans',
        value: { bans: answer.bans.map(roomBan), hasMore: answer.hasMore },
      };
    case 'micRequests':
      return { case: 'micRequests', value: { requests: answer.requests.map(micRequest) } };
    case 'giftRank': {
      const { places, roomHeat } = answer;
      return { case: 'giftRank', value: { places: [...places], roomHeat } };
    }
  }
}

function answerOf({ answer }: OwnerReadResponse): OwnerAnswer {
  switch (answer.case) {
    case 'view':
      return { kind: 'view', view: roomViewOf(answer.value) };
    case 'guard': {
      const { allowed, reason, onSeat } = answer.value;
      // Whatever a node says beside a clear yes is a no.
      return { kind: 'guard', refusal: allowed ? null : reason, onSeat: allowed && onSeat };
    }
    case 'audience': {
      const users = answer.value.users.map(audienceUserOf);
      return { kind: 'audience', users, hasMore: answer.value.hasMore };
    }
    case 'bans':
      return {
        kind: 'bans',
        bans: answer.value.bans.map(roomBanOf),
        hasMore: answer.value.hasMore,
      };
    case 'micRequests':
      return { kind: 'micRequests', requests: answer.value.requests.map(micRequestOf) };
    case 'giftRank': {
      const { places, roomHeat } = answer.value;
      return { kind: 'giftRank', places: places.map(rankItemOf), roomHeat };
    }
    case undefined:
      throw new Failure('retry', 'UNAVAILABLE', 'the owner gave an answer of another release');
  }
}

function audienceUserOf({ user, role, seatNo }: WireAudienceUser): AudienceUser {
  return { user: presentUserOf(user), role: nameOf(roomRoles, role, 'member'), seatNo };
}

function presentUserOf(user: RoomUser | undefined): PresentUser {
  const { nickname = '', avatarUrl = '', countryCode = '', ext = '' } = user?.profile ?? {};
  return {
    userId: (user?.userId ?? '') as UserId,
    profile: { nickname, avatarUrl, countryCode, ext },
    isRobot: user?.isRobot ?? false,
    joinedAtMs: Number(user?.joinedAtMs ?? 0n),
    // Tells two stays apart inside of a cell; nobody outside asks for it.
    joinedAtVersion: 0n as RoomVersion,
  };
}

function roomBanOf({ userId, byUserId, reason, ...times }: WireRoomBan): RoomBan {
  return {
    userId: userId as UserId,
    byUserId: byUserId as UserId,
    reason,
    bannedAtMs: Number(times.bannedAtMs),
    expiresAtMs: Number(times.expiresAtMs),
  };
}

function micRequestOf(request: WireMicRequest): MicRequest {
  return {
    kind: nameOf(kinds, request.kind, 'apply'),
    userId: request.userId as UserId,
    byUserId: request.byUserId as UserId,
    seatNo: request.seatNo,
    requestedAtMs: Number(request.requestedAtMs),
    expiresAtMs: Number(request.expiresAtMs),
  };
}

function rankItemOf({ userId, coins, rank }: WireRankItem) {
  return { userId: userId as UserId, coins, rank };
}
