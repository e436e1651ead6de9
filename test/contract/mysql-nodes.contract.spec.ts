/** The contract of the nodes that live, on MySQL; and what only its name locks can do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MysqlNodeRegistry } from '../../src/drivers/mysql/mysql-node-registry.ts';
import { NodeLocks } from '../../src/drivers/mysql/node-locks.ts';
import { nodeLockName } from '../../src/protocol/lock-name.ts';
import { openMysqlSpace, type MysqlSpace } from '../support/mysql-space.ts';
import { waitUntil } from '../support/wait-until.ts';
import { nodeRegistryContract } from './suites/node-registry-contract.ts';

/** Ends the connection that holds the lock of this process, as its death does. */
async function endHolder(space: MysqlSpace, incarnation: string): Promise<void> {
  const name = nodeLockName(space.server.database, incarnation);
  const holder = async () => (await space.sql('SELECT IS_USED_LOCK(?) AS id', [name]))[0]?.['id'];
  await space.sql(`KILL ${Number(await holder())}`);
  await waitUntil('the lock is free', async () => (await holder()) === null);
}

/** The server's clock cannot be moved, so the leases are. */
async function pass(space: MysqlSpace, ms: number): Promise<void> {
  await space.sql(
    'UPDATE cell_nodes SET lease_until_ms = lease_until_ms - ?, renewed_at_ms = renewed_at_ms - ?',
    [ms, ms],
  );
}

nodeRegistryContract('MySQL', async () => {
  const space = await openMysqlSpace();
  return {
    nodes: space.drivers.nodeRegistry,
    operators: space.drivers.operatorStore,
    wallMs: () => Date.now(),
    pass: (ms) => pass(space, ms),
    connectionsEnd: (incarnation) => endHolder(space, incarnation),
    close: () => space.close(),
  };
});

describe('the name of a process whose connection broke', () => {
  const topic = 'commands';
  const claim = { nodeId: 'n', ttlMs: 60_000, overdueMs: 20_000, queues: new Map() };
  let space: MysqlSpace;
  beforeAll(async () => {
    space = await openMysqlSpace();
  });
  afterAll(() => space.close());

  it('is not taken when it renews between the look and the taking', async () => {
    const locks = new NodeLocks(space.drivers.pool, space.server);
    const living = new MysqlNodeRegistry(space.drivers.pool, locks, topic);
    await living.renew({ ...claim, incarnation: 'a' });
    await endHolder(space, 'a');
    await pass(space, claim.overdueMs + 1);
    const late = {
      hold: () => Promise.resolve(),
      letGo: () => Promise.resolve(),
      isHeld: async (incarnation: string) => {
        const isHeld = await locks.isHeld(incarnation);
        await living.renew({ ...claim, incarnation: 'a' });
        return isHeld;
      },
    } as unknown as NodeLocks;
    const other = new MysqlNodeRegistry(space.drivers.pool, late, topic);
    const look = await other.renew({ ...claim, incarnation: 'b' });
    expect(look.heldBy).toMatchObject({ incarnation: 'a' });
    expect(await living.renew({ ...claim, incarnation: 'a' })).toMatchObject({ heldBy: null });
    await locks.close();
  });
});
