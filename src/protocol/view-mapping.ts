/**
 * The client's view of a room, from the wire. The other direction needs nothing: the view's own
 * fields are the schema's.
 */
import type { RankItem } from '../domain/gift/gift-rank.ts';
import type { RocketView } from '../domain/rocket/rocket-view.ts';
import type { RoomView, RoomViewClose, RoomViewMe, SeatView } from '../domain/room/room-view.ts';
import { known } from './wire-shape.ts';
import type { Wire } from './wire-shape.ts';

/** The view as plain data. Throws WireFault when it shows a status or mode of a newer release. */
export function viewFromWire(view: Wire<RoomView>): RoomView {
  return {
    appCode: view.appCode,
    roomId: view.roomId,
    status: known(view.status, 'view.status'),
    version: view.version,
    ownerUserId: view.ownerUserId,
    title: view.title,
    coverUrl: view.coverUrl,
    announcement: view.announcement,
    backgroundUrl: view.backgroundUrl,
    tags: view.tags,
    ext: view.ext,
    mode: known(view.mode, 'view.mode'),
    visibleRegionId: view.visibleRegionId,
    locked: view.locked,
    createdAtMs: view.createdAtMs,
    seats: view.seats.map(seatViewFromWire),
    counts: {
      online: view.counts.online,
      onSeat: view.counts.onSeat,
      robots: view.counts.robots,
    },
    roomHeat: view.roomHeat,
    giftRank: view.giftRank.map(rankItemFromWire),
    rocket: view.rocket === null ? null : rocketViewFromWire(view.rocket),
    closesAtMs: view.closesAtMs,
    close: view.close === null ? null : closeFromWire(view.close),
    me: view.me === null ? null : meFromWire(view.me),
  };
}

function rocketViewFromWire(rocket: Wire<RocketView>): RocketView {
  const { roundNo, level, fuel, fuelTarget, startedAtMs, igniterUserId, launchAtMs } = rocket;
  return {
    roundNo,
    level,
    status: known(rocket.status, 'view.rocket.status'),
    fuel,
    fuelTarget,
    startedAtMs,
    igniterUserId,
    launchAtMs,
    contributors: rocket.contributors.map(rankItemFromWire),
  };
}

/** One place of the gift rank as plain data. */
export function rankItemFromWire({ userId, coins, rank }: Wire<RankItem>): RankItem {
  return { userId, coins, rank };
}

function seatViewFromWire(seat: Wire<SeatView>): SeatView {
  const { seatNo, locked, muted, holder } = seat;
  return {
    seatNo,
    locked,
    muted,
    state: known(seat.state, 'view.seats.state'),
    holder:
      holder === null
        ? null
        : { userId: holder.userId, nickname: holder.nickname, avatarUrl: holder.avatarUrl },
  };
}

function closeFromWire(close: Wire<RoomViewClose>): RoomViewClose {
  const { reason, closedAtMs } = close;
  return { kind: known(close.kind, 'view.close.kind'), reason, closedAtMs };
}

function meFromWire(me: Wire<RoomViewMe>): RoomViewMe {
  const { present, seatNo, micSessionId, muted } = me;
  return { role: known(me.role, 'view.me.role'), present, seatNo, micSessionId, muted };
}
