/**
 * A role is one stage of the flow as a process runs it. One process runs one role, or several of
 * them in development; the host (`role-host.ts`) knows nothing else about them (style rule 12).
 */

import type { PartitionHealth } from '../cell/partition/partition-health.ts';

/** Every role, in the order in which one process starts them: who is called, before who calls. */
export const roleNames = [
  'sandbox',
  'adapter-im',
  'adapter-activity',
  'relay',
  'cell',
  'gateway',
] as const;

/** Name of a role, as on the command line. */
export type RoleName = (typeof roleNames)[number];

/** Whether work may be sent here now, and if not, every reason. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** See the file header. */
export interface Role {
  readonly name: RoleName;
  /**
   * Resolves when the role works, or will work as soon as a dependency answers (then `readiness`
   * says which is missing). Rejects with a Retry failure when it must be called again for that;
   * with any other error when the process must end. After a rejection nothing of it runs.
   */
  start(): Promise<void>;
  /** Takes no new work and finishes what is in hand. Idempotent. */
  drain(): Promise<void>;
  /** Lets everything go; what is still in hand is given up. Idempotent, also after a failed start. */
  stop(): Promise<void>;
  /** How the partitions stand that a role has; none for roles without. For people. */
  partitions(): readonly PartitionHealth[];
  /** Cheap: asked by every probe. */
  readiness(): Readiness;
}
