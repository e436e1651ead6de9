/** Events with their outbox rows, stored in one transaction as a cell stores them, and readable. */
import { randomUUID } from 'node:crypto';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type { CommandId, EventId, RoomId, RoomVersion, UserId } from '../../src/domain/ids.ts';
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

const codec = createCodec();
const type = 'RoomUserLeft';

/** Commits the events with a pending row for each destination; nothing of it is there on a failure. */
export async function storeEvents(
  session: MysqlSession,
  events: readonly EventToStore[],
  destinations: readonly Destination[],
): Promise<void> {
  const all = events.map(valuesOf);
  await session.run('START TRANSACTION');
  await session.run(
    'INSERT INTO room_events (app_code, room_id, room_version, event_index, event_id, ' +
      'event_type, occurred_at_ms, envelope, envelope_crc32c) VALUES ?',
    [all.map(({ event }) => event)],
  );
  await session.run(
    'INSERT INTO room_outbox (event_id, app_code, room_id, room_version, event_index, ' +
      'event_type, shard, status, created_at_ms, destination) VALUES ?',
    [all.flatMap(({ row }) => destinations.map((destination) => [...row, destination]))],
  );
  await session.run('COMMIT');
}

function valuesOf({ room, version }: EventToStore): { event: unknown[]; row: unknown[] } {
  const roomId = room as RoomId;
  const eventId = randomUUID() as EventId;
  const userId = 'u1' as UserId;
  const envelope = codec.encodeEnvelope({
    ...{ eventId, appCode: outboxApp, roomId, eventType: type, eventIndex: 0, occurredAtMs: 1 },
    ...{ roomVersion: BigInt(version) as RoomVersion, commandId: 'c' as CommandId },
    ...{ actorUserId: userId, event: { type, userId, reason: 'left' } },
  });
  const place = [outboxApp, room, version, 0];
  const shard = outboxShardOf(roomKeyOf(outboxApp, roomId));
  return {
    event: [...place, eventId, type, 1, envelope, crc32c(envelope)],
    row: [eventId, ...place, type, shard, 'pending', Date.now()],
  };
}
