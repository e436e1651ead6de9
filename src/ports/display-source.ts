/** The display topic as the IM adapter reads it: a consumer group that keeps no offsets. */
import type { RoomKey } from '../domain/ids.ts';

/** One display as it came. */
export interface IncomingDisplay {
  readonly roomKey: RoomKey;
  readonly value: Uint8Array;
}

/**
 * Hands over what is produced while this member holds a partition, in order per room, and nothing that
 * lay there before: an old display is worth nothing. After a rebalance some may be missed.
 */
export interface DisplaySource {
  /** Resolves when the member runs, or when `stop` came first. `onDisplays` must not wait. */
  start(handlers: {
    onDisplays(displays: readonly IncomingDisplay[]): void;
    onCrashed(cause: unknown): void;
  }): Promise<void>;
  stop(): Promise<void>;
}
