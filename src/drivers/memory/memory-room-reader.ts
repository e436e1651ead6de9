/** Memory twin of the room reader. Committed data only: what a transaction staged is not there yet. */
import { roomKeyOf, type CommandId, type RoomKey, type RoomVersion } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { LogRow } from '../../ports/commit-lane.ts';
import type { RoomReader, StoredEvents, StoredResult, SweepRoom } from '../../ports/room-reader.ts';
import type { StoredRoom, StoredStep } from '../../protocol/room-history.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { logKey, placeKey } from './memory-rows.ts';

/** Ids of one look-up; the port's limit. */
const idsMax = 500;
/** Snapshots that recovery may choose from; the port's limit. */
const snapshotsRead = 2;

/** See the file header. */
export class MemoryRoomReader implements RoomReader {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async findResults(
    ids: readonly { readonly roomKey: RoomKey; readonly commandId: CommandId }[],
  ): Promise<readonly StoredResult[]> {
    assert(ids.length <= idsMax, 'too many ids in one look-up', { ids: ids.length });
    if (ids.length === 0) return [];
    return this.read('looking stored results up', ({ log }) => {
      const keys = new Set(ids.map(({ roomKey, commandId }) => logKey(roomKey, commandId)));
      return [...keys].flatMap((key) => log.get(key) ?? []).map(resultOf);
    });
  }

  loadRoom(roomKey: RoomKey): Promise<StoredRoom> {
    return this.read('reading a room', ({ rooms, snapshots }) => {
      const row = rooms.get(roomKey);
      if (row === undefined) return { meta: null, snapshots: [] };
      const { version, chainHash, status, ownerUserId, createdAtMs, updatedAtMs } = row;
      const meta = { version, chainHash, status, ownerUserId, createdAtMs, updatedAtMs };
      const newest = (snapshots.get(roomKey) ?? []).slice(0, snapshotsRead);
      return { meta, snapshots: newest };
    });
  }

  stepsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredStep[]> {
    return this.read('reading the log of a room', ({ log }) =>
      log
        .rowsBy('room', roomKey)
        .filter(({ appliedVersion }) => appliedVersion !== null && appliedVersion > afterVersion)
        .map(stepOf)
        .sort((one, other) => (one.version < other.version ? -1 : 1))
        .slice(0, limit),
    );
  }

  eventsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredEvents[]> {
    return this.read('reading the events of a room', ({ log, events }) =>
      log
        .rowsBy('room', roomKey)
        .flatMap((row) =>
          row.appliedVersion === null ? [] : [{ ...row, version: row.appliedVersion }],
        )
        .filter(({ version }) => version > afterVersion)
        .sort((one, other) => (one.version < other.version ? -1 : 1))
        .slice(0, limit)
        .map(({ appCode, roomId, version, decidedAtMs }) => {
          const envelopes: Uint8Array[] = [];
          for (;;) {
            const place = { appCode, roomId, roomVersion: version, eventIndex: envelopes.length };
            const [row] = events.rowsBy('place', placeKey(place));
            if (row === undefined) return { version, decidedAtMs, envelopes };
            envelopes.push(row.envelope);
          }
        }),
    );
  }

  dueRooms(partition: number, nowMs: number, limit: number): Promise<readonly RoomKey[]> {
    return this.read('reading due rooms', ({ rooms }) =>
      [...rooms.values()]
        .filter((row) => row.partition === partition)
        .filter(({ nextDeadlineMs }) => nextDeadlineMs !== null && nextDeadlineMs <= nowMs)
        .sort((one, other) => (one.nextDeadlineMs ?? 0) - (other.nextDeadlineMs ?? 0))
        .slice(0, limit)
        .map(({ appCode, roomId }) => roomKeyOf(appCode, roomId)),
    );
  }

  roomsToSweep(
    partition: number,
    nowMs: number,
    after: SweepRoom | null,
    limit: number,
  ): Promise<readonly SweepRoom[]> {
    return this.read('reading rooms to sweep', ({ rooms }) =>
      [...rooms]
        .filter(([, row]) => row.partition === partition)
        .flatMap(([roomKey, { nextSweepMs }]) =>
          nextSweepMs === null || nextSweepMs > nowMs ? [] : [{ roomKey, sweepAtMs: nextSweepMs }],
        )
        .filter((room) => after === null || inSweepOrder(after, room) < 0)
        .sort(inSweepOrder)
        .slice(0, limit),
    );
  }

  private read<T>(what: string, look: (database: MemoryDatabase) => T): Promise<T> {
    return this.database.server.call('rooms', what, 'read', () => look(this.database));
  }
}

function inSweepOrder(one: SweepRoom, other: SweepRoom): number {
  if (one.sweepAtMs !== other.sweepAtMs) return one.sweepAtMs - other.sweepAtMs;
  return one.roomKey < other.roomKey ? -1 : one.roomKey > other.roomKey ? 1 : 0;
}

function resultOf(row: LogRow): StoredResult {
  const { appCode, roomId, commandId, commandType, actorUserId } = row;
  const { payloadHash, payloadHashVersion, outcome, result } = row;
  return {
    roomKey: roomKeyOf(appCode, roomId),
    commandId,
    commandType,
    actorUserId,
    payloadHash,
    payloadHashVersion,
    outcome,
    result,
  };
}

function stepOf(row: LogRow): StoredStep {
  return {
    version: row.appliedVersion ?? (0n as RoomVersion),
    decidedAtMs: row.decidedAtMs,
    events: row.events ?? new Uint8Array(),
    chainHash: row.chainHash ?? new Uint8Array(),
  };
}
