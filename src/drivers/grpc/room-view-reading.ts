/** A room's view as another node sent it: the way back of `roomSnapshot` in `room-answers.ts`. */
import type { AppCode, MicSessionId, RoomId, RoomVersion, UserId } from '../../domain/ids.ts';
import type { RankItem } from '../../domain/gift/gift-rank.ts';
import type { RocketView } from '../../domain/rocket/rocket-view.ts';
import type { RoomView, RoomViewMe, SeatView } from '../../domain/room/room-view.ts';
import type {
  RankItem as ProtoRankItem,
  RoomMe,
  RoomRocket,
  RoomSnapshot,
  Seat,
} from './generated/roomcell/v1/room_types_pb.ts';
import {
  closerKinds,
  nameOf,
  rocketStatuses,
  roomModes,
  roomRoles,
  roomStatuses,
  seatStates,
} from './room-names.ts';

/** Names that this release does not know become the most cautious one: a room is then closed. */
export function roomViewOf(message: RoomSnapshot): RoomView {
  const { close, me, counts } = message;
  return {
    appCode: message.appCode as AppCode,
    roomId: message.roomId as RoomId,
    status: nameOf(roomStatuses, message.status, 'closed'),
    version: message.roomVersion as RoomVersion,
    ownerUserId: message.ownerUserId as UserId,
    title: message.title,
    coverUrl: message.coverUrl,
    announcement: message.announcement,
    backgroundUrl: message.backgroundUrl,
    tags: message.tags,
    ext: message.ext,
    mode: nameOf(roomModes, message.mode, 'apply'),
    visibleRegionId: message.visibleRegionId,
    locked: message.locked,
    createdAtMs: Number(message.createdAtMs),
    seats: message.seats.map(seatOf),
    counts: {
      online: counts?.online ?? 0,
      onSeat: counts?.onSeat ?? 0,
      robots: counts?.robots ?? 0,
    },
    roomHeat: message.roomHeat,
    giftRank: message.giftRank.map(rankItemOf),
    rocket: message.rocket === undefined ? null : rocketOf(message.rocket),
    closesAtMs: Number(message.closesAtMs),
    close:
      close === undefined
        ? null
        : {
            kind: nameOf(closerKinds, close.kind, 'system'),
            reason: close.reason,
            closedAtMs: Number(close.closedAtMs),
          },
    me: me === undefined ? null : meOf(me),
  };
}

function rocketOf(rocket: RoomRocket): RocketView {
  const { roundNo, level, fuel, fuelTarget, contributors } = rocket;
  return {
    roundNo,
    level,
    status: nameOf(rocketStatuses, rocket.status, 'charging'),
    fuel,
    fuelTarget,
    startedAtMs: Number(rocket.startedAtMs),
    igniterUserId: rocket.igniterUserId as UserId | '',
    launchAtMs: Number(rocket.launchAtMs),
    contributors: contributors.map(rankItemOf),
  };
}

function rankItemOf({ userId, coins, rank }: ProtoRankItem): RankItem {
  return { userId: userId as UserId, coins, rank };
}

function seatOf({ seatNo, locked, muted, state, holder }: Seat): SeatView {
  return {
    seatNo,
    locked,
    muted,
    state: nameOf(seatStates, state, 'idle'),
    holder:
      holder === undefined
        ? null
        : {
            userId: holder.userId as UserId,
            nickname: holder.nickname,
            avatarUrl: holder.avatarUrl,
          },
  };
}

function meOf({ role, present, seatNo, micSessionId, muted }: RoomMe): RoomViewMe {
  return {
    role: nameOf(roomRoles, role, 'member'),
    present,
    seatNo,
    micSessionId: micSessionId as MicSessionId | '',
    muted,
  };
}
