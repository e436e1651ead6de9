/** The contract of the pool of robots on MySQL. */
import { openMysqlSpace } from '../support/mysql-space.ts';
import { robotPoolContract } from './suites/robot-pool-contract.ts';

robotPoolContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    pool: space.drivers.robotPool,
    present: async (appCode, userId, roomId) => {
      await space.sql(
        'INSERT INTO user_rooms (app_code, user_id, room_id, joined_at_ms) VALUES (?, ?, ?, 1)',
        [appCode, userId, roomId],
      );
    },
    banned: async (appCode, userId, expiresAtMs) => {
      await space.sql(
        'INSERT INTO user_bans (app_code, user_id, banned_by, banned_at_ms, expires_at_ms) ' +
          "VALUES (?, ?, 'op', 1, ?)",
        [appCode, userId, expiresAtMs],
      );
    },
    close: () => space.close(),
  };
});
