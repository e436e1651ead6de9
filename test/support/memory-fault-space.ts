/** The bad days of the memory database; see `fault-space.ts`. */
import { laneName } from '../../src/drivers/memory/lane-settings.ts';
import type { MemoryCommitLane } from '../../src/drivers/memory/memory-commit-lane.ts';
import { ownerLock, roomLock } from '../../src/drivers/memory/lane-packet.ts';
import { MemoryPartitionStore } from '../../src/drivers/memory/memory-partition-store.ts';
import { MemoryTransaction, type MemorySession } from '../../src/drivers/memory/memory-session.ts';
import { settled } from '../../src/drivers/memory/virtual-time.ts';
import type { FaultSpace, Rival, RowKind } from './fault-space.ts';
import { openMemorySpace, type MemorySpace } from './memory-space.ts';

const gateMs = 60_000;
/** As long as a session of a pool waits for a row. */
const rivalLockWaitMs = 3_000;
/** More than any lane of the suites changes. */
const heavyChanges = 40;

const lockPrefixes: Readonly<Record<RowKind, string>> = {
  ownerRow: 'partition_owner/',
  roomRow: 'rooms/',
  logRow: 'log/',
};

/** Opens an empty database. */
export function openMemoryFaultSpace(): Promise<FaultSpace> {
  const space = openMemorySpace();
  const { database, drivers, ended } = space;
  const { server } = database;
  const rivals: MemoryTransaction[] = [];
  const sessionOf = (incarnation: string): MemorySession | undefined =>
    server.named(laneName(incarnation, 0));
  const connections = new Map<MemorySession, string>();
  const comeBack = (): Promise<void> => Promise.resolve(void (server.mode = 'up'));
  return Promise.resolve({
    store: drivers.partitionStore,
    reader: drivers.roomReader,
    openLane: (incarnation, limits) => drivers.openLane({ incarnation, gateMs, ...limits }),
    openFullLane: (incarnation) => {
      server.mode = 'full';
      const lane = drivers.openLane({ incarnation });
      return Promise.resolve({ lane, makeRoom: comeBack });
    },
    openRival: (options) => Promise.resolve(rivalOn(space, rivals, options?.isHeavy === true)),
    loseCommit: (lane, what) => {
      const kind = what === 'answer' ? 'lostAfterCommit' : 'lostBeforeCommit';
      (lane as MemoryCommitLane).faults.push({ kind });
      return Promise.resolve();
    },
    cutIdle: (incarnation) => Promise.resolve(sessionOf(incarnation)?.end()),
    kill: (incarnation) => Promise.resolve(void server.kill(laneName(incarnation, 0))),
    freeze: () => Promise.resolve(server.freeze()),
    thaw: () => Promise.resolve(server.thaw()),
    goAway: () => {
      server.crash();
      server.mode = 'down';
      return Promise.resolve();
    },
    comeBack,
    isOpenOn: async (partition) => {
      await settled();
      if (server.locks.isHeld(ownerLock(partition))) return;
      throw new Error(`nobody has a transaction on partition ${partition}`);
    },
    somebodyWaitsFor: async (kind) => {
      await settled();
      if (server.locks.waitersFor(lockPrefixes[kind]) > 0) return;
      throw new Error(`nobody waits for a row of kind ${kind}`);
    },
    ended,
    nowMs: () => space.time.monoMs(),
    connectionOf: (incarnation) => {
      const session = sessionOf(incarnation);
      if (session === undefined) return Promise.resolve(null);
      const name = connections.get(session) ?? `connection-${connections.size}`;
      connections.set(session, name);
      return Promise.resolve(name);
    },
    openStore: (heldRowMs) => new MemoryPartitionStore(database, { heldRowMs }),
    heal: () => {
      for (const rival of rivals.splice(0)) rival.rollBack();
      server.thaw();
      return comeBack();
    },
    close: () => Promise.resolve(),
  });
}

function rivalOn(space: MemorySpace, rivals: MemoryTransaction[], isHeavy: boolean): Rival {
  const transaction = new MemoryTransaction(space.database);
  rivals.push(transaction);
  for (let change = 0; isHeavy && change < heavyChanges; change += 1) {
    transaction.stage(() => () => undefined);
  }
  const hold = async (key: string): Promise<void> => {
    const answer = await space.ended(transaction.lock(key, rivalLockWaitMs));
    if (answer !== 'granted') throw new Error(`the rival did not get ${key}: ${answer}`);
  };
  return {
    holdOwner: (partition) => hold(ownerLock(partition)),
    holdRoom: (roomKey) => hold(roomLock(roomKey)),
    end: () => Promise.resolve(transaction.rollBack()),
  };
}
