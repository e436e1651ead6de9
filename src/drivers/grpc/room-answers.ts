/**
 * Answers of the gateway as the wire carries them. Adds the addresses that only a deployment knows:
 * the room's IM group and its RTC room.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { BatchDisplay } from '../../domain/gift/batch-display.ts';
import type { LuckyDrawResult } from '../../domain/gift/lucky-draw.ts';
import type { AppCode, RoomId } from '../../domain/ids.ts';
import type { ResultFields } from '../../domain/room/decision.ts';
import type { RocketView } from '../../domain/rocket/rocket-view.ts';
import type { RoomView, SeatView } from '../../domain/room/room-view.ts';
import type { PresentUser } from '../../domain/room/state.ts';
import type { CommandLookup, CommandSuccess } from '../../ports/room-api.ts';
import type { ListEntry } from '../../ports/room-queries.ts';
import { imGroupId } from '../../protocol/im-group-id.ts';
import type { ResultRecord } from '../../protocol/records.ts';
import type { GetCommandResponseSchema } from './generated/roomcell/v1/room_queries_pb.ts';
import { CommandState } from './generated/roomcell/v1/room_queries_pb.ts';
import type { RoomListEntrySchema } from './generated/roomcell/v1/room_queries_pb.ts';
import type {
  CommandResultSchema,
  LuckyGiftDrawResultSchema,
  RoomRocketSchema,
  RoomSnapshotSchema,
  RoomUserSchema,
  SeatSchema,
} from './generated/roomcell/v1/room_types_pb.ts';
import {
  closerKinds,
  modeOf,
  prizeStates,
  rocketStatuses,
  roomRoles,
  roomStatuses,
  seatStates,
} from './room-names.ts';

/** The RTC application of each app; an app without one gets 0. */
export type RtcSdkAppIds = ReadonlyMap<string, number>;

/** A command that succeeded. */
export function commandResult(
  success: CommandSuccess,
  rtcSdkAppIds: RtcSdkAppIds,
): MessageInitShape<typeof CommandResultSchema> {
  const { roomId, result, replayed, view } = success;
  return {
    ...resultMessage(roomId, result),
    replayed,
    ...(view === null ? {} : { snapshot: roomSnapshot(view, rtcSdkAppIds) }),
  };
}

/** A bounded view of a room. */
export function roomSnapshot(
  view: RoomView,
  rtcSdkAppIds: RtcSdkAppIds,
): MessageInitShape<typeof RoomSnapshotSchema> {
  const { appCode, roomId, close, me } = view;
  return {
    appCode,
    roomId,
    roomVersion: view.version,
    status: roomStatuses[view.status],
    ownerUserId: view.ownerUserId,
    title: view.title,
    coverUrl: view.coverUrl,
    announcement: view.announcement,
    backgroundUrl: view.backgroundUrl,
    tags: [...view.tags],
    ext: view.ext,
    mode: modeOf(view.mode),
    visibleRegionId: view.visibleRegionId,
    locked: view.locked,
    createdAtMs: BigInt(view.createdAtMs),
    ...roomAddresses(appCode, roomId, rtcSdkAppIds),
    seats: view.seats.map(seat),
    counts: view.counts,
    roomHeat: view.roomHeat,
    giftRank: [...view.giftRank],
    closesAtMs: BigInt(view.closesAtMs),
    ...(view.rocket === null ? {} : { rocket: rocketMessage(view.rocket) }),
    ...(close === null ? {} : { close: closeMessage(close) }),
    ...(me === null ? {} : { me: { ...me, role: roomRoles[me.role] } }),
  };
}

function rocketMessage(rocket: RocketView): MessageInitShape<typeof RoomRocketSchema> {
  return {
    ...rocket,
    status: rocketStatuses[rocket.status],
    startedAtMs: BigInt(rocket.startedAtMs),
    launchAtMs: BigInt(rocket.launchAtMs),
    contributors: [...rocket.contributors],
  };
}

/** What became of a command. */
export function commandLookup(
  roomId: string,
  lookup: CommandLookup,
): MessageInitShape<typeof GetCommandResponseSchema> {
  if (lookup.kind === 'notExecuted') return { state: CommandState.NOT_EXECUTED };
  if (lookup.kind === 'pendingPossible') return { state: CommandState.PENDING_POSSIBLE };
  const { commandType, result } = lookup;
  const { reason, roomVersion } = result;
  if (result.outcome === 'rejected') {
    const rejection = { reason, facts: { ...result.facts }, roomVersion };
    return { state: CommandState.REJECTED, commandType, rejection };
  }
  const state = result.outcome === 'applied' ? CommandState.APPLIED : CommandState.NO_EFFECT;
  return { state, commandType, result: { ...resultMessage(roomId, result), replayed: true } };
}

/** One entry of the room list. */
export function roomListEntry(entry: ListEntry): MessageInitShape<typeof RoomListEntrySchema> {
  return {
    ...entry,
    status: roomStatuses[entry.status],
    mode: modeOf(entry.mode),
    tags: [...entry.tags],
    createdAtMs: BigInt(entry.createdAtMs),
  };
}

function resultMessage(roomId: string, result: ResultRecord) {
  const { outcome, roomVersion, fields } = result;
  return { applied: outcome === 'applied', roomVersion, roomId, ...resultFields(fields) };
}

function resultFields(fields: ResultFields) {
  const { user, seatNo, micSessionId, publishDeadlineMs } = fields;
  return {
    ...giftFields(fields),
    ...(user === undefined ? {} : { user: roomUser(user) }),
    ...(seatNo === undefined ? {} : { seatNo }),
    ...(micSessionId === undefined ? {} : { micSessionId }),
    ...(publishDeadlineMs === undefined ? {} : { publishDeadlineMs: BigInt(publishDeadlineMs) }),
  };
}

function giftFields(fields: ResultFields) {
  const { billingReceiptId, coinBalanceAfter, giftIncomeBalanceAfter, roomHeat } = fields;
  const { giftRank, batchDisplay, luckyDraws = [] } = fields;
  return {
    ...(billingReceiptId === undefined ? {} : { billingReceiptId }),
    ...(coinBalanceAfter === undefined ? {} : { coinBalanceAfter }),
    ...(giftIncomeBalanceAfter === undefined ? {} : { giftIncomeBalanceAfter }),
    ...(roomHeat === undefined ? {} : { roomHeat }),
    ...(giftRank === undefined ? {} : { giftRank: [...giftRank] }),
    ...(batchDisplay === undefined ? {} : { batchDisplay: batchMessage(batchDisplay) }),
    ...luckyGifts(luckyDraws.map(luckyGift)),
  };
}

function batchMessage(batch: BatchDisplay) {
  return { ...batch, targetUserIds: [...batch.targetUserIds] };
}

/** One draw has a field of its own, several a list (RES-14, RES-15). */
function luckyGifts(draws: readonly MessageInitShape<typeof LuckyGiftDrawResultSchema>[]) {
  const [single] = draws;
  if (draws.length === 1 && single !== undefined) return { luckyGift: single };
  return draws.length === 0 ? {} : { luckyGifts: [...draws] };
}

function luckyGift(draw: LuckyDrawResult): MessageInitShape<typeof LuckyGiftDrawResultSchema> {
  const { prize, balanceAfter, ...fields } = draw;
  return {
    ...fields,
    win: draw.prizeCoins > 0n,
    prize: prizeStates[prize],
    ...(balanceAfter === null ? {} : { balanceAfter }),
  };
}

/** A present user. */
export function roomUser(user: PresentUser): MessageInitShape<typeof RoomUserSchema> {
  const { userId, profile, isRobot, joinedAtMs } = user;
  return { userId, profile, isRobot, joinedAtMs: BigInt(joinedAtMs) };
}

function seat(view: SeatView): MessageInitShape<typeof SeatSchema> {
  const { seatNo, locked, muted, holder } = view;
  const state = seatStates[view.state];
  return { seatNo, locked, muted, state, ...(holder === null ? {} : { holder }) };
}

function closeMessage(close: NonNullable<RoomView['close']>) {
  const { kind, reason, closedAtMs } = close;
  return { kind: closerKinds[kind], reason, closedAtMs: BigInt(closedAtMs) };
}

function roomAddresses(appCode: AppCode, roomId: RoomId, rtcSdkAppIds: RtcSdkAppIds) {
  return {
    imGroupId: imGroupId(appCode, roomId),
    rtcSdkAppId: BigInt(rtcSdkAppIds.get(appCode) ?? 0),
    rtcRoomId: roomId,
  };
}
