/** The lease directory and the wake on a real Redis. */
import { createRedisLeaseDirectory } from '../../src/drivers/redis/redis-lease-directory.ts';
import { createRedisWake } from '../../src/drivers/redis/redis-wake.ts';
import { createSystemTimers } from '../../src/drivers/system/system-timers.ts';
import { driverDeps } from '../support/driver-deps.ts';
import { openRedisSpace } from '../support/redis-space.ts';
import { leaseDirectoryContract } from './suites/lease-directory-contract.ts';
import { wakeContract } from './suites/wake-contract.ts';

leaseDirectoryContract('Redis', () => {
  const space = openRedisSpace();
  const leaseTtlMs = 800;
  const open = (nodeId: string) =>
    createRedisLeaseDirectory({ redis: space, nodeId, leaseTtlMs }, driverDeps());
  const [nodeA, nodeB] = [open('node-a'), open('node-b')];
  return Promise.resolve({
    leaseTtlMs,
    nodeA,
    nodeB,
    empty: () => space.empty(),
    // Redis keeps the time of the leases, so the time has to pass.
    pass: (ms) => createSystemTimers().sleep(ms),
    async close() {
      await Promise.all([nodeA.stop(), nodeB.stop()]);
      await space.close();
    },
  });
});

wakeContract('Redis', () => {
  const space = openRedisSpace();
  const open = (incarnation: string) =>
    createRedisWake({ redis: space, topic: 'outbox', incarnation }, driverDeps());
  const [here, there] = [open('one'), open('other')];
  return Promise.resolve({
    here,
    there,
    async close() {
      await Promise.all([here.stop(), there.stop()]);
      await space.close();
    },
  });
});
