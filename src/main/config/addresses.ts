/**
 * What an address says about itself. Other nodes call `advertise_addr` directly, and a caller that
 * meets a load balancer there would be sent round in circles; so it must be one instance's own.
 */
import { BlockList, isIP } from 'node:net';

/** Host of `advertise_addr` that stands for the machine's first private address; development only. */
export const ownAddressName = 'self';

/** Splits `host:port`; brackets around IPv6 are taken off. Null when it is none. */
export function splitAddress(address: string): { host: string; port: number } | null {
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address);
  if (found === null) return null;
  const port = Number(found[3]);
  return port > 65535 ? null : { host: found[1] ?? found[2] ?? '', port };
}

/** Whether only processes of this machine reach it. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return isIP(host) === 0 ? false : loopback.check(host, familyOf(host));
}

/** Whether it means every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '*';
}

/** Whether it belongs to a private network (RFC 1918, RFC 6598, unique local IPv6). */
export function isPrivate(host: string): boolean {
  return isIP(host) !== 0 && privateNetworks.check(host, familyOf(host));
}

/** Whether it is an address and not a name. */
export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const privateNetworks = new BlockList();
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4');
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4');
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4');
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
