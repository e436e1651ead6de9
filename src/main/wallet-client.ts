/** The wallet that the configuration names, for the role that sends gifts. */
import { createWalletGrpcClient } from '../drivers/grpc/wallet-grpc-client.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { WiringContext } from './wiring-context.ts';

/** A client of `wallet.addr`, to be stopped by the caller; null when no wallet is configured. */
export function createWalletClient({
  config,
  clock,
}: Pick<WiringContext, 'config' | 'clock'>): Wallet | null {
  const { addr: address, token } = config.wallet;
  if (address === '') return null;
  return createWalletGrpcClient({ address, ...(token === '' ? {} : { token }) }, { clock });
}
