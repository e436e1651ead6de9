/** Listen addresses of the configuration as drivers take them. */
import { networkInterfaces } from 'node:os';
import { isPrivate, ownAddressName, splitAddress } from './config/addresses.ts';

/** Where something listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Splits an address that the configuration has checked already. */
export function listenAddressOf(address: string): ListenAddress {
  const found = splitAddress(address);
  if (found === null) throw new TypeError(`${address} is not host:port`);
  return found;
}

/** The address at which this node serves others; throws when `self` names none of this machine. */
export function advertisedAddressOf(advertiseAddr: string): ListenAddress {
  const { host, port } = listenAddressOf(advertiseAddr);
  if (host !== ownAddressName) return { host, port };
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .find(isPrivate);
  if (own === undefined) throw new Error('advertise_addr: this machine has no private address');
  return { host: own, port };
}
