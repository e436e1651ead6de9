/**
 * Boards over the rooms of an app, page by page (QRY-4, LB-1). A cursor names the period of its first
 * page, so that a page that is asked for behind midnight goes on in the board that was begun.
 */
import { wideIdFault } from '../domain/ids.ts';
import type { AppCode, RoomId } from '../domain/ids.ts';
import { coinsMax } from '../domain/gift/gift-limits.ts';
import { Failure } from '../kernel/failure.ts';
import type { BoardSum } from '../ports/board-sums.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import type { RoomReadApi } from '../ports/room-read-api.ts';
import {
  boardPeriodAt,
  boardPeriodBefore,
  boardPeriodKinds,
  isBoardPeriodName,
  type BoardPeriodKind,
} from '../protocol/board-period.ts';
import { authorizeApp } from './authorize.ts';
import { createFieldFaults } from './field-faults.ts';
import { decodeCursorParts, encodeCursorParts, pageSizeOf } from './pages.ts';
import { refusal } from './refusals.ts';

/** What answers. `roomGiftLeaderboard` null: this deployment keeps no boards (NEW-11). */
export interface GetLeaderboardPorts {
  readonly roomGiftLeaderboard: Pick<RoomGiftLeaderboard, 'page'> | null;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly metrics: Metrics;
}

type GetLeaderboard = RoomReadApi['getLeaderboard'];

/** Where a page begins. */
interface PageStart {
  readonly name: string;
  readonly after: BoardSum;
}

const retryAfterMs = 1_000;

/** Throws INVALID_FIELD, LEADERBOARD_NOT_ENABLED, or a Retry failure when Redis does not answer. */
export function createGetLeaderboard(ports: GetLeaderboardPorts): GetLeaderboard {
  const { roomGiftLeaderboard, clock, metrics } = ports;
  return async (frame, { appCode, period: kind, previous, pageSize, cursor }) => {
    authorizeApp(frame, appCode);
    const faults = createFieldFaults();
    faults.add('app_code', wideIdFault(appCode));
    if (!isKind(kind)) faults.add('period', 'unknown value');
    if (previous && kind === 'all') faults.add('previous', 'nothing comes before all time');
    if (pageSize < 0) faults.add('page_size', 'negative');
    const start = cursor === '' || !isKind(kind) ? null : startOf(kind, cursor);
    if (start === 'malformed') faults.add('cursor', 'malformed');
    faults.throwIfAny();

    if (roomGiftLeaderboard === null) throw refusal('LEADERBOARD_NOT_ENABLED');
    const asked = kind as BoardPeriodKind;
    const from = start === 'malformed' ? null : start;
    const name = from?.name ?? nameOf(asked, previous, clock.wallMs());
    const size = pageSizeOf(pageSize);
    const page = await roomGiftLeaderboard.page({
      appCode: appCode as AppCode,
      period: { kind: asked, name },
      after: from?.after ?? null,
      pageSize: size,
    });
    metrics.count('gateway_leaderboard_pages_total', { outcome: page.kind });
    if (page.kind === 'unreachable') {
      throw new Failure('retry', 'UNAVAILABLE', `the boards are out of reach: ${page.cause}`, {
        facts: { what: 'boards' },
        retryAfterMs,
      });
    }
    const { places } = page;
    const last = places.at(-1);
    return {
      places,
      periodName: name,
      // A short page is the last one: no further call is needed to learn that.
      nextCursor:
        last === undefined || places.length < size
          ? ''
          : encodeCursorParts([name, String(last.coins), last.roomId]),
    };
  };
}

function isKind(text: string): text is BoardPeriodKind {
  return (boardPeriodKinds as readonly string[]).includes(text);
}

function nameOf(kind: BoardPeriodKind, previous: boolean, nowMs: number): string {
  const present = boardPeriodAt(kind, nowMs);
  return ((previous ? boardPeriodBefore(present) : null) ?? present).name;
}

function startOf(kind: BoardPeriodKind, text: string): PageStart | 'malformed' {
  const [name, coins, roomId] = decodeCursorParts(text, 3) ?? [];
  if (typeof name !== 'string' || !isBoardPeriodName(kind, name)) return 'malformed';
  if (typeof coins !== 'string' || !/^[0-9]{1,19}$/.test(coins)) return 'malformed';
  if (BigInt(coins) > coinsMax) return 'malformed';
  if (typeof roomId !== 'string' || wideIdFault(roomId) !== null) return 'malformed';
  return { name, after: { coins: BigInt(coins), roomId: roomId as RoomId } };
}
