/** RoomAdmin over gRPC: messages to what the gateway offers to operators and back. Translation only. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { OperatorApi, PartitionView } from '../../ports/operator-api.ts';
import type { LoggedCommand } from '../../ports/operator-store.ts';
import type { StoppedPartition } from '../../ports/partition-stops.ts';
import { LoggedOutcome } from './generated/roomcell/v1/room_admin_pb.ts';
import type {
  LoggedCommandSchema,
  PartitionSchema,
  PartitionStopSchema,
  RoomAdmin,
} from './generated/roomcell/v1/room_admin_pb.ts';
import { catalogueHandlers } from './catalogue-handlers.ts';
import type { ServiceHandlers } from './grpc-bridge.ts';
import type { FrameOf } from './query-handlers.ts';
import { replayHandlers } from './replay-handlers.ts';

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
    listPartitions: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return { partitions: (await api.listPartitions(frame, request)).map(partitionOf) };
    },
    acceptState: async (request, context) => {
      await api.acceptState(await frameOf(context, request.appCode), request);
      return {};
    },
    ...replayHandlers(api, frameOf),
    ...catalogueHandlers(api, frameOf),
    drainNode: async (request, context) => {
      await api.drainNode(await frameOf(context, request.appCode), request);
      return {};
    },
  };
}

function partitionOf(view: PartitionView): MessageInitShape<typeof PartitionSchema> {
  const { lag, queue, lastProgressAtMs, stop, ...rest } = view;
  return {
    ...rest,
    lastProgressAtMs: BigInt(lastProgressAtMs),
    ...(lag === null ? {} : { lag }),
    ...(queue === null ? {} : { queue }),
    ...(stop === null ? {} : { stop: stopOf(stop) }),
  };
}

function stopOf(stop: StoppedPartition): MessageInitShape<typeof PartitionStopSchema> {
  const { expectedOffset, logStartOffset, logEndOffset, committedOffset, acceptance } = stop;
  return {
    ...{ expectedOffset, logStartOffset, logEndOffset, committedOffset },
    stoppedAtMs: BigInt(stop.stoppedAtMs),
    acceptedChoice: acceptance?.choice ?? '',
    acceptedBy: acceptance?.operatorId ?? '',
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
