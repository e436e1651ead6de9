/** Listen addresses of the configuration as drivers take them. */
import { splitAddress } from './config/addresses.ts';

/** Splits an address that the configuration has checked already. */
export function listenAddressOf(address: string): { readonly host: string; readonly port: number } {
  const found = splitAddress(address);
  if (found === null) throw new TypeError(`${address} is not host:port`);
  return found;
}
