/**
 * Requests of the wire as the gateway takes them. Translation only: unknown enum values are handed
 * on as texts that no rule accepts, so that the gateway refuses them together with all other faults.
 */
import type { CommandRequest, RequestMeta } from '../../ports/room-api.ts';
import type {
  CloseRoomRequest,
  ConfirmMicPublishingRequest,
  CreateRoomRequest,
  JoinRoomRequest,
  MicDownRequest,
  MicUpRequest,
  SendGiftRequest,
} from './generated/roomcell/v1/room_commands_pb.ts';
import type { ListRoomsRequest } from './generated/roomcell/v1/room_queries_pb.ts';
import { RoomMode, SnapshotMode } from './generated/roomcell/v1/room_types_pb.ts';
import type { CommandMeta } from './generated/roomcell/v1/room_types_pb.ts';

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

/** JoinRoom's own fields; no profile is an empty one. */
export function joinRoomOf({ password, profile, isRobot }: JoinRoomRequest): CommandRequest {
  return {
    type: 'JoinRoom',
    password,
    nickname: profile?.nickname ?? '',
    avatarUrl: profile?.avatarUrl ?? '',
    countryCode: profile?.countryCode ?? '',
    ext: profile?.ext ?? '',
    isRobot,
  };
}

/** MicUp's own field. */
export function micUpOf({ seatNo }: MicUpRequest): CommandRequest {
  return { type: 'MicUp', seatNo };
}

/** MicDown's own fields. */
export function micDownOf({ userId, micSessionId }: MicDownRequest): CommandRequest {
  return { type: 'MicDown', userId, micSessionId };
}

/** ConfirmMicPublishing's own field. */
export function confirmMicPublishingOf(request: ConfirmMicPublishingRequest): CommandRequest {
  return { type: 'ConfirmMicPublishing', micSessionId: request.micSessionId };
}

/** CloseRoom's own fields. */
export function closeRoomOf({ reason, note }: CloseRoomRequest): CommandRequest {
  return { type: 'CloseRoom', reason, note };
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
function unknownValue(value: number): string {
  return `unknown:${value}`;
}
