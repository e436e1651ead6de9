/** Whether a role would start with the configuration that a container gives it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoomcellConfig } from '../../../src/main/config/config-schema.ts';
import { loadConfig } from '../../../src/main/config/load-config.ts';
import type { RoleName } from '../../../src/main/role.ts';
import { splitAddress } from '../../../src/main/config/addresses.ts';

/** A container: its configuration file's text, its variables, its addresses. */
export interface ContainerSetting {
  readonly yaml: string;
  readonly env: Readonly<Record<string, string>>;
  readonly roles: readonly RoleName[];
  readonly localAddresses?: readonly string[];
}

/** The configuration as the role would read it, or every reason why it would not start. */
export function configurationOf(
  setting: ContainerSetting,
): { readonly config: RoomcellConfig } | { readonly faults: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'roomcell-deploy-'));
  try {
    const file = join(folder, 'roomcell.yaml');
    writeFileSync(file, setting.yaml);
    const { env, roles, localAddresses } = setting;
    const loaded = loadConfig({ file, env, roles, ...(localAddresses && { localAddresses }) });
    return loaded.ok ? { config: loaded.config } : { faults: loaded.faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ports on which the role listens for others than its own container. */
export function listenPortsOf(config: RoomcellConfig, role: RoleName): number[] {
  const addresses = [config.ops.listen];
  if (role === 'gateway') addresses.push(config.gateway.grpcListen);
  if (role === 'sandbox') {
    const { imListen, activityListen, walletListen, controlListen } = config.sandbox;
    addresses.push(imListen, activityListen, walletListen, controlListen);
  }
  const everywhere = addresses
    .map((address) => splitAddress(address))
    .filter((address) => address?.host === '0.0.0.0');
  // A cell serves owner reads at its own address, which is no other's.
  const own = role === 'cell' ? [splitAddress(config.advertiseAddr)] : [];
  return [...everywhere, ...own].map((address) => address?.port ?? 0);
}

/** A fault of an image's name: it must say its version, and never `latest`. */
export function imageFault(image: string | undefined): string | undefined {
  if (image === undefined) return 'names no image';
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined) return `${image} names no version`;
  return /\d/.test(tag) ? undefined : `${image} is whatever is newest on that day`;
}
