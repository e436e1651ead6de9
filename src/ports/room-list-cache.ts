/**
 * A copy of the public room list in Redis: quicker than MySQL, and never needed. Whenever it cannot
 * answer for certain the caller asks MySQL and gets the same shape (LIST-2). MySQL is what counts;
 * the copy only mirrors it, pins too (LIST-4).
 *
 * Race (test "keeps the newer copy when a writer that read earlier writes later"): writers copy rows
 * of one room from MySQL, each with a read and a write.
 *   1. A reads the room's row.
 *   2. The room changes; B reads the row and writes it here.
 *   3. A writes what it read: the older row would stay until the room changes again.
 * A writer takes a stamp before it reads MySQL, and a copy is replaced under a higher stamp only. Who
 * stores a change takes the stamp after its COMMIT: every higher stamp was read behind that change.
 */
import type { AppCode, RoomId } from '../domain/ids.ts';
import type { ListCursor, ListEntry, ListQuery } from './room-queries.ts';

/** What is asked of the copy: all that MySQL is asked for but tags, which are not kept in order. */
export type CachedListQuery = Omit<ListQuery, 'tag'>;

/** A page, or why MySQL must be asked. */
export type CachedPage =
  | {
      readonly kind: 'page';
      readonly entries: readonly ListEntry[];
      readonly next: ListCursor | null;
    }
  /** No full pass has ended since the copy began, or the last one is too long ago. */
  | { readonly kind: 'not_ready' }
  /** Parts of the copy were lost while others stayed. It is forgotten, and begins anew. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** A place in the order of writers. Good for one life of an app's copy: a flush begins another. */
export interface ListStamp {
  readonly life: string;
  readonly at: number;
}

/** A room as MySQL has it; null, or a status but `active`: it is not listed. */
export interface RoomCopy {
  readonly roomId: RoomId;
  readonly entry: ListEntry | null;
}

/** Most rooms of one `put`. */
export const copiesMax = 200;

/** How a write ended. */
export type CopyOutcome =
  /** Every room has this copy or one of a higher stamp. */
  | 'stored'
  /** The stamp is of a former life, or older than the last full pass: take one and read anew. */
  | 'too_late'
  /** No answer in time, or an error: it may be stored, whole. */
  | 'unreachable';

/** How the end of a full pass went. */
export type PassEnd =
  | { readonly kind: 'ready' }
  /** Listed here, and not met by the pass or by anybody since: look at these rooms, then ask again. */
  | { readonly kind: 'left_behind'; readonly roomIds: readonly RoomId[] }
  | { readonly kind: 'too_late' }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** Every call ends within its budget and never throws. Each is atomic for its app. */
export interface RoomListCache {
  /** A page in list order (decision 32) and the cursor of its last entry, as MySQL would cut it. */
  page(query: CachedListQuery): Promise<CachedPage>;
  /** The next stamp of the app; the first one begins a life. Null: unreachable. */
  stamp(appCode: AppCode): Promise<ListStamp | null>;
  /** Writes what was read after `stamp` was taken. At most `copiesMax` rooms. */
  put(appCode: AppCode, stamp: ListStamp, rooms: readonly RoomCopy[]): Promise<CopyOutcome>;
  /**
   * Ends a full pass: `begun` was taken before it, and every active room of MySQL was put since. From
   * then on pages are answered, for `readyForMs`; a further pass makes it longer.
   */
  endPass(appCode: AppCode, begun: ListStamp, readyForMs: number): Promise<PassEnd>;
  /** Whether pages are answered now; null: unreachable. */
  isReady(appCode: AppCode): Promise<boolean | null>;
  /**
   * Whether `holder` is the one that makes the passes for `ttlMs` from now: free, or held already. It
   * saves work and guards nothing: two who pass at once do no harm.
   */
  claimPasses(holder: string, ttlMs: number): Promise<boolean>;
  stop(): Promise<void>;
}
