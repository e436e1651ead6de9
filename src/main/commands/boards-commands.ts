/** `roomcell boards rebuild`: makes the boards over rooms anew from MySQL (LB-4). */
import type { Command } from 'commander';
import type { AppCode } from '../../domain/ids.ts';
import type { MysqlDrivers } from '../../drivers/mysql/mysql-drivers.ts';
import { createRedisRoomGiftLeaderboard } from '../../drivers/redis/redis-room-gift-leaderboard.ts';
import { createSystemClock } from '../../drivers/system/system-clock.ts';
import { createSystemRandom } from '../../drivers/system/system-random.ts';
import { createSystemTimers } from '../../drivers/system/system-timers.ts';
import type { RoomGiftLeaderboard } from '../../ports/room-gift-leaderboard.ts';
import { rebuildBoards, type RebuiltBoard } from '../../projections/rebuild-boards.ts';
import type { RoomcellConfig } from '../config/config-schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { redisSettingsOf } from '../server-drivers.ts';
import { CommandFault } from './command-fault.ts';
import { onMysql } from './on-mysql.ts';
import { idOf } from './operator-options.ts';
import { printJsonOr, tableOf } from './print.ts';
import { quietLog, quietMetrics } from './quiet-ports.ts';
import { readServerConfig } from './read-config.ts';

const rebuildIdBytes = 8;
/** Nobody waits for a page here. */
const readBudgetMs = 1_000;
const connectPolls = 50;
const connectPollMs = 100;

/** Adds the group. */
export function addBoardsCommands(program: Command): void {
  const group = program.command('boards').description('the boards over rooms in Redis');
  group
    .command('rebuild')
    .description(
      'make the boards anew from MySQL; gifts go on, and the old ones are shown meanwhile',
    )
    .option('--app <app>', 'of this app alone; else of every app with gifts', idOf)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ roomcell boards rebuild --app demo')
    .action(async (options: { app?: string; json?: boolean }, command: Command) => {
      const what = 'boards rebuild';
      const { config } = readServerConfig(command, what);
      if (!config.leaderboard.enabled) {
        throw new CommandFault(exitCodes.badConfig, [
          `${what}: leaderboard.enabled is false, so nobody would keep or show them`,
        ]);
      }
      const rebuilt = await onMysql(command, what, (mysql) =>
        withLeaderboard(config, (leaderboard) => rebuildOf(options.app, mysql, leaderboard)),
      );
      printJsonOr(options, rebuilt, () =>
        rebuilt.length === 0
          ? 'No app has gifts: there is nothing to rebuild.'
          : tableOf([
              ['app', 'board', 'rooms'],
              ...rebuilt.map(({ appCode, period, rooms }) => [appCode, period.name, rooms]),
            ]),
      );
    });
}

async function rebuildOf(
  app: string | undefined,
  { boardSums }: MysqlDrivers,
  leaderboard: RoomGiftLeaderboard,
): Promise<readonly (RebuiltBoard & { readonly appCode: AppCode })[]> {
  const apps = app === undefined ? await boardSums.appsWithSums() : [app as AppCode];
  const rebuildId = createSystemRandom().hex(rebuildIdBytes, 'board rebuild');
  const rebuilt = [];
  for (const appCode of apps) {
    const nowMs = createSystemClock().wallMs();
    const boards = await rebuildBoards({ leaderboard, boardSums }, { appCode, nowMs, rebuildId });
    rebuilt.push(...boards.map((board) => ({ ...board, appCode })));
  }
  return rebuilt;
}

/** The connection stands in the background: the first call waits for it, and no longer than 5 s. */
async function withLeaderboard<T>(
  config: RoomcellConfig,
  run: (leaderboard: RoomGiftLeaderboard) => Promise<T>,
): Promise<T> {
  const timers = createSystemTimers();
  const leaderboard = createRedisRoomGiftLeaderboard(
    // A breaker that never opens: each poll is to be a try.
    {
      redis: redisSettingsOf(config, 'roomcell-boards-rebuild'),
      readBudgetMs,
      breaker: { failuresToOpen: connectPolls + 1, openMs: 1 },
    },
    { clock: createSystemClock(), timers, log: quietLog, metrics: quietMetrics },
  );
  try {
    const period = { kind: 'all', name: 'all' } as const;
    const probe = { appCode: 'probe' as AppCode, period, after: null, pageSize: 1 };
    for (let poll = 0; poll < connectPolls; poll += 1) {
      if ((await leaderboard.page(probe)).kind === 'page') break;
      await timers.sleep(connectPollMs);
    }
    return await run(leaderboard);
  } finally {
    await leaderboard.stop();
  }
}
