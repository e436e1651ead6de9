/** The contract of the pool of robots on the memory twin. */
import { MemoryRobotPool } from '../../../../src/drivers/memory/memory-robot-pool.ts';
import { put } from '../../../../src/drivers/memory/memory-database.ts';
import { userBanKey, userRoomKey } from '../../../../src/drivers/memory/memory-rows.ts';
import { robotPoolContract } from '../../../contract/suites/robot-pool-contract.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';

robotPoolContract('memory', () => {
  const { database, close } = openMemorySpace();
  return Promise.resolve({
    pool: new MemoryRobotPool(database),
    present: (appCode, userId, roomId) => {
      const row = { appCode, userId, roomId, joinedAtMs: 1 };
      database.userRooms.set(userRoomKey(row), row);
      return Promise.resolve();
    },
    banned: (appCode, userId, expiresAtMs) => {
      const row = { appCode, userId, reason: '', bannedBy: userId, bannedAtMs: 1, expiresAtMs };
      database.commit([put(database.userBans, userBanKey(appCode, userId), row)]);
      return Promise.resolve();
    },
    close,
  });
});
