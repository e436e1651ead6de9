/** RoomQueries over gRPC: messages to the gateway's reads and back. Translation only. */
import type { CallFrame, RoomApi } from '../../ports/room-api.ts';
import type { RoomReadApi } from '../../ports/room-read-api.ts';
import { Consistency, LeaderboardPeriod } from './generated/roomcell/v1/room_queries_pb.ts';
import type { RoomQueries } from './generated/roomcell/v1/room_queries_pb.ts';
import type { CallContext, ServiceHandlers } from './grpc-bridge.ts';
import { audienceUser, micRequest, roomBan } from './owner-reads-answers.ts';
import { commandLookup, roomListEntry, roomSnapshot } from './room-answers.ts';
import type { RtcSdkAppIds } from './room-answers.ts';
import { listRoomsOf } from './room-requests.ts';
import { watchRoomResponse } from './watch-messages.ts';

/** Turns what a call brought into its frame. */
export type FrameOf = (context: CallContext, appCode: string) => Promise<CallFrame>;

/** Names of the wire as the gateway takes them. */
const consistencies: Readonly<Record<number, string>> = {
  [Consistency.UNSPECIFIED]: '',
  [Consistency.OWNER]: 'owner',
  [Consistency.CACHED]: 'cached',
};

const periods: Readonly<Record<number, string>> = {
  [LeaderboardPeriod.UNSPECIFIED]: '',
  [LeaderboardPeriod.DAY]: 'day',
  [LeaderboardPeriod.WEEK]: 'week',
  [LeaderboardPeriod.ALL]: 'all',
};

/** A handler for each method. */
export function queryHandlers(
  api: RoomApi & RoomReadApi,
  frameOf: FrameOf,
  rtcSdkAppIds: RtcSdkAppIds,
): ServiceHandlers<typeof RoomQueries> {
  return {
    ...roomHandlers(api, frameOf, rtcSdkAppIds),
    getCommand: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return commandLookup(request.roomId, await api.getCommand(frame, request));
    },
    listRooms: async (request, context) => {
      const query = listRoomsOf(request);
      const page = await api.listRooms(await frameOf(context, query.appCode), query);
      return { rooms: page.entries.map(roomListEntry), nextCursor: page.nextCursor };
    },
    batchGetRooms: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return { rooms: (await api.batchGetRooms(frame, request)).map(roomListEntry) };
    },
    listRoomsByOwner: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { entries, nextCursor } = await api.listRoomsByOwner(frame, request);
      return { rooms: entries.map(roomListEntry), nextCursor };
    },
    getLeaderboard: async (request, context) => {
      const { appCode, previous, pageSize, cursor } = request;
      const period = periods[request.period] ?? `unknown:${request.period}`;
      const frame = await frameOf(context, appCode);
      const query = { appCode, period, previous, pageSize, cursor };
      const { places, ...page } = await api.getLeaderboard(frame, query);
      return { places: [...places], ...page };
    },
    getUserRooms: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { rooms, nextCursor } = await api.getUserRooms(frame, request);
      const messages = rooms.map(({ roomId, joinedAtMs }) => ({
        roomId,
        joinedAtMs: BigInt(joinedAtMs),
      }));
      return { rooms: messages, nextCursor };
    },
  };
}

function roomHandlers(api: RoomReadApi, frameOf: FrameOf, rtcSdkAppIds: RtcSdkAppIds) {
  return {
    getRoomSnapshot: async (request, context) => {
      const { appCode, roomId } = request;
      const consistency = consistencies[request.consistency] ?? `unknown:${request.consistency}`;
      const frame = await frameOf(context, appCode);
      const view = await api.readRoom(frame, { appCode, roomId, consistency });
      return { snapshot: roomSnapshot(view, rtcSdkAppIds) };
    },
    guardUser: async (request, context) =>
      api.guardUser(await frameOf(context, request.appCode), request),
    issueRtcTicket: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { sdkAppId, expiresAtMs, ...ticket } = await api.issueRtcTicket(frame, request);
      return { ...ticket, rtcSdkAppId: BigInt(sdkAppId), expiresAtMs: BigInt(expiresAtMs) };
    },
    listAudience: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { users, ...page } = await api.listAudience(frame, request);
      return { users: users.map(audienceUser), ...page };
    },
    listBans: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { bans, ...page } = await api.listBans(frame, request);
      return { bans: bans.map(roomBan), ...page };
    },
    listMicRequests: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { requests, roomVersion } = await api.listMicRequests(frame, request);
      return { requests: requests.map(micRequest), roomVersion };
    },
    async *watchRoom(request, context) {
      const frame = await frameOf(context, request.appCode);
      for await (const message of api.watchRoom(frame, request)) {
        yield watchRoomResponse(message, rtcSdkAppIds);
      }
    },
    getGiftRank: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { giftRank, ...rest } = await api.getGiftRank(frame, request);
      return { giftRank: [...giftRank], ...rest };
    },
  } satisfies Partial<ServiceHandlers<typeof RoomQueries>>;
}
