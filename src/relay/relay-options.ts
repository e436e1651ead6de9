/**
 * What the relay runs with: `outbox_worker.*` of the configuration in milliseconds, and the limits
 * between them. The configuration checks ranges; what must hold between values is checked here too,
 * because tests and other programs build a relay without a configuration file.
 */
import { Failure } from '../kernel/failure.ts';
import type { Destination } from '../protocol/topics.ts';

/** Every number is at least 1. */
export interface RelayOptions {
  /** Written into the rows, for people who ask who has them. */
  readonly workerId: string;
  /** Whom to publish for. None means that nothing would ever be delivered: refused (decision 12). */
  readonly destinations: readonly Destination[];
  readonly shards: readonly number[];
  /** Longest pause between two looks at the table; alone it must do when every hint is lost. */
  readonly pollIntervalMs: number;
  /** Most rows claimed in one round. */
  readonly batchSize: number;
  /** Most rows of one room and destination in one claim. */
  readonly runSize: number;
  /** Rows of one destination that may wait for their adapter. */
  readonly unconfirmedMax: number;
  readonly publishTimeoutMs: number;
  /** Time until the adapter has to have started a claimed row. */
  readonly claimLockMs: number;
  readonly startedMax: number;
}

/** Throws a Reject failure that names every key at fault; otherwise returns. */
export function checkRelayOptions(options: RelayOptions): void {
  const faults: string[] = [];
  if (options.destinations.length === 0) {
    faults.push('outbox_worker: no destination is configured, so no event would ever be delivered');
  }
  if (options.shards.length === 0) faults.push('outbox_worker: no shard is given to this relay');
  for (const [key, value] of Object.entries(counted(options))) {
    if (!Number.isSafeInteger(value) || value < 1) {
      faults.push(`outbox_worker.${key}: is ${value}, but must be a whole number above 0`);
    }
  }
  if (options.runSize > options.batchSize) {
    faults.push('outbox_worker.run_size: must not be above outbox_worker.batch_size');
  }
  if (options.claimLockMs <= options.publishTimeoutMs) {
    faults.push('outbox_worker.claim_lock: must be above outbox_worker.publish_timeout');
  }
  if (faults.length === 0) return;
  throw new Failure('reject', 'INVALID_FIELD', faults.join('; '), {
    facts: { field: 'outbox_worker', fault: faults.join('; ') },
  });
}

function counted(options: RelayOptions): Record<string, number> {
  return {
    poll_interval: options.pollIntervalMs,
    batch_size: options.batchSize,
    run_size: options.runSize,
    unconfirmed_max: options.unconfirmedMax,
    publish_timeout: options.publishTimeoutMs,
    claim_lock: options.claimLockMs,
    started_max: options.startedMax,
  };
}
