/** The part of RoomAdmin about gifts and rocket rules. Translation only. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RocketRules } from '../../domain/rocket/rocket-rules.ts';
import type { GiftRequest, OperatorApi, RocketRulesRequest } from '../../ports/operator-api.ts';
import type {
  GiftOffer,
  RocketRules as WireRules,
  RocketRulesSchema,
  RoomAdmin,
} from './generated/roomcell/v1/room_admin_pb.ts';
import type { ServiceHandlers } from './grpc-bridge.ts';
import type { FrameOf } from './query-handlers.ts';

/** A handler for each of these methods. */
export function catalogueHandlers(
  api: OperatorApi,
  frameOf: FrameOf,
): Pick<
  ServiceHandlers<typeof RoomAdmin>,
  'listGifts' | 'setGift' | 'getRocketRules' | 'setRocketRules'
> {
  return {
    listGifts: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { gifts, nextCursor } = await api.listGifts(frame, request);
      return { gifts: [...gifts], nextCursor };
    },
    setGift: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const gift = offerOf(request.gift);
      return { gift: await api.setGift(frame, { ...request, gift }) };
    },
    getRocketRules: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const rules = await api.getRocketRules(frame, request);
      return rules === null ? {} : { rules: rulesOf(rules), rulesVersion: rules.rulesVersion };
    },
    setRocketRules: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const rules = rulesRequestOf(request.rules);
      const { rulesVersion } = await api.setRocketRules(frame, { ...request, rules });
      return { rulesVersion };
    },
  };
}

/** No gift at all is one without a name, which is refused as such. */
function offerOf(gift: GiftOffer | undefined): GiftRequest {
  return {
    giftId: gift?.giftId ?? '',
    coinPrice: gift?.coinPrice ?? 0n,
    onSale: gift?.onSale ?? false,
    lucky: gift?.lucky ?? false,
  };
}

function rulesOf(rules: RocketRules): MessageInitShape<typeof RocketRulesSchema> {
  const { enabled, fuelPerCoin, reset, minimumContribution, overflow, countsRobots } = rules;
  const levels = rules.levels.map(({ fuelTarget, countdownMs, rewards }) => ({
    fuelTarget,
    countdownMs,
    rewards: [...rewards],
  }));
  return { enabled, levels, fuelPerCoin, reset, minimumContribution, overflow, countsRobots };
}

/** No rules at all are rules without a level, which are refused as such. */
function rulesRequestOf(rules: WireRules | undefined): RocketRulesRequest {
  const levels = (rules?.levels ?? []).map(({ fuelTarget, countdownMs, rewards }) => ({
    fuelTarget,
    countdownMs,
    rewards: rewards.map(({ fromRank, toRank, rewardId, quantity }) => {
      return { fromRank, toRank, rewardId, quantity };
    }),
  }));
  return {
    enabled: rules?.enabled ?? false,
    levels,
    fuelPerCoin: rules?.fuelPerCoin ?? 0n,
    reset: rules?.reset ?? '',
    minimumContribution: rules?.minimumContribution ?? 0n,
    overflow: rules?.overflow ?? '',
    countsRobots: rules?.countsRobots ?? false,
  };
}
