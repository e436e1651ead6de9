/** A command's answer as the wire carries it, back into the words of its result record. */
import type { BatchDisplay } from '../../../src/domain/gift/batch-display.ts';
import type { LuckyDrawResult } from '../../../src/domain/gift/lucky-draw.ts';
import type { GiftId, MicSessionId, RoomVersion, UserId } from '../../../src/domain/ids.ts';
import type { ResultFields } from '../../../src/domain/room/decision.ts';
import type { PresentUser } from '../../../src/domain/room/state.ts';
import type {
  CommandResult,
  LuckyGiftDrawResult,
  RoomUser,
  SendGiftBatchDisplay,
} from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { nameOf, prizeStates } from '../../../src/drivers/grpc/room-names.ts';
import type { ResultRecord } from '../../../src/protocol/records.ts';

/** A refusal comes as a failure: this is always a success. */
export function resultOf(message: CommandResult): ResultRecord {
  return {
    outcome: message.applied ? 'applied' : 'no_effect',
    roomVersion: message.roomVersion as RoomVersion,
    reason: '',
    facts: {},
    fields: fieldsOf(message),
  };
}

/** What the wire leaves at its zero value does not apply. */
function fieldsOf(message: CommandResult): ResultFields {
  const { user, seatNo, micSessionId, publishDeadlineMs } = message;
  return {
    ...(user === undefined ? {} : { user: userOf(user) }),
    ...(seatNo === 0 ? {} : { seatNo }),
    ...(micSessionId === '' ? {} : { micSessionId: micSessionId as MicSessionId }),
    ...(publishDeadlineMs === 0n ? {} : { publishDeadlineMs: Number(publishDeadlineMs) }),
    ...(message.billingReceiptId === '' ? {} : giftFieldsOf(message)),
  };
}

function giftFieldsOf(message: CommandResult): ResultFields {
  const { billingReceiptId, coinBalanceAfter, giftIncomeBalanceAfter, roomHeat } = message;
  return {
    billingReceiptId,
    roomHeat,
    giftRank: message.giftRank.map(({ userId, coins, rank }) => {
      return { userId: userId as UserId, coins, rank };
    }),
    ...(coinBalanceAfter === undefined ? {} : { coinBalanceAfter }),
    ...(giftIncomeBalanceAfter === undefined ? {} : { giftIncomeBalanceAfter }),
    ...(message.batchDisplay === undefined ? {} : { batchDisplay: batchOf(message.batchDisplay) }),
    ...luckyDrawsOf(message),
  };
}

function batchOf(message: SendGiftBatchDisplay): BatchDisplay {
  const { giftId, giftCount, targetUserIds, totalCoins, comboId } = message;
  return {
    ...{ giftId: giftId as GiftId, giftCount, totalCoins, comboId },
    targetUserIds: targetUserIds as UserId[],
  };
}

function luckyDrawsOf({ luckyGift, luckyGifts }: CommandResult): ResultFields {
  const draws = luckyGift === undefined ? luckyGifts : [luckyGift];
  return draws.length === 0 ? {} : { luckyDraws: draws.map(drawOf) };
}

function drawOf(message: LuckyGiftDrawResult): LuckyDrawResult {
  const { giftCount, drawId, multiplierPercent, prizeCoins, prizeReceiptId } = message;
  return {
    targetUserId: message.targetUserId as UserId,
    giftId: message.giftId as GiftId,
    ...{ giftCount, drawId, multiplierPercent, prizeCoins, prizeReceiptId },
    prize: nameOf(prizeStates, message.prize, 'none'),
    balanceAfter: message.balanceAfter ?? null,
  };
}

/** Without the version at which the user came: the wire does not show it. */
function userOf({ userId, profile, isRobot, joinedAtMs }: RoomUser): PresentUser {
  const { nickname = '', avatarUrl = '', countryCode = '', ext = '' } = profile ?? {};
  const shown = { userId, profile: { nickname, avatarUrl, countryCode, ext }, isRobot };
  return { ...shown, joinedAtMs: Number(joinedAtMs) } as unknown as PresentUser;
}
