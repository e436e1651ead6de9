/**
 * Makes the boards of an app anew from MySQL (LB-4): after Redis lost them, after commits that never
 * came to them, or after MySQL was set back. Gifts go on meanwhile. A board that was rebuilt shows
 * every gift that was committed before its rebuild began, and none twice; what is given since comes as
 * ever, into the old board and into the new one. Until the new one is whole the old one is shown.
 */
import type { AppCode, RoomId } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { BoardSums } from '../ports/board-sums.ts';
import { boardSumsMax } from '../ports/room-gift-leaderboard.ts';
import type { BoardOutcome, RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import type { BoardPeriod } from '../protocol/board-period.ts';
import { shownBoards, type KeptBoard } from './shown-boards.ts';

/** What it stands on. */
export interface RebuildPorts {
  readonly leaderboard: Omit<RoomGiftLeaderboard, 'page' | 'raise' | 'stop'>;
  readonly boardSums: Pick<BoardSums, 'sumsAfter'>;
}

/** A board that was rebuilt. */
export interface RebuiltBoard {
  readonly period: BoardPeriod;
  /** Rooms in which anything was given in the period; the board keeps the first of them. */
  readonly rooms: number;
}

const retryAfterMs = 1_000;

/**
 * Rebuilds those of the present day and week, of the ones before, and of all time. `rebuildId` is one
 * that no other rebuild has. Throws Retry when a server is out of reach or when another rebuild of the
 * same board has begun: boards that were not reached are as they were.
 */
export async function rebuildBoards(
  ports: RebuildPorts,
  of: { readonly appCode: AppCode; readonly nowMs: number; readonly rebuildId: string },
): Promise<readonly RebuiltBoard[]> {
  const rebuilt: RebuiltBoard[] = [];
  for (const kept of shownBoards(of.appCode, of.nowMs)) {
    rebuilt.push(await rebuild(ports, kept, of.rebuildId));
  }
  return rebuilt;
}

async function rebuild(
  { leaderboard, boardSums }: RebuildPorts,
  { board, keptForMs }: KeptBoard,
  rebuildId: string,
): Promise<RebuiltBoard> {
  const { appCode, period } = board;
  mustBeStored(await leaderboard.beginRebuild(board, rebuildId), period);
  let rooms = 0;
  let after: RoomId | '' = '';
  for (;;) {
    const sums = await boardSums.sumsAfter(appCode, period, after, boardSumsMax);
    const last = sums.at(-1);
    if (last === undefined) break;
    mustBeStored(await leaderboard.addToRebuild(board, rebuildId, sums), period);
    rooms += sums.length;
    after = last.roomId;
  }
  mustBeStored(await leaderboard.endRebuild(board, rebuildId, keptForMs), period);
  return { period, rooms };
}

function mustBeStored(outcome: BoardOutcome, { name }: BoardPeriod): void {
  if (outcome === 'stored') return;
  const cause = outcome === 'lost' ? 'another rebuild of it has begun' : 'Redis does not answer';
  throw new Failure('retry', 'UNAVAILABLE', `the board ${name} is not rebuilt: ${cause}`, {
    facts: { period: name },
    retryAfterMs,
  });
}
