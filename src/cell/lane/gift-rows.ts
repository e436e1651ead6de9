/** Rows that only gifts make: debits owed back, and what a batch adds to users' statistics. */
import type { UserId } from '../../domain/ids.ts';
import type { RoomGiftSent } from '../../domain/gift/gift-events.ts';
import type { GiftStatRow, SettlementRow } from '../../ports/commit-lane.ts';
import { debitKeyOf } from '../../protocol/debit.ts';
import { isGift } from '../charges/payment.ts';
import type { RoomDraft } from './draft.ts';

/**
 * A row for every gift that ends otherwise than applied although its coins may be gone: in the
 * transaction of that end, so that neither can be without the other.
 */
export function settlementsOf({ room, ends }: RoomDraft): SettlementRow[] {
  return ends.flatMap((end) => {
    if (end.kind !== 'logged' || end.result.outcome === 'applied') return [];
    if (!isGift(end.item) || !end.item.payment.asked) return [];
    const { appCode, roomId, commandId, actorUserId } = end.item.command;
    return [
      {
        debitKey: debitKeyOf(appCode, roomId, commandId),
        appCode,
        roomId,
        commandId,
        payerUserId: actorUserId,
        partition: room.partition.id,
        reason: end.result.reason,
        createdAtMs: end.decidedAtMs,
      },
    ];
  });
}

/** One row per user whom the batch's gifts of this room name, as sender, receiver or both. */
export function giftStatsOf({ state, ends }: RoomDraft): GiftStatRow[] {
  const byUser = new Map<UserId, GiftStatRow>();
  for (const end of ends) {
    if (end.kind !== 'logged') continue;
    for (const { event } of end.step?.events ?? []) {
      if (event.type !== 'RoomGiftSent') continue;
      const coins = { sentCoins: event.coins, sentCount: BigInt(event.giftCount) };
      add(byUser, state, event.senderUserId, end.decidedAtMs, coins);
      add(byUser, state, event.targetUserId, end.decidedAtMs, received(event));
    }
  }
  return [...byUser.values()];
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
