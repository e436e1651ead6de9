/** The lease directory, the copy of the room list, the boards and the wake on a real Redis. */
import type { AppCode, RoomKey, UserId } from '../../src/domain/ids.ts';
import { createRedisLeaseDirectory } from '../../src/drivers/redis/redis-lease-directory.ts';
import { createRedisLuckyGiftSendLocker } from '../../src/drivers/redis/redis-lucky-gift-send-locker.ts';
import { createRedisRocketScheduler } from '../../src/drivers/redis/redis-rocket-scheduler.ts';
import { createRedisRoomGiftLeaderboard } from '../../src/drivers/redis/redis-room-gift-leaderboard.ts';
import { createRedisRoomListCache } from '../../src/drivers/redis/redis-room-list-cache.ts';
import { createRedisWake } from '../../src/drivers/redis/redis-wake.ts';
import { createSystemRandom } from '../../src/drivers/system/system-random.ts';
import { createSystemTimers } from '../../src/drivers/system/system-timers.ts';
import { driverDeps } from '../support/driver-deps.ts';
import { openRedisSpace } from '../support/redis-space.ts';
import type { RedisSpace } from '../support/redis-space.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';
import { leaseDirectoryContract } from './suites/lease-directory-contract.ts';
import type { LeaseServerBehaviour } from './suites/lease-directory-contract.ts';
import { luckyGiftSendLockerContract } from './suites/lucky-gift-send-locker-contract.ts';
import { rocketSchedulerContract } from './suites/rocket-scheduler-contract.ts';
import { roomGiftLeaderboardContract } from './suites/room-gift-leaderboard-contract.ts';
import { roomListCacheContract } from './suites/room-list-cache-contract.ts';
import { wakeContract } from './suites/wake-contract.ts';

leaseDirectoryContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  const leaseTtlMs = 1_200;
  const open = (nodeId: string) =>
    createRedisLeaseDirectory(
      {
        redis: { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix },
        nodeId,
        leaseTtlMs,
        breaker: { failuresToOpen: 3, openMs: 300 },
      },
      driverDeps(),
    );
  const [nodeA, nodeB] = [open('node-a'), open('node-b')];
  return {
    leaseTtlMs,
    nodeA,
    nodeB,
    empty: () => space.empty(),
    // Redis keeps the time of the leases, so the time has to pass.
    pass: (ms) => createSystemTimers().sleep(ms),
    async plant(roomKey, value, ttlMs) {
      const key = `${space.keyPrefix}${roomKey}`;
      if (ttlMs === undefined) await space.observer.set(key, value);
      else await space.observer.set(key, value, 'PX', ttlMs);
    },
    setServer: (behaviour) => behave(proxy, behaviour),
    jumpClock: (byMs) => moveEnds(space, byMs),
    async runTwice(call) {
      await call();
      return call();
    },
    async close() {
      await Promise.all([nodeA.stop(), nodeB.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});

/** In front of the server, so that other users of it are not disturbed. */
async function behave(proxy: TcpProxy, behaviour: LeaseServerBehaviour): Promise<void> {
  if (behaviour === 'down') return proxy.refuse();
  await proxy.accept();
  if (behaviour === 'up') proxy.setMode({ kind: 'pass' });
  else if (behaviour === 'frozen') proxy.setMode({ kind: 'hold', direction: 'both' });
  else proxy.setMode({ kind: 'delay', delayMs: behaviour.slowMs });
}

/** What a leap of the server's clock does to the ends of keys, without touching the clock. */
async function moveEnds(space: RedisSpace, byMs: number): Promise<void> {
  const { observer } = space;
  for (const key of await observer.keys(`${space.keyPrefix}*`)) {
    const leftMs = await observer.pttl(key);
    if (leftMs >= 0) await observer.pexpire(key, leftMs - byMs);
  }
}

luckyGiftSendLockerContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  const settings = { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix };
  const open = () => createRedisLuckyGiftSendLocker(settings, driverDeps());
  const [here, there] = [open(), open()];
  for (const locker of [here, there]) {
    await waitUntil('the locker is connected', async () => {
      return (await locker.take('x' as AppCode, 'u' as UserId, 'probe', 1)) !== 'away';
    });
  }
  return {
    here,
    there,
    // Redis keeps the time of the locks, so the time has to pass.
    pass: (ms) => createSystemTimers().sleep(ms),
    goAway: () => proxy.refuse(),
    async close() {
      await Promise.all([here.stop(), there.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});

roomListCacheContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  const open = () =>
    createRedisRoomListCache(
      {
        redis: { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix },
        readBudgetMs: 500,
        writeBudgetMs: 500,
        breaker: { failuresToOpen: 3, openMs: 50 },
      },
      { ...driverDeps(), random: createSystemRandom() },
    );
  const [nodeA, nodeB] = [open(), open()];
  return {
    nodeA,
    nodeB,
    empty: () => space.empty(),
    pass: (ms) => createSystemTimers().sleep(ms),
    async setServer(behaviour) {
      await behave(proxy, behaviour);
      if (behaviour !== 'up') return;
      for (const node of [nodeA, nodeB]) {
        await waitUntil('the cache is reached again', async () => {
          return (await node.isReady('nobody' as AppCode)) !== null;
        });
      }
    },
    async close() {
      await Promise.all([nodeA.stop(), nodeB.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});

roomGiftLeaderboardContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  const open = () =>
    createRedisRoomGiftLeaderboard(
      {
        redis: { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix },
        readBudgetMs: 500,
        writeBudgetMs: 500,
        breaker: { failuresToOpen: 3, openMs: 50 },
      },
      driverDeps(),
    );
  const [nodeA, nodeB] = [open(), open()];
  return {
    nodeA,
    nodeB,
    empty: () => space.empty(),
    pass: (ms) => createSystemTimers().sleep(ms),
    async setServer(behaviour) {
      await behave(proxy, behaviour);
      if (behaviour !== 'up') return;
      const period = { kind: 'all', name: 'all' } as const;
      const probe = { appCode: 'nobody' as AppCode, period, after: null, pageSize: 1 };
      for (const node of [nodeA, nodeB]) {
        await waitUntil('the boards are reached again', async () => {
          return (await node.page(probe)).kind === 'page';
        });
      }
    },
    async close() {
      await Promise.all([nodeA.stop(), nodeB.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});

wakeContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  // A hint is heard over there before this end knows that it is sent.
  proxy.setMode({ kind: 'delay', delayMs: 20 });
  const { keyPrefix } = space;
  const open = (incarnation: string, url: string) =>
    createRedisWake({ redis: { url, keyPrefix }, topic: 'outbox', incarnation }, driverDeps());
  const here = open('one', `redis://127.0.0.1:${proxy.port}`);
  const there = open('other', space.url);
  return {
    here,
    there,
    async close() {
      await Promise.all([here.stop(), there.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});

rocketSchedulerContract('Redis', async () => {
  const space = openRedisSpace();
  const proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
  const redis = { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix };
  const open = () => createRedisRocketScheduler({ redis }, driverDeps());
  const [here, there] = [open(), open()];
  // They connect in the background, and a call before is one to a server that is away.
  for (const end of [here, there]) {
    const wake = { roomKey: 'a\0b' as RoomKey, roundNo: 1n, launchAtMs: 1 };
    await waitUntil('the scheduler is connected', () => end.schedule(wake));
  }
  return {
    here,
    there,
    empty: () => space.empty(),
    async setAway(isAway) {
      if (isAway) await proxy.refuse();
      else await proxy.accept();
    },
    async close() {
      await Promise.all([here.stop(), there.stop()]);
      await proxy.close();
      await space.close();
    },
  };
});
