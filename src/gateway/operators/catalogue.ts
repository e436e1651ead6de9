/** What an app sells and how its rockets work, as its operators look at it and change it (GIFT-1, ROCKET-1). */
import { coinsMax } from '../../domain/gift/gift-limits.ts';
import { wideIdFault, type AppCode, type GiftId } from '../../domain/ids.ts';
import { rocketRulesFaults, type RocketRules } from '../../domain/rocket/rocket-rules.ts';
import { assertDefined } from '../../kernel/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GiftCatalogue } from '../../ports/gift-catalogue.ts';
import type { OperatorApi, RocketRulesRequest } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import type { RocketRulesStore } from '../../ports/rocket-rules-store.ts';
import { createFieldFaults, type FieldFaults } from '../field-faults.ts';
import { cursorBehind, pageFaults, pageSizeOf } from '../pages.ts';
import { authorizeOperator } from './authorize-operator.ts';
import { actFaults, actHead, carryOut, orUnknown } from './carry-out.ts';

/** What catalogue and rules are read and changed with. */
export interface CataloguePorts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly operatorStore: Pick<OperatorStore, 'carryOut'>;
  readonly giftCatalogue: Pick<GiftCatalogue, 'list' | 'setBy'>;
  readonly rocketRules: Pick<RocketRulesStore, 'current' | 'setBy'>;
}

/** See `OperatorApi`. */
export function createCatalogueActs(
  ports: CataloguePorts,
): Pick<OperatorApi, 'listGifts' | 'setGift' | 'getRocketRules' | 'setRocketRules'> {
  const { giftCatalogue, rocketRules } = ports;
  return {
    async listGifts(frame, request) {
      authorizeOperator(frame, { appCode: request.appCode, actorUserId: '' });
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(request.appCode));
      const after = pageFaults(faults, request, wideIdFault);
      faults.throwIfAny();
      const size = pageSizeOf(request.pageSize);
      const gifts = await giftCatalogue.list(request.appCode as AppCode, after as GiftId, size);
      return { gifts, nextCursor: cursorBehind(gifts, size, ({ giftId }) => giftId) };
    },
    async setGift(frame, request) {
      const operatorId = authorizeOperator(frame, request);
      const { giftId, coinPrice, onSale, lucky } = request.gift;
      const faults = actFaults(request, operatorId);
      faults.add('gift.gift_id', wideIdFault(giftId));
      const isPrice = coinPrice >= 1n && coinPrice <= coinsMax;
      faults.add('gift.coin_price', isPrice ? null : 'not a price above 0');
      faults.throwIfAny();
      const head = actHead(request, operatorId);
      const gift = { giftId: giftId as GiftId, coinPrice, onSale, lucky };
      await carryOut(ports, { ...head, type: 'SetGift', gift });
      const made = orUnknown(giftCatalogue.setBy(head.appCode, gift.giftId, head.commandId));
      return assertDefined(await made, 'a version that was set is not there');
    },
    async getRocketRules(frame, { appCode }) {
      authorizeOperator(frame, { appCode, actorUserId: '' });
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(appCode));
      faults.throwIfAny();
      return rocketRules.current(appCode as AppCode);
    },
    async setRocketRules(frame, request) {
      const operatorId = authorizeOperator(frame, request);
      const faults = actFaults(request, operatorId);
      const rules = checkedRules(faults, request.rules);
      faults.throwIfAny();
      const head = actHead(request, operatorId);
      await carryOut(ports, { ...head, type: 'SetRocketRules', rules });
      const made = orUnknown(rocketRules.setBy(head.appCode, head.commandId));
      return assertDefined(await made, 'rules that were set are not there');
    },
  };
}

function checkedRules(
  faults: FieldFaults,
  request: RocketRulesRequest,
): Omit<RocketRules, 'rulesVersion'> {
  const rules = {
    ...request,
    reset: oneOf(faults, 'rules.reset', request.reset, ['round', 'day']),
    overflow: oneOf(faults, 'rules.overflow', request.overflow, ['carry', 'cap']),
  };
  for (const fault of rocketRulesFaults(rules)) faults.add('rules', fault);
  return rules;
}

/** The first word is meant by ''. */
function oneOf<Word extends string>(
  faults: FieldFaults,
  field: string,
  text: string,
  words: readonly [Word, ...Word[]],
): Word {
  const found = text === '' ? words[0] : words.find((word) => word === text);
  faults.add(field, found === undefined ? `not one of ${words.join(', ')}` : null);
  return found ?? words[0];
}
