/** How long a cell's leases hold and when they are renewed, for the directory and for its twin. */
import type { RoomcellConfig } from './config/config-schema.ts';

/** Times in ms. */
export interface LeaseSettings {
  readonly nodeId: string;
  readonly leaseTtlMs: number;
  /** Absent: the directory's own default, a third of the TTL. */
  readonly renewAfterMs?: number;
}

/** Reads them off the configuration, where 0 leaves the renewal to the directory. */
export function leaseSettingsOf(config: RoomcellConfig, nodeId: string): LeaseSettings {
  const { leaseTtlMs, leaseRenewAfterMs } = config;
  const renewal = leaseRenewAfterMs === 0 ? {} : { renewAfterMs: leaseRenewAfterMs };
  return { nodeId, leaseTtlMs, ...renewal };
}
