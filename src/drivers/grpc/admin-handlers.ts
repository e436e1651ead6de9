/** RoomAdmin over gRPC: messages to what the gateway offers to operators and back. Translation only. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { OperatorApi } from '../../ports/operator-api.ts';
import type { LoggedCommand } from '../../ports/operator-store.ts';
import { LoggedOutcome } from './generated/roomcell/v1/room_admin_pb.ts';
import type { LoggedCommandSchema, RoomAdmin } from './generated/roomcell/v1/room_admin_pb.ts';
import type { ServiceHandlers } from './grpc-bridge.ts';
import type { FrameOf } from './query-handlers.ts';

const outcomes: Readonly<Record<LoggedCommand['outcome'], LoggedOutcome>> = {
  applied: LoggedOutcome.APPLIED,
  no_effect: LoggedOutcome.NO_EFFECT,
  rejected: LoggedOutcome.REJECTED,
};

/** A handler for each method. */
export function adminHandlers(
  api: OperatorApi,
  frameOf: FrameOf,
): ServiceHandlers<typeof RoomAdmin> {
  return {
    evictUser: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { banned, roomsEvicted, roomsUnknown } = await api.evictUser(frame, request);
      return { banned, roomsEvicted: [...roomsEvicted], roomsUnknown: [...roomsUnknown] };
    },
    liftPlatformBan: async (request, context) => {
      await api.liftPlatformBan(await frameOf(context, request.appCode), request);
      return {};
    },
    pinRoom: async (request, context) => {
      await api.pinRoom(await frameOf(context, request.appCode), request);
      return {};
    },
    getRoomHistory: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { commands, nextCursor } = await api.getRoomHistory(frame, request);
      return { commands: commands.map(loggedCommand), nextCursor };
    },
    verifyRoom: async (request, context) =>
      api.verifyRoom(await frameOf(context, request.appCode), request),
  };
}

function loggedCommand(command: LoggedCommand): MessageInitShape<typeof LoggedCommandSchema> {
  const { kafkaOffset, eventTypes, decidedVersion, decidedAtMs, outcome, ...rest } = command;
  return {
    ...rest,
    outcome: outcomes[outcome],
    roomVersion: decidedVersion,
    decidedAtMs: BigInt(decidedAtMs),
    eventTypes: [...eventTypes],
    ...(kafkaOffset === null ? {} : { logOffset: kafkaOffset }),
  };
}
