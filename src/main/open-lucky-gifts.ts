/**
 * The cell's way to the lucky gift service, and the locks that keep a user's lucky gifts in order.
 * Without an address there is neither: lucky gifts are refused as not enabled (NEW-11).
 */
import type { LuckyGiftClient } from '../ports/lucky-gift-client.ts';
import type { LuckyGiftSendLocker } from '../ports/lucky-gift-send-locker.ts';
import type { Resources } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** What a cell needs beside the wallet; empty without the service. */
export interface OpenLuckyGifts {
  readonly luckyGifts?: LuckyGiftClient;
  readonly luckyLocks?: LuckyGiftSendLocker;
}

/** Connects with the first call; `resources` stops both. */
export function openLuckyGifts(
  { config, drivers, driverPorts, outside }: WiringContext,
  resources: Pick<Resources, 'add'>,
): OpenLuckyGifts {
  if (config.luckyGift.addr === '') return {};
  const luckyGifts = outside.luckyGifts();
  const luckyLocks = drivers.luckyGiftLocks(driverPorts);
  resources.add('lucky gift connection', () => luckyGifts.stop());
  resources.add('lucky gift locks', () => luckyLocks.stop());
  return { luckyGifts, luckyLocks };
}
