/** Gifts put on sale by configuration. */
import { describe, expect, it } from 'vitest';
import type { AppCode, GiftId } from '../../../src/domain/ids.ts';
import { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryGiftCatalogue } from '../../../src/drivers/memory/memory-gift-catalogue.ts';
import { fillCatalogue } from '../../../src/main/fill-catalogue.ts';
import type { WiringContext } from '../../../src/main/wiring-context.ts';
import { SteppedTime } from '../../support/stepped-time.ts';

const app = 'demo' as AppCode;
const rose = 'rose' as GiftId;

function catalogueWith(gifts: readonly string[]): {
  readonly catalogue: MemoryGiftCatalogue;
  readonly fill: () => Promise<void>;
} {
  const clock = new SteppedTime();
  const catalogue = new MemoryGiftCatalogue(new MemoryDatabase({ clock, timers: clock }));
  const context = {
    config: { catalogueAtStart: gifts },
    drivers: { stores: { giftCatalogue: catalogue } },
    clock,
    log: { info: () => undefined },
  } as unknown as WiringContext;
  return { catalogue, fill: () => fillCatalogue(context) };
}

describe('catalogue_at_start', () => {
  it('puts each of its gifts on sale once, however often cells start', async () => {
    const { catalogue, fill } = catalogueWith(['demo/rose=10', 'demo/a:b=999999999999']);
    await fill();
    await fill();
    expect(await catalogue.list(app, '', 10)).toMatchObject([
      {
        giftId: 'a:b',
        coinPrice: 999_999_999_999n,
        onSale: true,
        lucky: false,
        catalogueVersion: 1n,
      },
      { giftId: 'rose', coinPrice: 10n, onSale: true, lucky: false, catalogueVersion: 1n },
    ]);
  });

  it('leaves a gift alone that an operator has changed or taken off sale', async () => {
    const { catalogue, fill } = catalogueWith(['demo/rose=10']);
    await catalogue.put(app, { giftId: rose, coinPrice: 25n, onSale: false, lucky: false }, 1);
    await fill();
    expect(await catalogue.current(app, rose)).toMatchObject({ coinPrice: 25n, onSale: false });
  });
});
