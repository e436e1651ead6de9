/** Which boards are kept, and for how long (LB-1). */
import type { AppCode } from '../domain/ids.ts';
import type { Board } from '../ports/room-gift-leaderboard.ts';
import {
  boardPeriodAt,
  boardPeriodBefore,
  boardPeriodKinds,
  type BoundedPeriod,
} from '../protocol/board-period.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Behind its end a board stays for so long: through all of the next period, and a day. */
const keptBehindMs = { day: 2 * dayMs, week: 8 * dayMs, all: 0 } as const;

/** A board and how long it is to be kept from now on; null: for ever. */
export interface KeptBoard {
  readonly board: Board;
  readonly keptForMs: number | null;
}

/** The boards that a gift of `givenAtMs` counts on, without those whose time is over. */
export function boardsOf(appCode: AppCode, givenAtMs: number, nowMs: number): KeptBoard[] {
  return keptOf(
    appCode,
    boardPeriodKinds.map((kind) => boardPeriodAt(kind, givenAtMs)),
    nowMs,
  );
}

/** The boards that are shown: those of the present periods, and of the ones before them. */
export function shownBoards(appCode: AppCode, nowMs: number): KeptBoard[] {
  const periods = boardPeriodKinds.flatMap((kind) => {
    const present = boardPeriodAt(kind, nowMs);
    return [present, boardPeriodBefore(present) ?? []].flat();
  });
  return keptOf(appCode, periods, nowMs);
}

function keptOf(appCode: AppCode, periods: readonly BoundedPeriod[], nowMs: number): KeptBoard[] {
  return periods.flatMap(({ kind, name, endsAtMs }) => {
    const keptForMs = endsAtMs === null ? null : endsAtMs + keptBehindMs[kind] - nowMs;
    if (keptForMs !== null && keptForMs <= 0) return [];
    return [{ board: { appCode, period: { kind, name } }, keptForMs }];
  });
}
