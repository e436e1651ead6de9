/** The fixture of the outbox suites on the memory database: rows as tests put and see them. */
import { randomUUID } from 'node:crypto';
import type { EventId, RoomId, RoomVersion } from '../../src/domain/ids.ts';
import { outboxRowOf } from '../../src/drivers/memory/lane-inserts.ts';
import { put, type MemoryDatabase } from '../../src/drivers/memory/memory-database.ts';
import { createMemoryDrivers } from '../../src/drivers/memory/memory-drivers.ts';
import type { StoredOutboxStatus } from '../../src/drivers/memory/memory-rows.ts';
import { openMemorySpace, type MemorySpace } from './memory-space.ts';
import type { OutboxStoreFixture } from './outbox-rig.ts';
import { outboxApp, type PutRow } from './outbox-rows.ts';

/** An empty database with ways to put rows into its outbox and to look at them. */
export function memoryReplaySpace(): Pick<OutboxStoreFixture, 'put' | 'see'> & {
  readonly space: MemorySpace;
} {
  const space = openMemorySpace();
  return {
    space,
    put: (rows) => Promise.resolve(rows.map((row) => putMemoryRow(space.database, row))),
    see: (rowId) => {
      const row = space.database.outbox.get(rowId);
      if (row === undefined) return Promise.reject(new Error(`there is no outbox row ${rowId}`));
      return Promise.resolve(row);
    },
  };
}

/** The same as the fixture of the outbox; see `mysqlFixture` of the contract for its sibling. */
export function memoryOutboxFixture(): Promise<OutboxStoreFixture> {
  const { space, put: putRows, see } = memoryReplaySpace();
  const { database } = space;
  return Promise.resolve({
    newStore: (blocking = []) => createMemoryDrivers(database, blocking).outboxStore,
    put: putRows,
    see,
    loseEvent: (rowId) => {
      const row = database.outbox.get(rowId);
      if (row !== undefined) database.events.delete(row.eventId);
      return Promise.resolve();
    },
    clear: () => {
      database.outbox.clear();
      database.events.clear();
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}

/** Puts one row with its event; answers its id. */
export function putMemoryRow(database: MemoryDatabase, row: PutRow): bigint {
  const eventId = randomUUID() as EventId;
  const destination = row.destination ?? 'im';
  const event = {
    appCode: outboxApp,
    roomId: row.room as RoomId,
    roomVersion: BigInt(row.version) as RoomVersion,
    // The destination as index: several rows of one version stand for several events of it.
    eventIndex: { im: 0, activity: 1, rtc: 2 }[destination],
    eventId,
    eventType: 'RoomUserJoined',
    occurredAtMs: 1,
    envelope: Buffer.from(`${row.room} ${row.version}`, 'utf8'),
    destinations: [destination],
    usefulUntilMs: null,
  };
  const rowId = database.nextOutboxId();
  const stored = {
    ...outboxRowOf(event, destination, rowId, 1),
    eventIndex: 0,
    status: (row.status ?? 'pending') as StoredOutboxStatus,
    claimToken: row.claimToken ?? '',
    lockUntilMs: row.lockUntilMs ?? 0,
    nextRetryAtMs: row.nextRetryAtMs ?? 0,
    retryCount: row.retryCount ?? 0,
    startedCount: row.startedCount ?? 0,
    usefulUntilMs: row.usefulUntilMs ?? null,
  };
  database.commit([put(database.events, eventId, event), put(database.outbox, rowId, stored)]);
  return rowId;
}
