/** Events with their outbox rows, as a cell stores them: readable, and pending for each destination. */
import { randomUUID } from 'node:crypto';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../src/domain/ids.ts';
import type { MysqlSession } from '../../src/drivers/mysql/session.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { crc32c } from '../../src/protocol/crc32c.ts';
import { outboxShardOf } from '../../src/protocol/outbox-shard.ts';
import type { Destination } from '../../src/protocol/topics.ts';
import { outboxApp } from './outbox-rows.ts';

/** One event of a room: of one version, and the only one of it. */
export interface EventToStore {
  readonly room: string;
  readonly version: number;
}

/** The same with its columns in both tables. */
export interface StoredEvent {
  readonly eventId: EventId;
  readonly event: readonly unknown[];
  /** But for status and destination. */
  readonly row: readonly unknown[];
}

/** Runs one statement with its values. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<unknown>;

const codec = createCodec();
const type = 'RoomUserLeft';

/** Commits the events with a pending row for each destination; nothing of it is there on a failure. */
export async function storeEvents(
  session: MysqlSession,
  events: readonly EventToStore[],
  destinations: readonly Destination[],
): Promise<void> {
  const all = events.map((event) => storedEvent(outboxApp, event));
  await session.run('START TRANSACTION');
  await insertEvents((sql, values) => session.run(sql, values), all, destinations);
  await session.run('COMMIT');
}

/** Two statements, within whatever transaction is open. */
export async function insertEvents(
  run: RunSql,
  events: readonly StoredEvent[],
  destinations: readonly Destination[],
  status: 'pending' | 'delivered' = 'pending',
): Promise<void> {
  await run(
    'INSERT INTO room_events (app_code, room_id, room_version, event_index, event_id, ' +
      'event_type, occurred_at_ms, envelope, envelope_crc32c) VALUES ?',
    [events.map(({ event }) => event)],
  );
  await run(
    'INSERT INTO room_outbox (event_id, app_code, room_id, room_version, event_index, ' +
      'event_type, shard, created_at_ms, status, destination) VALUES ?',
    [events.flatMap(({ row }) => destinations.map((name) => [...row, status, name]))],
  );
}

/** An event that the store does not have yet. */
export function storedEvent(appCode: AppCode, { room, version }: EventToStore): StoredEvent {
  const roomId = room as RoomId;
  const eventId = randomUUID() as EventId;
  const userId = 'u1' as UserId;
  const envelope = codec.encodeEnvelope({
    ...{ eventId, appCode, roomId, eventType: type, eventIndex: 0, occurredAtMs: 1 },
    ...{ roomVersion: BigInt(version) as RoomVersion, commandId: 'c' as CommandId },
    ...{ actorUserId: userId, event: { type, userId, reason: 'left' } },
  });
  const place = [appCode, room, version, 0];
  const shard = outboxShardOf(roomKeyOf(appCode, roomId));
  return {
    eventId,
    event: [...place, eventId, type, 1, envelope, crc32c(envelope)],
    row: [eventId, ...place, type, shard, Date.now()],
  };
}
