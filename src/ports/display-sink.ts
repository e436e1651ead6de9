/**
 * The display topic as the cell writes it (DIM-1, DIM-2): best effort, because what is lost is repaired
 * by the next view of the room, and a waiting cell would cost everybody.
 */
import type { RoomKey } from '../domain/ids.ts';

/** One display on its way, encoded. */
export interface OutgoingDisplay {
  readonly roomKey: RoomKey;
  readonly value: Uint8Array;
}

/**
 * One bounded queue per room: displays of a room leave in the order in which they were offered, at
 * most once each, and nothing is tried again. What is dropped or not stored is counted.
 */
export interface DisplaySink {
  /** Displays offered before it has resolved wait for it. */
  start(): Promise<void>;
  /** Never throws and never waits. A full queue drops the oldest of its room. */
  offer(display: OutgoingDisplay): void;
  /** Drops what waits of rooms that are another node's now; what is in flight goes out. */
  drop(isOf: (roomKey: RoomKey) => boolean): void;
  /** Resolves when nothing waits and nothing is in flight. */
  flush(): Promise<void>;
  /** Sends what waits, for a bounded time. Idempotent. */
  stop(): Promise<void>;
}
