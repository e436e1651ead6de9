/** Memory twin of the sums that boards are made of. */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { BoardSum, BoardSums } from '../../ports/board-sums.ts';
import { listedAppsMax, roomIdsMax } from '../../ports/room-queries.ts';
import type { BoardPeriod } from '../../protocol/board-period.ts';
import type { MemoryDatabase } from './memory-database.ts';

/** See the file header. */
export class MemoryBoardSums implements BoardSums {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  sumsOf(
    appCode: AppCode,
    period: BoardPeriod,
    roomIds: readonly RoomId[],
  ): Promise<readonly BoardSum[]> {
    return this.database.server.call('boardSums', 'reading sums of rooms', 'read', () => {
      assert(roomIds.length <= roomIdsMax, 'too many rooms in one look-up');
      return sumsIn(this.database, appCode, period).filter(({ roomId }) =>
        roomIds.includes(roomId),
      );
    });
  }

  sumsAfter(
    appCode: AppCode,
    period: BoardPeriod,
    afterRoomId: RoomId | '',
    limit: number,
  ): Promise<readonly BoardSum[]> {
    return this.database.server.call('boardSums', 'reading sums of all rooms', 'read', () =>
      sumsIn(this.database, appCode, period)
        .filter(({ roomId }) => roomId > afterRoomId)
        .slice(0, limit),
    );
  }

  appsWithSums(): Promise<readonly AppCode[]> {
    const { server, roomWeeks } = this.database;
    return server.call('boardSums', 'listing apps with gifts', 'read', () =>
      [...new Set([...roomWeeks.values()].map(({ appCode }) => appCode))]
        .sort()
        .slice(0, listedAppsMax),
    );
  }
}

/** By room id, as the rows of a database hold them. */
export function sumsIn(
  { roomDays, roomWeeks }: MemoryDatabase,
  appCode: AppCode,
  { kind, name }: BoardPeriod,
): readonly BoardSum[] {
  const sums = new Map<RoomId, bigint>();
  const rows =
    kind === 'day'
      ? [...roomDays.values()].filter(({ utcDay }) => utcDay === name)
      : [...roomWeeks.values()].filter(({ isoWeek }) => kind === 'all' || isoWeek === name);
  for (const row of rows) {
    if (row.appCode === appCode) {
      sums.set(row.roomId, (sums.get(row.roomId) ?? 0n) + row.coins);
    }
  }
  return [...sums]
    .map(([roomId, coins]) => ({ roomId, coins }))
    .sort((one, other) => (one.roomId < other.roomId ? -1 : 1));
}
