/**
 * What the sender's own client shows of a gift to several targets (BATCH-1, RES-16): one picture of
 * the whole command, as its result keeps it. It replaces none of the facts, of which each target has
 * its own.
 */
import type { GiftId, UserId } from '../ids.ts';
import type { SendGift } from './gift-commands.ts';
import type { ChargeReceipt } from './charge.ts';

/** See the file header. */
export interface BatchDisplay {
  readonly giftId: GiftId;
  /** For each target. */
  readonly giftCount: number;
  /** In the order in which the facts were made. */
  readonly targetUserIds: readonly UserId[];
  /** For all targets together. */
  readonly totalCoins: bigint;
  /** The command's own, or ''. */
  readonly comboId: string;
}

/** The picture of a paid gift; null for one target, whose fact shows everything. */
export function batchDisplay(body: SendGift, { unitPrice }: ChargeReceipt): BatchDisplay | null {
  const { giftId, giftCount, targetUserIds, comboId } = body;
  if (targetUserIds.length < 2) return null;
  const totalCoins = unitPrice * BigInt(giftCount) * BigInt(targetUserIds.length);
  return { giftId, giftCount, targetUserIds, totalCoins, comboId };
}
