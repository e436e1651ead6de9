/** A planned call as one over gRPC: which method, and what it says. Reads what came back as an end. */
import { MicAnswer } from '../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import {
  SnapshotMode,
  type CommandResult,
} from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { GrpcCallError, type UnaryCallOptions } from '../../../src/drivers/grpc/grpc-client.ts';
import { modeOf } from '../../../src/drivers/grpc/room-names.ts';
import { roomViewOf } from '../../../src/drivers/grpc/room-view-reading.ts';
import type { CommandRequest, ProfileRequest, RequestMeta } from '../../../src/ports/room-api.ts';
import type { FleetClient } from '../../e2e/support/fleet.ts';
import type { CallAsk, CallEnd } from '../../simulation/observations.ts';
import { resultOf } from './wire-results.ts';

/** Makes the call through the gateway of `client`; rejects for what the product cannot have said. */
export async function callOver(
  client: FleetClient,
  ask: CallAsk,
  options: UnaryCallOptions,
): Promise<CallEnd> {
  try {
    return await invoke(client, ask, options);
  } catch (error) {
    if (error instanceof GrpcCallError) return endOfFailure(error);
    throw error;
  }
}

/** A failure as its client has to take it. */
function endOfFailure({ failure }: GrpcCallError): CallEnd {
  const { status, reason, facts, domain } = failure;
  // The connection's own end, or the client's deadline: nobody of ours has spoken.
  if (domain === '') return { kind: 'unknown', reason: status };
  if (reason === 'OUTCOME_UNKNOWN') return { kind: 'unknown', reason };
  if (facts['produced'] === 'no') return { kind: 'notSent', reason };
  return { kind: 'refused', reason, facts };
}

async function invoke(
  client: FleetClient,
  ask: CallAsk,
  options: UnaryCallOptions,
): Promise<CallEnd> {
  switch (ask.kind) {
    case 'command':
      return endOfResult(await execute(client.commands, ask.request, metaOf(ask.meta), options));
    case 'heartbeat':
      await client.commands.roomHeartbeat({ meta: metaOf(ask.meta) }, options);
      return { kind: 'heartbeatTaken' };
    case 'micHeartbeat': {
      const { micSessionId, publishing } = ask;
      const meta = metaOf(ask.meta);
      await client.commands.micHeartbeat({ meta, micSessionId, publishing }, options);
      return { kind: 'heartbeatTaken' };
    }
    case 'getRoomSnapshot': {
      const { appCode, roomId } = ask;
      const { snapshot } = await client.queries.getRoomSnapshot({ appCode, roomId }, options);
      if (snapshot === undefined) throw new Error('a snapshot was answered without a room');
      return { kind: 'snapshot', view: roomViewOf(snapshot) };
    }
    default:
      throw new RangeError(`${ask.kind} is not asked for in a run on real processes`);
  }
}

function endOfResult(message: CommandResult): CallEnd {
  const { replayed, snapshot } = message;
  const view = snapshot === undefined ? null : roomViewOf(snapshot);
  return { kind: 'ok', result: resultOf(message), replayed, view };
}

const snapshotModes: Readonly<Record<string, SnapshotMode>> = {
  none: SnapshotMode.NONE,
  view: SnapshotMode.VIEW,
};

function metaOf({ snapshotMode, ...meta }: RequestMeta) {
  return { ...meta, snapshotMode: snapshotModes[snapshotMode] ?? SnapshotMode.UNSPECIFIED };
}

type Commands = FleetClient['commands'];
type Meta = ReturnType<typeof metaOf>;
type Wire = UnaryCallOptions;

/** Each kind of request by its own method. */
function execute(
  commands: Commands,
  request: CommandRequest,
  meta: Meta,
  wire: Wire,
): Promise<CommandResult> {
  switch (request.type) {
    case 'JoinRoom': {
      const { password, isRobot } = request;
      return commands.joinRoom({ meta, password, isRobot, profile: profileOf(request) }, wire);
    }
    case 'UpdateUser':
      return commands.updateUser({ meta, profile: profileOf(request) }, wire);
    case 'LeaveRoom':
      return commands.leaveRoom({ meta }, wire);
    case 'KickUser':
      return commands.kickUser({ meta, ...withoutType(request) }, wire);
    case 'UnbanUser':
      return commands.unbanUser({ meta, userId: request.userId }, wire);
    case 'SendGift':
      return commands.sendGift(
        { meta, ...withoutType(request), targetUserIds: [...request.targetUserIds] },
        wire,
      );
    case 'EvictUser':
      throw new RangeError('operators are not among the callers of a run on real processes');
    default:
      return executeInRoom(commands, request, meta, wire);
  }
}

type Others = Exclude<
  CommandRequest,
  {
    type:
      'JoinRoom' | 'UpdateUser' | 'LeaveRoom' | 'KickUser' | 'UnbanUser' | 'EvictUser' | 'SendGift';
  }
>;

function executeInRoom(
  commands: Commands,
  request: Others,
  meta: Meta,
  wire: Wire,
): Promise<CommandResult> {
  switch (request.type) {
    case 'CreateRoom': {
      const tags = [...request.tags];
      const mode = modeOf(request.mode);
      return commands.createRoom({ meta, ...withoutType(request), tags, mode }, wire);
    }
    case 'CloseRoom':
      return commands.closeRoom({ meta, ...withoutType(request) }, wire);
    case 'DeleteRoom':
      return commands.deleteRoom({ meta, ...withoutType(request) }, wire);
    case 'UpdateRoomProfile':
      return commands.updateRoomProfile({ meta, ...profileChange(request) }, wire);
    case 'SetSeatCount':
      return commands.setSeatCount({ meta, seatCount: request.seatCount }, wire);
    case 'SetRoomPassword':
      return commands.setRoomPassword({ meta, password: request.password }, wire);
    case 'SetRoomMode':
      return commands.setRoomMode({ meta, mode: modeOf(request.mode) }, wire);
    case 'SetVisibleRegion':
      return commands.setVisibleRegion({ meta, visibleRegionId: request.visibleRegionId }, wire);
    case 'SetAdmin':
      return commands.setAdmin({ meta, ...withoutType(request) }, wire);
    case 'TransferOwner':
      return commands.transferOwner({ meta, userId: request.userId }, wire);
    default:
      return executeAtMic(commands, request, meta, wire);
  }
}

type AtMic = Extract<CommandRequest, { type: `${string}Mic${string}` }>;

function executeAtMic(
  commands: Commands,
  request: AtMic,
  meta: Meta,
  wire: Wire,
): Promise<CommandResult> {
  switch (request.type) {
    case 'MicUp':
      return commands.micUp({ meta, seatNo: request.seatNo }, wire);
    case 'MicDown':
      return commands.micDown({ meta, ...withoutType(request) }, wire);
    case 'ChangeMicSeat':
      return commands.changeMicSeat({ meta, toSeatNo: request.toSeatNo }, wire);
    case 'ConfirmMicPublishing':
      return commands.confirmMicPublishing({ meta, micSessionId: request.micSessionId }, wire);
    case 'SetMicSeatLock':
      return commands.setMicSeatLock({ meta, ...withoutType(request) }, wire);
    case 'SetMicSeatMute':
      return commands.setMicSeatMute({ meta, ...withoutType(request) }, wire);
    case 'InviteToMic':
      return commands.inviteToMic({ meta, ...withoutType(request) }, wire);
    case 'ApplyForMic':
      return commands.applyForMic({ meta, seatNo: request.seatNo }, wire);
    case 'AnswerMicRequest': {
      const isYes = request.answer === 'accepted';
      const answer = isYes ? MicAnswer.ACCEPTED : MicAnswer.DECLINED;
      return commands.answerMicRequest({ meta, userId: request.userId, answer }, wire);
    }
  }
}

function withoutType<Request extends { readonly type: string }>({
  type: _,
  ...fields
}: Request): Omit<Request, 'type'> {
  return fields;
}

function profileOf({ nickname, avatarUrl, countryCode, ext }: ProfileRequest) {
  return { nickname, avatarUrl, countryCode, ext };
}

/** What is null stays away from the wire: then it is left as it is. */
function profileChange(request: Extract<CommandRequest, { type: 'UpdateRoomProfile' }>) {
  const { type: _, tags, ...texts } = request;
  const set = Object.entries(texts).filter(([, text]) => text !== null);
  const fields = Object.fromEntries(set) as Record<string, string>;
  return tags === null ? fields : { ...fields, tags: { tags: [...tags] } };
}
