/**
 * Boards over the rooms of an app in Redis: in which rooms most was given in a period (LB-1). Best
 * effort: nothing waits for a board, and without Redis there is none.
 *
 * A board holds sums that MySQL has added up, and never adds. So a command counts once however often
 * its room is written, and writers need no order:
 *
 * Race (test "keeps the larger sum when a writer that read earlier writes later"): two nodes copy one
 * room from MySQL, each with a read and a write.
 *   1. A reads the sum 10.
 *   2. A gift of 5 is committed; B reads 15 and writes it here.
 *   3. A writes the 10 that it read: the gift would be gone from the board.
 * Sums only grow, so the larger of two is the newer one, and a smaller one never replaces it.
 *
 * The same makes a board that is cut to its first places exact: a room that was cut off had less than
 * all of them, they keep what they have, and with its next gift it comes with its whole sum.
 */
import type { AppCode } from '../domain/ids.ts';
import type { BoardPeriod } from '../protocol/board-period.ts';
import type { BoardSum } from './board-sums.ts';

/** Rooms that a board keeps; those behind them are cut off. */
export const boardPlacesMax = 1_000;

/** Most rooms of one write. */
export const boardSumsMax = 200;

/** Which board is meant. */
export interface Board {
  readonly appCode: AppCode;
  readonly period: BoardPeriod;
}

/** One place: by coins, ties by room id, as texts sort. */
export interface BoardPlace extends BoardSum {
  /** From 1, without gaps and without shared places. */
  readonly rank: number;
}

/** What is asked of a board. */
export interface BoardQuery extends Board {
  /** Where the page before ended; that room may have moved or gone since. Null: from the first place. */
  readonly after: BoardSum | null;
  readonly pageSize: number;
}

/** A page, empty where nothing is known to have been given; or nobody answered. */
export type BoardPage =
  | { readonly kind: 'page'; readonly places: readonly BoardPlace[] }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** How a write ended. */
export type BoardOutcome =
  | 'stored'
  /** Another rebuild of the board has begun, or this one was silent for too long. */
  | 'lost'
  /** No answer in time, or an error: it may be stored. */
  | 'unreachable';

/** A rebuild is lost when nothing was heard of it for so long. */
export const rebuildSilenceMs = 60_000;

/** Every call ends within its budget and never throws. Each is atomic for its board. */
export interface RoomGiftLeaderboard {
  page(query: BoardQuery): Promise<BoardPage>;
  /**
   * Raises rooms to what MySQL has; a room that stands higher stays. At most `boardSumsMax`. The board
   * is gone `keptForMs` after its last write; null: it stays. While a rebuild is on its way, what it
   * makes is raised, too.
   */
  raise(
    board: Board,
    sums: readonly BoardSum[],
    keptForMs: number | null,
  ): Promise<Exclude<BoardOutcome, 'lost'>>;
  /**
   * Begins to make a board anew beside the one that is shown. Read MySQL behind it: what is committed
   * before is met by those reads, and what is raised from now on goes into both.
   */
  beginRebuild(board: Board, rebuildId: string): Promise<BoardOutcome>;
  /** Adds rooms to it. At most `boardSumsMax`. */
  addToRebuild(board: Board, rebuildId: string, sums: readonly BoardSum[]): Promise<BoardOutcome>;
  /** Shows the new one in place of the old, whatever that held. `keptForMs` as with `raise`. */
  endRebuild(board: Board, rebuildId: string, keptForMs: number | null): Promise<BoardOutcome>;
  stop(): Promise<void>;
}
