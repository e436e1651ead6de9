/**
 * Puts the gifts of `catalogue_at_start` on sale, for development and first deployments. A gift that
 * the app ever had is left alone: operators change prices (`roomcell gifts set`), not restarts.
 */
import type { AppCode, GiftId } from '../domain/ids.ts';
import type { WiringContext } from './wiring-context.ts';

/** Throws Retry while MySQL is away. Two cells at once may make two equal versions, which is harmless. */
export async function fillCatalogue(context: WiringContext): Promise<void> {
  const { config, drivers, clock, log } = context;
  const { giftCatalogue } = drivers.stores;
  for (const text of config.catalogueAtStart) {
    const { appCode, giftId, coinPrice, lucky } = readGiftOnSale(text);
    if ((await giftCatalogue.current(appCode, giftId)) !== null) continue;
    await giftCatalogue.put(appCode, { giftId, coinPrice, onSale: true, lucky }, clock.wallMs());
    log.info({ appCode, giftId, coinPrice }, 'a gift was put on sale');
  }
}

/** Reads `app_code/gift_id=coins`, `/lucky` behind it, whose shape the configuration has checked. */
function readGiftOnSale(text: string) {
  const [name = '', price = ''] = text.split('=');
  const [coins = '', mark] = price.split('/');
  const [appCode = '', giftId = ''] = name.split('/');
  return {
    appCode: appCode as AppCode,
    giftId: giftId as GiftId,
    coinPrice: BigInt(coins),
    lucky: mark === 'lucky',
  };
}
