/**
 * Taking away what nobody needs any more (architecture section 8, SNAP-2). Every method looks at a
 * bounded number of rows and may be repeated, or run by several processes at once: what one has
 * removed the other does not find. Which steps of a room may go the caller decides, who knows its
 * snapshots; what else keeps a row the store knows itself:
 *
 * - a row of the outbox that is not `delivered` stays, `failed` ones included, and with it its event;
 * - a command's row stays while its record may be read again: takeover learns from it that the record
 *   is settled, and without it would execute it a second time;
 * - an event stays as long as its step;
 * - the `rooms` row stays for ever.
 */
import type { RoomKey, RoomVersion } from '../domain/ids.ts';
import type { RecordPlace } from './replay-store.ts';

/** One page of a walk. */
export interface RetentionPage<Place> {
  readonly removed: number;
  /** Behind which the next page begins; null: nothing that is old enough lies there. */
  readonly next: Place | null;
}

/** The oldest steps of a room, as far as they are old enough and their records are settled. */
export interface OldSteps {
  /** The last of them. */
  readonly upTo: RoomVersion;
  /** As many as were asked for: more may follow. */
  readonly isMore: boolean;
}

/** An event's place in its room. */
export interface EventPlace {
  readonly roomVersion: RoomVersion;
  readonly eventIndex: number;
}

/** See the file header. `limit` is at least 1. Throws Retry when MySQL cannot be reached. */
export interface RetentionStore {
  /** Rows of the outbox that are done and were so before this time, in the order of their ids. */
  removeDelivered(
    finishedBeforeMs: number,
    afterId: bigint,
    limit: number,
  ): Promise<RetentionPage<bigint>>;
  /** Debits that the wallet has acknowledged to be void, in the order of their keys. */
  removeSettlements(
    settledBeforeMs: number,
    afterKey: string,
    limit: number,
  ): Promise<RetentionPage<string>>;
  /** Acts of operators, the oldest of each app first, with what they sent again; how many acts. */
  removeAudit(doneBeforeMs: number, limit: number): Promise<number>;
  /** The next room that has rows in the log, in the order of their names; null: none. */
  nextLoggedRoom(after: RoomKey | null): Promise<RoomKey | null>;
  /**
   * Rows of commands that changed nothing, by age alone, partition by partition in the order of their
   * records, which is about that of time. Null begins.
   */
  removeUnapplied(
    decidedBeforeMs: number,
    after: RecordPlace | null,
    limit: number,
  ): Promise<RetentionPage<RecordPlace>>;
  /** Null: the oldest step is young, or its record may be read again, or there is none. */
  oldSteps(roomKey: RoomKey, decidedBeforeMs: number, limit: number): Promise<OldSteps | null>;
  /** Removes what `oldSteps` finds, up to `upTo`, the oldest first; how many. */
  removeSteps(
    roomKey: RoomKey,
    upTo: RoomVersion,
    decidedBeforeMs: number,
    limit: number,
  ): Promise<number>;
  /** The next room that has events; null: none. */
  nextRoomWithEvents(after: RoomKey | null): Promise<RoomKey | null>;
  /** Events whose step has left and of which every row of the outbox is done or has left. */
  removeEvents(
    roomKey: RoomKey,
    after: EventPlace | null,
    limit: number,
  ): Promise<RetentionPage<EventPlace>>;
}
