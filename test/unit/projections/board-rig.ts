/** Boards and MySQL, both as twins, with a server of the boards that a test disturbs. */
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { roomDayKey, roomWeekKey } from '../../../src/drivers/memory/gift-rows.ts';
import { put } from '../../../src/drivers/memory/memory-database.ts';
import { MemoryLeaseServer } from '../../../src/drivers/memory/memory-lease-server.ts';
import { MemoryMetrics } from '../../../src/drivers/memory/memory-metrics.ts';
import { MemoryRoomGiftLeaderboard } from '../../../src/drivers/memory/memory-room-gift-leaderboard.ts';
import type { GivenRoom } from '../../../src/projections/board-projector.ts';
import { boardPeriodAt, type BoardPeriodKind } from '../../../src/protocol/board-period.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { openMemorySpace } from '../../support/memory-space.ts';

export const appCode = 'app1' as AppCode;

/** See the file header. */
export function boardRig() {
  const space = openMemorySpace();
  const { time, database, drivers } = space;
  const server = new MemoryLeaseServer({ clock: time, timers: time });
  const budgets = { readBudgetMs: 50, writeBudgetMs: 100 };
  const leaderboard = new MemoryRoomGiftLeaderboard(budgets, server);
  const log = new MemoryLog();
  const metrics = new MemoryMetrics();
  const { boardSums } = drivers;
  const ports = { leaderboard, boardSums, clock: time, timers: time, log, metrics };
  /** Adds a gift to the sums of MySQL, as a commit does; answers what the cell tells of it. */
  const give = (room: string, coins: bigint, givenAtMs = time.wallMs()): GivenRoom => {
    const roomId = room as RoomId;
    const row = { appCode, roomId, coins, giftCount: 1n, updatedAtMs: givenAtMs };
    const day = { ...row, utcDay: boardPeriodAt('day', givenAtMs).name };
    const week = { ...row, isoWeek: boardPeriodAt('week', givenAtMs).name };
    const dayBefore = database.roomDays.get(roomDayKey(day))?.coins ?? 0n;
    const weekBefore = database.roomWeeks.get(roomWeekKey(week))?.coins ?? 0n;
    database.commit([
      put(database.roomDays, roomDayKey(day), { ...day, coins: dayBefore + coins }),
      put(database.roomWeeks, roomWeekKey(week), { ...week, coins: weekBefore + coins }),
    ]);
    return { roomKey: roomKeyOf(appCode, roomId), givenAtMs };
  };
  /** A board as it is shown: that of now, or of another time. */
  const shown = async (kind: BoardPeriodKind, atMs = time.wallMs()): Promise<readonly string[]> => {
    const period = boardPeriodAt(kind, atMs);
    const asked = leaderboard.page({ appCode, period, after: null, pageSize: 100 });
    const page = await space.ended(asked);
    if (page.kind !== 'page') throw new Error(page.cause);
    return page.places.map(({ roomId, coins }) => `${roomId} ${coins}`);
  };
  return { ...space, server, leaderboard, log, metrics, ports, give, shown };
}
