/** What stands around a configuration when it is judged. */
import type { RoleName } from '../role.ts';

/** What a relation may look at beside the configuration. */
export interface Circumstances {
  readonly roles: readonly RoleName[];
  /** Addresses of this machine's network interfaces; null: not known here, not judged. */
  readonly localAddresses: readonly string[] | null;
}
