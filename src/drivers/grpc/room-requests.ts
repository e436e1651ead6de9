/**
 * Requests of the wire as the gateway takes them. Translation only: unknown enum values are handed
 * on as texts that no rule accepts, so that the gateway refuses them together with all other faults.
 */
import type { CommandRequest, ProfileRequest, RequestMeta } from '../../ports/room-api.ts';
import type {
  CloseRoomRequest,
  CreateRoomRequest,
  DeleteRoomRequest,
  JoinRoomRequest,
  KickUserRequest,
  SendGiftRequest,
  SetAdminRequest,
  SetRoomModeRequest,
  SetRoomPasswordRequest,
  SetSeatCountRequest,
  SetVisibleRegionRequest,
  TransferOwnerRequest,
  UnbanUserRequest,
  UpdateRoomProfileRequest,
  UpdateUserRequest,
} from './generated/roomcell/v1/room_commands_pb.ts';
import type { ListRoomsRequest } from './generated/roomcell/v1/room_queries_pb.ts';
import { RoomMode, SnapshotMode } from './generated/roomcell/v1/room_types_pb.ts';
import type { CommandMeta, UserProfile } from './generated/roomcell/v1/room_types_pb.ts';

/** What ListRooms asks, in the gateway's terms. */
export interface ListRoomsQuery {
  readonly appCode: string;
  readonly visibleRegionId: bigint | null;
  readonly mode: string;
  readonly tag: string;
  readonly pageSize: number;
  readonly cursor: string;
}

/** A request without meta is one whose ids are all missing. */
export function metaOf(meta: CommandMeta | undefined): RequestMeta {
  return {
    appCode: meta?.appCode ?? '',
    roomId: meta?.roomId ?? '',
    commandId: meta?.commandId ?? '',
    actorUserId: meta?.actorUserId ?? '',
    clientTimeMs: meta?.clientTimeMs ?? 0n,
    snapshotMode: snapshotModeText(meta?.snapshotMode ?? SnapshotMode.UNSPECIFIED),
  };
}

/** CreateRoom's own fields. */
export function createRoomOf(request: CreateRoomRequest): CommandRequest {
  const { title, coverUrl, backgroundUrl, seatCount, visibleRegionId, password, tags, ext } =
    request;
  return {
    type: 'CreateRoom',
    title,
    coverUrl,
    backgroundUrl,
    seatCount,
    mode: roomModeText(request.mode),
    visibleRegionId,
    password,
    tags,
    ext,
  };
}

/** JoinRoom's own fields. */
export function joinRoomOf({ password, profile, isRobot }: JoinRoomRequest): CommandRequest {
  return { type: 'JoinRoom', password, ...profileOf(profile), isRobot };
}

/** UpdateUser's own field. */
export function updateUserOf({ profile }: UpdateUserRequest): CommandRequest {
  return { type: 'UpdateUser', ...profileOf(profile) };
}

/** KickUser's own fields. */
export function kickUserOf({ userId, reason, expiresAtMs }: KickUserRequest): CommandRequest {
  return { type: 'KickUser', userId, reason, expiresAtMs };
}

/** UnbanUser's own field. */
export function unbanUserOf({ userId }: UnbanUserRequest): CommandRequest {
  return { type: 'UnbanUser', userId };
}

/** UpdateRoomProfile's own fields; one that is not set is null, which is not the same as empty. */
export function updateRoomProfileOf(request: UpdateRoomProfileRequest): CommandRequest {
  const { title, coverUrl, announcement, backgroundUrl, tags, ext } = request;
  return {
    type: 'UpdateRoomProfile',
    title: title ?? null,
    coverUrl: coverUrl ?? null,
    announcement: announcement ?? null,
    backgroundUrl: backgroundUrl ?? null,
    tags: tags?.tags ?? null,
    ext: ext ?? null,
  };
}

/** SetSeatCount's own field. */
export function setSeatCountOf({ seatCount }: SetSeatCountRequest): CommandRequest {
  return { type: 'SetSeatCount', seatCount };
}

/** SetRoomPassword's own field. */
export function setRoomPasswordOf({ password }: SetRoomPasswordRequest): CommandRequest {
  return { type: 'SetRoomPassword', password };
}

/** SetRoomMode's own field. */
export function setRoomModeOf({ mode }: SetRoomModeRequest): CommandRequest {
  return { type: 'SetRoomMode', mode: roomModeText(mode) };
}

/** SetVisibleRegion's own field. */
export function setVisibleRegionOf({ visibleRegionId }: SetVisibleRegionRequest): CommandRequest {
  return { type: 'SetVisibleRegion', visibleRegionId };
}

/** SetAdmin's own fields. */
export function setAdminOf({ userId, isAdmin }: SetAdminRequest): CommandRequest {
  return { type: 'SetAdmin', userId, isAdmin };
}

/** TransferOwner's own field. */
export function transferOwnerOf({ userId }: TransferOwnerRequest): CommandRequest {
  return { type: 'TransferOwner', userId };
}

/** CloseRoom's own fields. */
export function closeRoomOf({ reason, note }: CloseRoomRequest): CommandRequest {
  return { type: 'CloseRoom', reason, note };
}

/** DeleteRoom's own fields. */
export function deleteRoomOf({ reason, note }: DeleteRoomRequest): CommandRequest {
  return { type: 'DeleteRoom', reason, note };
}

/** SendGift's own fields. */
export function sendGiftOf(request: SendGiftRequest): CommandRequest {
  const { giftId, giftCount, targetUserIds, comboId } = request;
  return { type: 'SendGift', giftId, giftCount, targetUserIds, comboId };
}

/** A list query; a region that is not set means every region, 0 means region 0. */
export function listRoomsOf(request: ListRoomsRequest): ListRoomsQuery {
  const { appCode, visibleRegionId, tag, pageSize, cursor } = request;
  return {
    appCode,
    visibleRegionId: visibleRegionId ?? null,
    mode: roomModeText(request.mode),
    tag,
    pageSize,
    cursor,
  };
}

/** No profile is an empty one. */
function profileOf(profile: UserProfile | undefined): ProfileRequest {
  return {
    nickname: profile?.nickname ?? '',
    avatarUrl: profile?.avatarUrl ?? '',
    countryCode: profile?.countryCode ?? '',
    ext: profile?.ext ?? '',
  };
}

function snapshotModeText(mode: SnapshotMode): string {
  switch (mode) {
    case SnapshotMode.UNSPECIFIED:
      return '';
    case SnapshotMode.NONE:
      return 'none';
    case SnapshotMode.VIEW:
      return 'view';
    default:
      return unknownValue(mode);
  }
}

function roomModeText(mode: RoomMode): string {
  switch (mode) {
    case RoomMode.UNSPECIFIED:
      return '';
    case RoomMode.FREE:
      return 'free';
    case RoomMode.APPLY:
      return 'apply';
    default:
      return unknownValue(mode);
  }
}

/** Enums of proto3 are open: a newer client may send a number that this release has no name for. */
export function unknownValue(value: number): string {
  return `unknown:${value}`;
}
