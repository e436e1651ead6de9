/** What can be asked about gifts. */
import type { GiftId, UserId } from '../ids.ts';

/**
 * SendGift: the actor gives `giftCount` of one gift to every target. The price is never the caller's
 * word (GIFT-1): it comes with the charge.
 */
export interface SendGift {
  readonly type: 'SendGift';
  readonly giftId: GiftId;
  /** For each target. */
  readonly giftCount: number;
  /** In the order in which the facts are made; that order is part of what the command is. */
  readonly targetUserIds: readonly UserId[];
  /** Opaque to us: the client's own mark for gifts shown as one chain, or ''. */
  readonly comboId: string;
}
