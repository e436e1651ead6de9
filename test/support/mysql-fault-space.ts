/** The bad days of MySQL, brought about by a proxy and by other connections; see `fault-space.ts`. */
import { splitRoomKey } from '../../src/domain/ids.ts';
import { pooledSession } from '../../src/drivers/mysql/connection-settings.ts';
import { openSession } from '../../src/drivers/mysql/session.ts';
import type { CommitLane } from '../../src/ports/commit-lane.ts';
import { writerLockName } from '../../src/protocol/lock-name.ts';
import type { FaultSpace, Rival, RowKind } from './fault-space.ts';
import { openMysqlSpace, type MysqlSpace } from './mysql-space.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

const gateMs = 60_000;
const heavyChanges = 40;
/** May have one connection. */
const fullUser = `rc_full_${process.pid}`;

const statementStarts: Readonly<Record<RowKind, string>> = {
  ownerRow: 'UPDATE partition_owner',
  roomRow: 'UPDATE rooms',
  logRow: 'INSERT INTO room_command_log',
};

/** Opens a database and a proxy in front of it, through which all lanes go. */
export async function openMysqlFaultSpace(): Promise<FaultSpace> {
  const space = await openMysqlSpace();
  const proxy = await startTcpProxy({
    targetPort: space.server.port,
    targetHost: space.server.host,
  });
  const proxied = space.moreDrivers({
    server: { ...space.server, host: '127.0.0.1', port: proxy.port },
  });
  const { partitionStore, roomReader } = space.drivers;
  const comeBack = (): Promise<void> => proxy.accept();
  const thaw = (): Promise<void> => Promise.resolve(proxy.setMode({ kind: 'pass' }));
  return {
    store: partitionStore,
    reader: roomReader,
    openLane: (incarnation, limits) =>
      proxied.openLane({ incarnation, lane: 0, gateMs, ...limits }),
    openFullLane: (incarnation) => openFullLane(space, incarnation),
    openRival: (options) => openRival(space, options?.isHeavy === true),
    loseCommit: (_lane, what) => loseCommit(proxy, what),
    cutIdle: () => Promise.resolve(proxy.cut()),
    kill: (incarnation) => killNoticed(space, proxy, incarnation),
    freeze: () => Promise.resolve(proxy.setMode({ kind: 'hold', direction: 'both' })),
    thaw,
    goAway: () => proxy.refuse(),
    comeBack,
    isOpenOn: async (partition) => {
      await waitUntil(`a transaction on partition ${partition} that awaits its gate`, async () => {
        const isHeld = await space.ownerRowIsHeld(partition);
        return isHeld && (await space.runningStatements()).length === 0;
      });
    },
    somebodyWaitsFor: async (kind) => {
      await waitUntil(`a statement that waits for a row of kind ${kind}`, async () => {
        const running = await space.runningStatements();
        return running.some((statement) => statement.startsWith(statementStarts[kind]));
      });
    },
    ended: (promise) => promise,
    nowMs: () => performance.now(),
    connectionOf: (incarnation) => connectionOf(space, incarnation),
    openStore: (takeoverHeldRowMs) => space.moreDrivers({ takeoverHeldRowMs }).partitionStore,
    heal: async () => {
      space.endObservers();
      await thaw();
      await comeBack();
      await space.noTransactionIsOpen();
    },
    async close() {
      await proxy.close();
      await space.sql(`DROP USER IF EXISTS '${fullUser}'@'%'`);
      await space.close();
    },
  };
}

async function openRival(space: MysqlSpace, isHeavy: boolean): Promise<Rival> {
  const session = await space.openObserver();
  await session.run('START TRANSACTION');
  // The server picks the transaction with the fewer changes as its victim.
  for (let row = 0; isHeavy && row < heavyChanges; row += 1) {
    await session.run('INSERT INTO partition_settled VALUES (?, 999, ?)', ['rival', row]);
  }
  return {
    holdOwner: async (partition) => {
      await session.run('SELECT epoch FROM partition_owner WHERE partition_id = ? FOR UPDATE', [
        partition,
      ]);
    },
    holdRoom: async (roomKey) => {
      const { appCode, roomId } = splitRoomKey(roomKey);
      await session.run('SELECT version FROM rooms WHERE app_code = ? AND room_id = ? FOR UPDATE', [
        appCode,
        roomId,
      ]);
    },
    end: async () => {
      await session.run('ROLLBACK');
    },
  };
}

async function loseCommit(proxy: TcpProxy, what: 'request' | 'answer'): Promise<void> {
  const watch = proxy.swallow({
    watch: 'toServer',
    matches: (chunk) => chunk.subarray(-6).toString('latin1') === 'COMMIT',
    swallow: what === 'answer' ? 'toClient' : 'toServer',
  });
  await (what === 'answer' ? watch.swallowed : watch.matched);
  watch.cutMatched();
}

async function connectionOf(space: MysqlSpace, incarnation: string): Promise<string | null> {
  const name = writerLockName(space.server.database, incarnation, 0);
  const rows = await space.sql('SELECT IS_USED_LOCK(?) AS thread', [name]);
  const thread = rows[0]?.['thread'] ?? null;
  return thread === null ? null : String(thread);
}

/** Resolves when the lane's own socket has closed: a link of the proxy lives as long as either end. */
async function killNoticed(space: MysqlSpace, proxy: TcpProxy, incarnation: string): Promise<void> {
  const before = proxy.connectionCount;
  const thread = await connectionOf(space, incarnation);
  await space.sql(`KILL ${BigInt(thread ?? '0')}`);
  await waitUntil('the end of the killed connection', () =>
    Promise.resolve(proxy.connectionCount < before),
  );
}

/** A user of its own with one connection, which somebody else has. */
async function openFullLane(
  space: MysqlSpace,
  incarnation: string,
): Promise<{ readonly lane: CommitLane; makeRoom(): Promise<void> }> {
  const user = fullUser;
  await space.sql(`DROP USER IF EXISTS '${user}'@'%'`);
  await space.sql(`CREATE USER '${user}'@'%' IDENTIFIED BY 'pw' WITH MAX_USER_CONNECTIONS 1`);
  await space.sql(`GRANT ALL ON \`${space.server.database}\`.* TO '${user}'@'%'`);
  const server = { ...space.server, user, password: 'pw' };
  const taken = await openSession(server, pooledSession);
  const lane = space.moreDrivers({ server }).openLane({ incarnation, lane: 0 });
  return {
    lane,
    makeRoom: async () => {
      await taken.end();
      await waitUntil('the free connection', async () => {
        const rows = await space.sql(
          'SELECT COUNT(*) AS open_now FROM information_schema.processlist WHERE user = ?',
          [user],
        );
        return Number(rows[0]?.['open_now']) === 0;
      });
    },
  };
}
