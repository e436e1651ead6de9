/**
 * From a request as it arrived to a checked one: behind this file every id obeys its rule and every
 * text fits its column. It judges the request alone and never the room, which is the cell's.
 */
import { commandIdFault, roomKeyOf, userIdFault, wideIdFault } from '../domain/ids.ts';
import type { AppCode, CommandId, MicSessionId, RoomId, RoomKey, UserId } from '../domain/ids.ts';
import type { CommandRequest, RequestMeta } from '../ports/room-api.ts';
import { derivedRoomId } from '../protocol/derived-ids.ts';
import type { SnapshotMode } from '../protocol/records.ts';
import type { AuthorizedActor } from './authorize.ts';
import { createFieldFaults } from './field-faults.ts';
import type { FieldFaults } from './field-faults.ts';
import { isTime } from './field-rules.ts';
import { requestFaults } from './request-faults.ts';

/** A command that may be produced, once its facts are attached. */
export interface ParsedCommand {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly roomKey: RoomKey;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  readonly actorRole: AuthorizedActor['role'];
  readonly clientTimeMs: number;
  readonly snapshotMode: SnapshotMode;
  /** Every field checked; facts (password hash, verdict) still missing. */
  readonly request: CommandRequest;
}

/** A sign of life: who is in which room, and on which mic session. */
export interface ParsedHeartbeat {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly roomKey: RoomKey;
  readonly actorUserId: UserId;
  /** '' for a heartbeat of presence alone. */
  readonly micSessionId: MicSessionId | '';
  /** Whether the client says that its audio of that session is in the RTC room. */
  readonly publishing: boolean;
}

/** Checks everything at once; throws INVALID_FIELD that names every fault. */
export function parseCommand(
  actor: AuthorizedActor,
  meta: RequestMeta,
  request: CommandRequest,
  rules: { readonly seatCounts: readonly number[] },
): ParsedCommand {
  const faults = createFieldFaults();
  const mayDeriveRoom = request.type === 'CreateRoom' && meta.roomId === '';
  checkPlace(faults, actor, meta, mayDeriveRoom);
  faults.add('command_id', commandIdFault(meta.commandId));
  if (!isSnapshotMode(meta.snapshotMode)) faults.add('snapshot_mode', 'unknown value');
  if (!isTime(meta.clientTimeMs)) faults.add('client_time_ms', 'not a time in milliseconds');
  requestFaults(faults, request, rules);
  faults.throwIfAny();

  const appCode = meta.appCode as AppCode;
  const actorUserId = actor.actorUserId as UserId;
  const commandId = meta.commandId as CommandId;
  // A room id made from (app, actor, command) is the same in every try: a repeat cannot make two.
  const roomId = mayDeriveRoom
    ? derivedRoomId(appCode, actorUserId, commandId)
    : (meta.roomId as RoomId);
  return {
    appCode,
    roomId,
    roomKey: roomKeyOf(appCode, roomId),
    commandId,
    actorUserId,
    actorRole: actor.role,
    clientTimeMs: Number(meta.clientTimeMs),
    snapshotMode: meta.snapshotMode === 'none' ? 'none' : 'view',
    request,
  };
}

/**
 * The part of a heartbeat that counts; it needs no command id, because it leaves no record.
 * `mic` null: a heartbeat of presence alone. Throws like `parseCommand`.
 */
export function parseHeartbeat(
  actor: AuthorizedActor,
  meta: RequestMeta,
  mic: { readonly micSessionId: string; readonly publishing: boolean } | null,
): ParsedHeartbeat {
  const faults = createFieldFaults();
  checkPlace(faults, actor, meta, false);
  if (mic !== null) faults.add('mic_session_id', wideIdFault(mic.micSessionId));
  faults.throwIfAny();
  const appCode = meta.appCode as AppCode;
  const roomId = meta.roomId as RoomId;
  const actorUserId = actor.actorUserId as UserId;
  const roomKey = roomKeyOf(appCode, roomId);
  const micSessionId = (mic?.micSessionId ?? '') as MicSessionId | '';
  const publishing = mic?.publishing ?? false;
  return { appCode, roomId, roomKey, actorUserId, micSessionId, publishing };
}

function checkPlace(
  faults: FieldFaults,
  actor: AuthorizedActor,
  meta: RequestMeta,
  mayDeriveRoom: boolean,
): void {
  faults.add('app_code', wideIdFault(meta.appCode));
  if (!mayDeriveRoom) faults.add('room_id', wideIdFault(meta.roomId));
  faults.add('actor_user_id', userIdFault(actor.actorUserId));
}

function isSnapshotMode(text: string): text is SnapshotMode | '' {
  return text === '' || text === 'view' || text === 'none';
}
