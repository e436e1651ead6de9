/**
 * The cell's way to the wallet service. Without an address no gift is on sale; what an earlier
 * configuration may have debited stays owed until there is one again.
 */
import { unknownOutcome } from '../kernel/unknown-outcome.ts';
import type { GiftCatalogue } from '../ports/gift-catalogue.ts';
import type { SettlementStore } from '../ports/settlement-store.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { WiringContext } from './wiring-context.ts';

/** What a cell needs to charge gifts. */
export interface OpenWallet {
  readonly wallet: Wallet;
  readonly catalogue: GiftCatalogue;
  readonly settlements: SettlementStore;
}

/** Connects with the first call. */
export function openWallet({ config, drivers, outside, log }: WiringContext): OpenWallet {
  const { giftCatalogue: catalogue, settlementStore: settlements } = drivers.stores;
  if (config.wallet.addr === '') {
    log.warn({}, 'wallet.addr is not set: no gift can be sent');
    return { wallet: absentWallet, catalogue: nothingOnSale(catalogue), settlements };
  }
  return { wallet: outside.wallet(), catalogue, settlements };
}

const nobody = (): Promise<ReturnType<typeof unknownOutcome>> =>
  Promise.resolve(unknownOutcome('wallet.addr is not set'));

const absentWallet: Wallet = {
  debit: nobody,
  find: nobody,
  void: nobody,
  payPrize: nobody,
  stop: () => Promise.resolve(),
};

function nothingOnSale(catalogue: GiftCatalogue): GiftCatalogue {
  return {
    async current(appCode, giftId) {
      const gift = await catalogue.current(appCode, giftId);
      return gift === null ? null : { ...gift, onSale: false };
    },
    version: (appCode, giftId, version) => catalogue.version(appCode, giftId, version),
    put: (appCode, gift, nowMs) => catalogue.put(appCode, gift, nowMs),
    setBy: (appCode, giftId, commandId) => catalogue.setBy(appCode, giftId, commandId),
    list: (appCode, after, limit) => catalogue.list(appCode, after, limit),
  };
}
