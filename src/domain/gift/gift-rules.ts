/**
 * What must hold before money moves (GIFT-2). `plan` and `decide` ask the same function: what `plan`
 * let through to the wallet is refused by `decide` only if the room changed in between, and what it
 * did not let through is refused without a payment.
 */
import type { UserId } from '../ids.ts';
import type { SendGift } from './gift-commands.ts';
import type { Rejected } from '../room/decision.ts';
import { rejected } from '../room/outcomes.ts';
import { refuseByStatus, refuseUnlessPresent } from '../room/room-guards.ts';
import type { RoomState } from '../room/state.ts';
import { giftCountMax, giftTargetsMax } from './gift-limits.ts';

/**
 * The refusal of a gift by its room, or null when only the payment is missing. A sender may be among
 * its own targets. Nobody is skipped: one absent target refuses the whole gift, because a caller who
 * chose the targets must not pay for others (decision 22).
 */
export function refuseGift(
  body: SendGift,
  senderUserId: UserId,
  state: RoomState,
): Rejected | null {
  return (
    refuseByStatus(body.type, state.status) ??
    refuseMalformed(body) ??
    refuseUnlessPresent(state, senderUserId) ??
    refuseAbsentTarget(body, state)
  );
}

/** The gateway has checked the same; a record of another producer must not get to the wallet. */
function refuseMalformed({ giftCount, targetUserIds }: SendGift): Rejected | null {
  if (!Number.isInteger(giftCount) || giftCount < 1 || giftCount > giftCountMax) {
    return invalid('gift_count', `not a whole number from 1 to ${giftCountMax}`);
  }
  if (targetUserIds.length === 0) return invalid('target_user_ids', 'missing');
  if (targetUserIds.length > giftTargetsMax) {
    return invalid('target_user_ids', `more than ${giftTargetsMax}`);
  }
  const isUnique = new Set(targetUserIds).size === targetUserIds.length;
  return isUnique ? null : invalid('target_user_ids', 'named twice');
}

function refuseAbsentTarget({ targetUserIds }: SendGift, state: RoomState): Rejected | null {
  const absent = targetUserIds.find((userId) => !state.users.has(userId));
  if (absent === undefined) return null;
  return rejected('USER_NOT_PRESENT', { user_id: absent, role: 'target' });
}

function invalid(field: string, fault: string): Rejected {
  return rejected('INVALID_GIFT', { field, fault });
}
