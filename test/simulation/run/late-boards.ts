/** Whether the boards show what MySQL has, at rest and behind a rebuild (INV-50). */
import { MemoryBoardSums } from '../../../src/drivers/memory/memory-board-sums.ts';
import { MemoryRoomGiftLeaderboard } from '../../../src/drivers/memory/memory-room-gift-leaderboard.ts';
import { rebuildBoards } from '../../../src/projections/rebuild-boards.ts';
import { givenIn } from '../checkers/boards.ts';
import { appCodes } from '../plan/config-of.ts';
import type { World } from '../world/world.ts';

const budgetMs = 5_000;
const triesMax = 10;

/** Rebuilds every board of every app, as often as it takes: the network is slow now and then. */
export async function rebuildAll(world: World): Promise<void> {
  if (world.options.boards !== true) return;
  const { leases, database } = world.servers;
  const budgets = { readBudgetMs: budgetMs, writeBudgetMs: budgetMs };
  const leaderboard = new MemoryRoomGiftLeaderboard(budgets, leases);
  const ports = { leaderboard, boardSums: new MemoryBoardSums(database) };
  for (const appCode of await ports.boardSums.appsWithSums()) {
    for (let tries = 1; ; tries += 1) {
      const of = { appCode, nowMs: database.server.clock.wallMs(), rebuildId: `try ${tries}` };
      try {
        await rebuildBoards(ports, of);
        break;
      } catch (error) {
        // Out of reach for longer than a call waits; at rest it ends.
        if (tries === triesMax) throw error;
      }
    }
  }
}

/** What a board does not show as it is; null: nothing, or nobody keeps boards. */
export function lateBoards(world: World): string | null {
  if (world.options.boards !== true) return null;
  for (const appCode of appCodes) {
    for (const [period, rooms] of givenIn(world.database, appCode)) {
      const shown = world.board(appCode, period);
      for (const [roomId, coins] of rooms) {
        const has = shown?.get(roomId) ?? 0n;
        if (has === coins) continue;
        return `${roomId} of ${appCode} is on the board ${period} with ${has} coins, and ${coins} were given`;
      }
    }
  }
  return null;
}
