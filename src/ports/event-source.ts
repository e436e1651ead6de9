/** A destination's topic as its adapter reads it: a consumer group, at least once. */
import type { RoomKey } from '../domain/ids.ts';

/** One event record. */
export interface IncomingEvent {
  readonly roomKey: RoomKey;
  readonly rowId: bigint;
  readonly claimToken: string;
  /** Its row was started before and never ended: it must be sent while nothing else is. */
  readonly isSuspect: boolean;
  readonly envelope: Uint8Array;
}

/** Records of one partition in order. The offset moves on when the handler resolves. */
export interface EventSource {
  /**
   * Joins the group of the destination. `onEvents` may take long: the driver keeps the membership
   * alive meanwhile. A rejection is a fault: the batch comes again after a pause.
   */
  start(handlers: {
    onEvents(events: readonly IncomingEvent[], signal: AbortSignal): Promise<void>;
    onCrashed(cause: unknown): void;
  }): Promise<void>;
  /** Stops taking, waits for the batch in hand (bounded), leaves the group. */
  stop(): Promise<void>;
}
