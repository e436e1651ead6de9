/** A deployment without a wallet: gifts are off, and nothing else is. */
import { describe, expect, it } from 'vitest';
import type { GiftId } from '../../../src/domain/ids.ts';
import { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryGiftCatalogue } from '../../../src/drivers/memory/memory-gift-catalogue.ts';
import { openWallet } from '../../../src/main/open-wallet.ts';
import type { WiringContext } from '../../../src/main/wiring-context.ts';
import { rigApp } from '../../support/cell-rig.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { SteppedTime } from '../../support/stepped-time.ts';

const rose = 'rose' as GiftId;

function opened(addr: string) {
  const time = new SteppedTime();
  const giftCatalogue = new MemoryGiftCatalogue(new MemoryDatabase({ clock: time, timers: time }));
  const log = new MemoryLog();
  const context = {
    config: { wallet: { addr } },
    drivers: { stores: { giftCatalogue } },
    outside: { wallet: () => 'the client' },
    log,
  } as unknown as WiringContext;
  return { ...openWallet(context), giftCatalogue, log };
}

describe('without the address of a wallet', () => {
  it('no gift is on sale, and the log says so (NEW-11)', async () => {
    const { catalogue, giftCatalogue, log } = opened('');
    await giftCatalogue.put(
      rigApp,
      { giftId: rose, coinPrice: 10n, onSale: true, lucky: false },
      0,
    );
    expect(await catalogue.current(rigApp, rose)).toMatchObject({ coinPrice: 10n, onSale: false });
    expect(log.messages('warn')).toEqual(['wallet.addr is not set: no gift can be sent']);
  });

  it('what may be owed is not known, so that it stays owed', async () => {
    const { wallet } = opened('');
    const ends = [
      wallet.debit({} as never, 1),
      wallet.find('k', rigApp, 1),
      wallet.void('k', rigApp, 1),
    ];
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ kind: 'unknown' });
  });
});

describe('with an address', () => {
  it('gifts are charged by the client, at the prices of the catalogue', async () => {
    const { wallet, catalogue, giftCatalogue } = opened('wallet:1');
    await giftCatalogue.put(
      rigApp,
      { giftId: rose, coinPrice: 10n, onSale: true, lucky: false },
      0,
    );
    expect(wallet).toBe('the client');
    expect(await catalogue.current(rigApp, rose)).toMatchObject({ onSale: true });
  });
});
