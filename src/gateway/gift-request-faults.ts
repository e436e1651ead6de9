/** The rules of the fields of requests about gifts. */
import { giftCountMax, giftTargetsMax } from '../domain/gift/gift-limits.ts';
import { giftIdFault, userIdFault } from '../domain/ids.ts';
import type { GiftRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';
import { fieldSizes } from './field-rules.ts';

/** Notes every fault of the request's own fields. */
export function giftRequestFaults(faults: FieldFaults, request: GiftRequest): void {
  faults.add('gift_id', giftIdFault(request.giftId));
  faults.integer('gift_count', request.giftCount, 1, giftCountMax);
  targetFaults(faults, request.targetUserIds);
  faults.text('combo_id', request.comboId, fieldSizes.comboId);
}

function targetFaults(faults: FieldFaults, targetUserIds: readonly string[]): void {
  if (targetUserIds.length === 0) return faults.add('target_user_ids', 'missing');
  if (targetUserIds.length > giftTargetsMax) {
    return faults.add('target_user_ids', `more than ${giftTargetsMax}`);
  }
  targetUserIds.forEach((userId, index) =>
    faults.add(`target_user_ids[${index}]`, userIdFault(userId)),
  );
  if (new Set(targetUserIds).size < targetUserIds.length) {
    faults.add('target_user_ids', 'named twice');
  }
}
