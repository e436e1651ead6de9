/**
 * RoomCommands, RoomQueries and RoomAdmin over gRPC: translates messages to the gateway and back,
 * turns the bearer token into a caller, hands on deadline and cancellation. Holds no rule of the room.
 */
import { isIP } from 'node:net';
import type { OperatorApi } from '../../ports/operator-api.ts';
import type { RoomApi } from '../../ports/room-api.ts';
import type { RoomReadApi } from '../../ports/room-read-api.ts';
import type { TokenVerifier } from '../../ports/token-verifier.ts';
import { Failure } from '../../kernel/failure.ts';
import { RoomAdmin } from './generated/roomcell/v1/room_admin_pb.ts';
import { RoomCommands } from './generated/roomcell/v1/room_commands_pb.ts';
import { RoomQueries } from './generated/roomcell/v1/room_queries_pb.ts';
import type { CommandMeta } from './generated/roomcell/v1/room_types_pb.ts';
import { adminHandlers } from './admin-handlers.ts';
import { createGrpcHost } from './grpc-host.ts';
import type { GrpcHost, GrpcHostPorts } from './grpc-host.ts';
import { bridgeService } from './grpc-bridge.ts';
import type { CallContext, ServiceHandlers } from './grpc-bridge.ts';
import { queryHandlers } from './query-handlers.ts';
import type { FrameOf } from './query-handlers.ts';
import { commandResult } from './room-answers.ts';
import type { RtcSdkAppIds } from './room-answers.ts';
import {
  answerMicRequestOf,
  applyForMicOf,
  changeMicSeatOf,
  confirmMicPublishingOf,
  inviteToMicOf,
  micDownOf,
  micUpOf,
  setMicSeatLockOf,
  setMicSeatMuteOf,
} from './mic-requests.ts';
import {
  closeRoomOf,
  createRoomOf,
  deleteRoomOf,
  joinRoomOf,
  kickUserOf,
  metaOf,
  sendGiftOf,
  setAdminOf,
  setRoomModeOf,
  setRoomPasswordOf,
  setSeatCountOf,
  setVisibleRegionOf,
  transferOwnerOf,
  unbanUserOf,
  updateRoomProfileOf,
  updateUserOf,
} from './room-requests.ts';

/** How callers are known. `off` makes every call an operator's and binds to loopback only. */
export type GrpcAuth =
  { readonly kind: 'tokens'; readonly verifier: TokenVerifier } | { readonly kind: 'off' };

/** Where to listen, whom to ask. */
export interface RoomGrpcServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly auth: GrpcAuth;
  readonly rtcSdkAppIds: RtcSdkAppIds;
  /** How long a client may leave the next message of a stream untaken; none: the server's default. */
  readonly takeWithinMs?: number;
}

const bearer = /^Bearer +(\S+)$/i;
const keysRetryMs = 1_000;

/** Makes the server; throws when authentication is off and the address is not loopback. */
export function createRoomGrpcServer(
  options: RoomGrpcServerOptions,
  api: RoomApi & RoomReadApi & OperatorApi,
  ports: GrpcHostPorts,
): GrpcHost {
  const { host, port, auth, rtcSdkAppIds, takeWithinMs } = options;
  if (auth.kind === 'off' && !isLoopback(host)) {
    throw new Error(`authentication is off: refusing to listen on ${host}, only on loopback`);
  }
  const frameOf = createFrameOf(auth);
  const patience = takeWithinMs === undefined ? {} : { takeWithinMs };
  return createGrpcHost(
    {
      host,
      port,
      ...patience,
      services: [
        bridgeService(RoomCommands, commandHandlers(api, frameOf, rtcSdkAppIds)),
        bridgeService(RoomQueries, queryHandlers(api, frameOf, rtcSdkAppIds)),
        bridgeService(RoomAdmin, adminHandlers(api, frameOf)),
      ],
    },
    ports,
  );
}

function commandHandlers(
  api: RoomApi,
  frameOf: FrameOf,
  rtcSdkAppIds: RtcSdkAppIds,
): ServiceHandlers<typeof RoomCommands> {
  const execute =
    <Request extends { meta?: CommandMeta | undefined }>(
      toCommand: (request: Request) => Parameters<RoomApi['execute']>[2],
    ) =>
    async (request: Request, context: CallContext) => {
      const meta = metaOf(request.meta);
      const frame = await frameOf(context, meta.appCode);
      return commandResult(await api.execute(frame, meta, toCommand(request)), rtcSdkAppIds);
    };
  return {
    createRoom: execute(createRoomOf),
    joinRoom: execute(joinRoomOf),
    updateUser: execute(updateUserOf),
    leaveRoom: execute(() => ({ type: 'LeaveRoom' })),
    roomHeartbeat: async (request, context) => {
      const meta = metaOf(request.meta);
      await api.heartbeat(await frameOf(context, meta.appCode), meta);
      return {};
    },
    kickUser: execute(kickUserOf),
    unbanUser: execute(unbanUserOf),
    micUp: execute(micUpOf),
    micDown: execute(micDownOf),
    changeMicSeat: execute(changeMicSeatOf),
    confirmMicPublishing: execute(confirmMicPublishingOf),
    micHeartbeat: async (request, context) => {
      const meta = metaOf(request.meta);
      const frame = await frameOf(context, meta.appCode);
      const { micHeartbeatAtMs } = await api.micHeartbeat(frame, meta, request);
      return { micHeartbeatAtMs: BigInt(micHeartbeatAtMs) };
    },
    setMicSeatLock: execute(setMicSeatLockOf),
    setMicSeatMute: execute(setMicSeatMuteOf),
    inviteToMic: execute(inviteToMicOf),
    applyForMic: execute(applyForMicOf),
    answerMicRequest: execute(answerMicRequestOf),
    updateRoomProfile: execute(updateRoomProfileOf),
    setSeatCount: execute(setSeatCountOf),
    setRoomPassword: execute(setRoomPasswordOf),
    setRoomMode: execute(setRoomModeOf),
    setVisibleRegion: execute(setVisibleRegionOf),
    setAdmin: execute(setAdminOf),
    transferOwner: execute(transferOwnerOf),
    closeRoom: execute(closeRoomOf),
    deleteRoom: execute(deleteRoomOf),
    sendGift: execute(sendGiftOf),
  };
}

function createFrameOf(auth: GrpcAuth): FrameOf {
  return async (context, appCode) => {
    const { remainingMs, signal, authorization } = context;
    const rest = { remainingMs, signal };
    if (auth.kind === 'off') {
      return { ...rest, caller: { appCode, subject: '', role: 'operator' }, authFault: '' };
    }
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) {
      const authFault = authorization === '' ? 'no bearer token' : 'not a bearer token';
      return { ...rest, caller: null, authFault };
    }
    const verdict = await auth.verifier.verify(token);
    switch (verdict.kind) {
      case 'valid':
        return {
          ...rest,
          caller: verdict.caller,
          authFault: '',
          authorizedUntilMs: verdict.expiresAtMs,
        };
      case 'refused':
        return { ...rest, caller: null, authFault: verdict.fault };
      case 'unreachable':
        // Nobody can say whether the token is good: that is an outage, not a bad caller.
        throw new Failure('retry', 'UNAVAILABLE', verdict.cause, { retryAfterMs: keysRetryMs });
    }
  };
}

/** Names are refused apart from `localhost`: what they resolve to is not ours to promise. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
