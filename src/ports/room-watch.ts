/**
 * A watched room: its view, then everything that is committed in it, version by version. Served by
 * the node that owns the room's partition, under the same promises as its reads (`owner-reads.ts`);
 * a cell that is not the owner passes a watch on, once.
 */
import type { EventId, RoomKey, RoomVersion } from '../domain/ids.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { ReadAsker } from './owner-reads.ts';

/** An event as clients are told it. */
export interface WatchEvent {
  readonly eventId: EventId;
  readonly eventType: string;
  /** Position within its command's events, from 0. */
  readonly eventIndex: number;
  /** `protocol/client-event.ts`. */
  readonly text: string;
}

/** One version of a room with all of its events for clients, which may be none. */
export interface WatchStep {
  readonly version: RoomVersion;
  readonly occurredAtMs: number;
  readonly events: readonly WatchEvent[];
}

/** The last word of a watch that ended well: whoever wants more begins again behind that version. */
export interface WatchEnd {
  readonly resumeAfterVersion: RoomVersion;
  /**
   * ROOM_CLOSED: the room is deleted, nothing more will come. NOT_OWNER, DRAINING, UNAVAILABLE: ask
   * again. A code of the catalogue, maybe of a newer release.
   */
  readonly reason: string;
}

/** What comes, in this order: view or resumption, then steps without a gap, then maybe an end. */
export type WatchMessage =
  /** Replaces all that the watcher has. May come again where a version can no longer be told. */
  | { readonly kind: 'view'; readonly view: RoomView }
  /** The steps behind the version that was asked for follow; `version`: the room's own by now. */
  | { readonly kind: 'resumed'; readonly version: RoomVersion }
  | { readonly kind: 'step'; readonly step: WatchStep }
  /** Between nodes: MySQL has just confirmed that nobody else owns the room. Never before the first. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'end'; readonly end: WatchEnd };

/** One watch. */
export interface OwnerWatch {
  readonly roomKey: RoomKey;
  /** A user only with the guard's yes, and only while it lasts. */
  readonly asker: ReadAsker;
  /** 0: from a view. A version that cannot be told from is answered with a view, too. */
  readonly afterVersion: RoomVersion;
  /** Node that passed the watch on; '' none. Such a watch is never passed on again (LEASE-26). */
  readonly forwardedBy: string;
}

/**
 * Watches at one node. What a watch tells was committed by its owner, each version once and whole.
 * Ends when `signal` aborts, without a word; with an `end`; or it fails: at once as reads do, with
 * the guard's refusal behind the step that took its yes, with WATCH_TOO_SLOW when the watcher leaves
 * too much untaken, with UNAVAILABLE when the way to the node breaks.
 */
export interface OwnerWatches {
  watch(watch: OwnerWatch, signal: AbortSignal): AsyncIterable<WatchMessage>;
}
