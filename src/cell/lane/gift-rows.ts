/** Rows that only gifts make: debits owed back, and what a batch adds to the statistics. */
import type { UserId } from '../../domain/ids.ts';
import type { RoomGiftSent } from '../../domain/gift/gift-events.ts';
import type {
  GiftStatRow,
  RoomDayRow,
  RoomWeekRow,
  SettlementRow,
  UserWeekRow,
} from '../../ports/commit-lane.ts';
import { debitKeyOf, prizeKeyOf } from '../../protocol/debit.ts';
import { isoWeekOf } from '../../protocol/iso-week.ts';
import { utcDateOf } from '../../protocol/utc-date.ts';
import type { CellContext } from '../cell-context.ts';
import { isGift, payerOf } from '../charges/payment.ts';
import type { LoggedEnd, RoomDraft } from './draft.ts';

/**
 * A row for every gift that ends otherwise than applied although its coins may be gone, and for every
 * prize of an applied one that may not have been paid: in the
 * transaction of that end, so that neither can be without the other.
 */
export function settlementsOf(
  { options }: Pick<CellContext, 'options'>,
  { room, ends }: RoomDraft,
): SettlementRow[] {
  return ends.flatMap((end) => {
    if (end.kind !== 'logged') return [];
    if (end.result.outcome === 'applied') return prizesOf(options, room, end);
    if (!isGift(end.item) || !end.item.payment.asked) return [];
    const { appCode, roomId, commandId } = end.item.command;
    return [
      {
        debitKey: debitKeyOf(appCode, roomId, commandId),
        appCode,
        roomId,
        commandId,
        payerUserId: payerOf(end.item.command, options),
        partition: room.partition.id,
        reason: end.result.reason,
        createdAtMs: end.decidedAtMs,
        prize: null,
      },
    ];
  });
}

/** A row for every prize of an applied gift that nobody knows to be paid: with the gift or not at all. */
function prizesOf(
  options: CellContext['options'],
  room: RoomDraft['room'],
  { item, decidedAtMs }: LoggedEnd,
): SettlementRow[] {
  if (item.kind !== 'command' || !isGift(item)) return [];
  const { charge } = item.payment;
  if (charge?.kind !== 'charged') return [];
  const { appCode, roomId, commandId } = item.command;
  const payerUserId = payerOf(item.command, options);
  const debitKey = debitKeyOf(appCode, roomId, commandId);
  return charge.draws.flatMap(({ prize, prizeCoins: coins, drawId }, at) => {
    if (prize !== 'pending') return [];
    return [
      {
        debitKey: prizeKeyOf(debitKey, at),
        ...{ appCode, roomId, commandId, payerUserId },
        partition: room.partition.id,
        reason: 'PRIZE_PENDING',
        createdAtMs: decidedAtMs,
        prize: { debitKey, coins, drawId },
      },
    ];
  });
}

/** A gift as it stands in the log. */
interface LoggedGift {
  readonly gift: RoomGiftSent;
  readonly decidedAtMs: number;
}

/** The gifts of a batch in one room. */
export interface RoomGifts {
  readonly state: RoomDraft['state'];
  readonly gifts: readonly LoggedGift[];
}

/** One per room that was given something that counts (ROBOT-5); most batches have none. */
export function giftsOf({ state, ends }: RoomDraft): RoomGifts[] {
  const gifts = ends.flatMap((end) => {
    if (end.kind !== 'logged') return [];
    const { decidedAtMs, step } = end;
    return (step?.events ?? []).flatMap(({ event }) =>
      event.type === 'RoomGiftSent' && !event.isUncounted ? [{ gift: event, decidedAtMs }] : [],
    );
  });
  return gifts.length === 0 ? [] : [{ state, gifts }];
}

/** One row per user whom the batch's gifts of this room name, as sender, receiver or both. */
export function giftStatsOf({ state, gifts }: RoomGifts): GiftStatRow[] {
  const byUser = new Map<UserId, GiftStatRow>();
  for (const { gift, decidedAtMs } of gifts) {
    const coins = { sentCoins: gift.coins, sentCount: BigInt(gift.giftCount) };
    add(byUser, state, gift.senderUserId, decidedAtMs, coins);
    add(byUser, state, gift.targetUserId, decidedAtMs, received(gift));
  }
  return [...byUser.values()];
}

/** One row per day on which the batch's gifts of this room were decided, as with weeks. */
export function roomDaysOf({ state, gifts }: RoomGifts): RoomDayRow[] {
  const { appCode, roomId } = state;
  const byDay = new Map<string, RoomDayRow>();
  for (const { gift, decidedAtMs } of gifts) {
    const utcDay = utcDateOf(decidedAtMs);
    const sums = raised(byDay.get(utcDay), { gift, decidedAtMs });
    byDay.set(utcDay, { appCode, roomId, utcDay, ...sums });
  }
  return [...byDay.values()];
}

/**
 * One row per week in which the batch's gifts of this room were decided. The week is that of the
 * log row and of the events, however late the batch is stored: one batch may reach into two weeks.
 */
export function roomWeeksOf({ state, gifts }: RoomGifts): RoomWeekRow[] {
  const { appCode, roomId } = state;
  const byWeek = new Map<string, RoomWeekRow>();
  for (const { gift, decidedAtMs } of gifts) {
    const isoWeek = isoWeekOf(decidedAtMs);
    const sums = raised(byWeek.get(isoWeek), { gift, decidedAtMs });
    byWeek.set(isoWeek, { appCode, roomId, isoWeek, ...sums });
  }
  return [...byWeek.values()];
}

/** The same for each sender. */
export function userWeeksOf({ state, gifts }: RoomGifts): UserWeekRow[] {
  const { appCode, roomId } = state;
  const byUser = new Map<string, UserWeekRow>();
  for (const { gift, decidedAtMs } of gifts) {
    const isoWeek = isoWeekOf(decidedAtMs);
    const userId = gift.senderUserId;
    const key = `${isoWeek}\0${userId}`;
    const sums = raised(byUser.get(key), { gift, decidedAtMs });
    byUser.set(key, { appCode, roomId, isoWeek, userId, ...sums });
  }
  return [...byUser.values()];
}

type PeriodSums = Pick<RoomDayRow & RoomWeekRow, 'coins' | 'giftCount' | 'updatedAtMs'>;

function raised(before: PeriodSums | undefined, { gift, decidedAtMs }: LoggedGift): PeriodSums {
  return {
    coins: (before?.coins ?? 0n) + gift.coins,
    giftCount: (before?.giftCount ?? 0n) + BigInt(gift.giftCount),
    updatedAtMs: decidedAtMs,
  };
}

function received(event: RoomGiftSent): Pick<GiftStatRow, 'receivedCoins' | 'receivedCount'> {
  return { receivedCoins: event.coins, receivedCount: BigInt(event.giftCount) };
}

function add(
  byUser: Map<UserId, GiftStatRow>,
  { appCode, roomId }: RoomDraft['state'],
  userId: UserId,
  updatedAtMs: number,
  more: Partial<Pick<GiftStatRow, 'sentCoins' | 'sentCount' | 'receivedCoins' | 'receivedCount'>>,
): void {
  const row = byUser.get(userId);
  byUser.set(userId, {
    appCode,
    roomId,
    userId,
    sentCoins: (row?.sentCoins ?? 0n) + (more.sentCoins ?? 0n),
    sentCount: (row?.sentCount ?? 0n) + (more.sentCount ?? 0n),
    receivedCoins: (row?.receivedCoins ?? 0n) + (more.receivedCoins ?? 0n),
    receivedCount: (row?.receivedCount ?? 0n) + (more.receivedCount ?? 0n),
    updatedAtMs,
  });
}
