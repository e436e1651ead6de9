/**
 * The text of a commit lane's first packet: everything of a batch from BEGIN to the last INSERT, and
 * beside it what each statement is, so that an answer or an error can be traced to its meaning. This
 * is the hot path: one pass, strings only.
 */
import { outboxShardOf } from '../../protocol/outbox-shard.ts';
import { crc32c } from '../../protocol/crc32c.ts';
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import type { RoomKey } from '../../domain/ids.ts';
import type {
  DeadLetterRow,
  EventRow,
  FenceStep,
  LaneBatch,
  LogRow,
  RoomMetaRow,
} from '../../ports/commit-lane.ts';
import {
  giftStatsUpsert,
  roomDaysUpsert,
  roomWeeksUpsert,
  settlementsInsert,
  userWeeksUpsert,
} from './gift-statements.ts';
import {
  deletedRoomsRemoval,
  listEntriesUpsert,
  roomsInsert,
  roomUpdate,
  userRoomsStatements,
} from './room-statements.ts';
import {
  big,
  bigOrNull,
  bytes,
  bytesOrNull,
  cutTo,
  text,
  whole,
  wholeOrNull,
} from './sql-literals.ts';

/** What one statement of the packet is. Rooms are named where a failure is about rooms. */
export type PacketStep =
  | { readonly kind: 'begin' }
  | { readonly kind: 'fence'; readonly partition: number }
  | { readonly kind: 'versionCheck' }
  | { readonly kind: 'roomsInsert'; readonly roomKeys: readonly RoomKey[] }
  | { readonly kind: 'roomUpdate'; readonly roomKeys: readonly RoomKey[] }
  | { readonly kind: 'listEntries' }
  | { readonly kind: 'deletedRooms' }
  | { readonly kind: 'userRooms' }
  | { readonly kind: 'log'; readonly roomKeys: readonly RoomKey[] }
  | { readonly kind: 'events'; readonly roomKeys: readonly RoomKey[] }
  | { readonly kind: 'outbox' }
  | { readonly kind: 'deadLetters' }
  | { readonly kind: 'settlements' }
  | { readonly kind: 'giftStats' }
  | { readonly kind: 'dayContributions' }
  | { readonly kind: 'weekContributions' }
  | { readonly kind: 'settledOffsets' };

/** The packet: `sql` holds one statement per step, in order. */
export interface CommitPacket {
  readonly sql: string;
  readonly steps: readonly PacketStep[];
}

/**
 * Builds the packet. Throws RangeError for a number that SQL cannot hold exactly. `clearSettled`:
 * partitions whose rows of settled offsets may lie at or below the new applied offset.
 */
export function buildCommitPacket(
  topic: string,
  batch: LaneBatch,
  nowMs: number,
  clearSettled: readonly FenceStep[],
): CommitPacket {
  const statements: string[] = ['BEGIN'];
  const steps: PacketStep[] = [{ kind: 'begin' }];
  const add = (step: PacketStep, sql: string): void => {
    steps.push(step);
    statements.push(sql);
  };
  const topicText = text(topic);
  addFences(add, topicText, batch.fences, nowMs);
  addVersionChecks(add, batch.versionChecks);
  addRooms(add, batch.roomRows);
  addUserRooms(add, batch.userRooms);
  addLog(add, topicText, batch.logRows);
  addEvents(add, batch.eventRows, nowMs);
  addDeadLetters(add, batch.deadLetters);
  addGifts(add, batch);
  addSettledOffsets(add, topicText, batch.fences, clearSettled);
  return { sql: statements.join(';'), steps };
}

type Add = (step: PacketStep, sql: string) => void;

/** One statement per partition, ascending: the affected rows say which ones are fenced. */
function addFences(add: Add, topicText: string, fences: readonly FenceStep[], nowMs: number): void {
  const ascending = [...fences].sort((a, b) => a.partition - b.partition);
  for (const fence of ascending) {
    add(
      { kind: 'fence', partition: fence.partition },
      `UPDATE partition_owner SET applied_offset=${big(fence.appliedOffset)},` +
        `applied_record_ms=${wholeOrNull(fence.appliedRecordMs)},commit_seq=commit_seq+1,` +
        `updated_at_ms=${whole(nowMs)} WHERE topic=${topicText} AND ` +
        `partition_id=${whole(fence.partition)} AND epoch=${big(fence.epoch)} AND ` +
        `incarnation=${text(fence.incarnation)} AND commit_seq=${big(fence.commitSeq)}`,
    );
  }
}

/**
 * Rooms without an applied command here. READ COMMITTED, behind the fence: what is read is what the
 * former owner committed last, and nobody can change it until this transaction ends.
 */
function addVersionChecks(add: Add, checks: LaneBatch['versionChecks']): void {
  if (checks.length === 0) return;
  const rooms = checks.map(({ roomKey }) => roomCondition(roomKey));
  add(
    { kind: 'versionCheck' },
    `SELECT app_code,room_id,version FROM rooms WHERE ${rooms.join(' OR ')}`,
  );
}

function roomCondition(roomKey: RoomKey): string {
  const { appCode, roomId } = splitRoomKey(roomKey);
  return `(app_code=${text(appCode)} AND room_id=${text(roomId)})`;
}

function addRooms(add: Add, rooms: readonly RoomMetaRow[]): void {
  if (rooms.length === 0) return;
  const created = rooms.filter((row) => row.previousVersion === 0n);
  if (created.length > 0) {
    add({ kind: 'roomsInsert', roomKeys: created.map(keyOf) }, roomsInsert(created));
  }
  for (const row of rooms) {
    if (row.previousVersion === 0n) continue;
    add({ kind: 'roomUpdate', roomKeys: [keyOf(row)] }, roomUpdate(row));
  }
  add({ kind: 'listEntries' }, listEntriesUpsert(rooms));
  for (const sql of deletedRoomsRemoval(rooms)) add({ kind: 'deletedRooms' }, sql);
}

function keyOf({ appCode, roomId }: RoomMetaRow): RoomKey {
  return roomKeyOf(appCode, roomId);
}

function addUserRooms(add: Add, changes: LaneBatch['userRooms']): void {
  for (const sql of userRoomsStatements(changes)) add({ kind: 'userRooms' }, sql);
}

function addLog(add: Add, topicText: string, rows: readonly LogRow[]): void {
  if (rows.length === 0) return;
  add(
    { kind: 'log', roomKeys: distinctRooms(rows) },
    'INSERT INTO room_command_log (app_code,room_id,command_id,command_type,actor_user_id,' +
      'payload_hash,payload_hash_version,outcome,applied_version,decided_version,decided_at_ms,' +
      'result,result_crc32c,events,events_crc32c,chain_hash,topic,partition_id,kafka_offset,epoch,' +
      `owner_node_id,lease_token) VALUES ${rows.map((row) => logValues(row, topicText)).join()}`,
  );
}

function logValues(row: LogRow, topicText: string): string {
  return (
    `(${text(row.appCode)},${text(row.roomId)},${text(row.commandId)},${text(row.commandType)},` +
    `${text(row.actorUserId)},${bytes(row.payloadHash)},${whole(row.payloadHashVersion)},` +
    `${text(row.outcome)},${bigOrNull(row.appliedVersion)},${big(row.decidedVersion)},` +
    `${whole(row.decidedAtMs)},${bytes(row.result)},${crc32c(row.result)},` +
    `${bytesOrNull(row.events)},${row.events === null ? 'NULL' : crc32c(row.events)},` +
    `${bytesOrNull(row.chainHash)},${topicText},${whole(row.partition)},` +
    `${bigOrNull(row.kafkaOffset)},` +
    `${big(row.epoch)},${text(row.ownerNodeId)},${text(row.leaseToken)})`
  );
}

function addEvents(add: Add, rows: readonly EventRow[], nowMs: number): void {
  if (rows.length === 0) return;
  add(
    { kind: 'events', roomKeys: distinctRooms(rows) },
    'INSERT INTO room_events (app_code,room_id,room_version,event_index,event_id,event_type,' +
      `occurred_at_ms,envelope,envelope_crc32c) VALUES ${rows.map(eventValues).join()}`,
  );
  const outbox = rows.flatMap((row) => outboxValues(row, nowMs));
  if (outbox.length === 0) return;
  // Row ids follow the order of the values: a room's rows get ids in the order of its events.
  add(
    { kind: 'outbox' },
    'INSERT INTO room_outbox (event_id,app_code,room_id,room_version,event_index,event_type,' +
      `destination,shard,status,useful_until_ms,created_at_ms) VALUES ${outbox.join()}`,
  );
}

function eventValues(row: EventRow): string {
  return (
    `(${text(row.appCode)},${text(row.roomId)},${big(row.roomVersion)},${whole(row.eventIndex)},` +
    `${text(row.eventId)},${text(row.eventType)},${whole(row.occurredAtMs)},` +
    `${bytes(row.envelope)},${crc32c(row.envelope)})`
  );
}

function outboxValues(row: EventRow, nowMs: number): string[] {
  const shard = outboxShardOf(roomKeyOf(row.appCode, row.roomId));
  return row.destinations.map((destination) => {
    const usefulUntilMs = destination === 'im' ? row.usefulUntilMs : null;
    return (
      `(${text(row.eventId)},${text(row.appCode)},${text(row.roomId)},${big(row.roomVersion)},` +
      `${whole(row.eventIndex)},${text(row.eventType)},${text(destination)},${shard},'pending',` +
      `${wholeOrNull(usefulUntilMs)},${whole(nowMs)})`
    );
  });
}

/**
 * A letter about an offset that has one already replaces it, and a long text is cut: a record must
 * never stop its partition because the note about it does not fit.
 */
function addDeadLetters(add: Add, rows: readonly DeadLetterRow[]): void {
  if (rows.length === 0) return;
  const values = rows.map(
    (row) =>
      `(${text(row.topic)},${whole(row.partition)},${big(row.kafkaOffset)},` +
      `${text(cutTo(row.reason, 64))},${text(cutTo(row.detail, 1_000))},` +
      `${bytesOrNull(row.recordKey)},${bytesOrNull(row.recordValue)},${text(row.headersJson)},` +
      `${whole(row.recordTimeMs)},${whole(row.createdAtMs)})`,
  );
  add(
    { kind: 'deadLetters' },
    'INSERT INTO room_dead_letters (topic,partition_id,kafka_offset,reason,detail,record_key,' +
      `record_value,headers_json,record_time_ms,created_at_ms) VALUES ${values.join()} ` +
      'ON DUPLICATE KEY UPDATE reason=VALUES(reason),detail=VALUES(detail),' +
      'created_at_ms=VALUES(created_at_ms)',
  );
}

function addGifts(add: Add, batch: LaneBatch): void {
  if (batch.settlements.length > 0) {
    add({ kind: 'settlements' }, settlementsInsert(batch.settlements));
  }
  if (batch.giftStats.length > 0) add({ kind: 'giftStats' }, giftStatsUpsert(batch.giftStats));
  const days = { kind: 'dayContributions' } as const;
  if (batch.roomDays.length > 0) add(days, roomDaysUpsert(batch.roomDays));
  const weeks = { kind: 'weekContributions' } as const;
  if (batch.roomWeeks.length > 0) add(weeks, roomWeeksUpsert(batch.roomWeeks));
  if (batch.userWeeks.length > 0) add(weeks, userWeeksUpsert(batch.userWeeks));
}

function addSettledOffsets(
  add: Add,
  topicText: string,
  fences: readonly FenceStep[],
  clearSettled: readonly FenceStep[],
): void {
  const values = fences.flatMap((fence) =>
    fence.settledOffsets.map((offset) => `(${topicText},${whole(fence.partition)},${big(offset)})`),
  );
  if (values.length > 0) {
    add(
      { kind: 'settledOffsets' },
      `INSERT INTO partition_settled (topic,partition_id,kafka_offset) VALUES ${values.join()} ` +
        'ON DUPLICATE KEY UPDATE kafka_offset=VALUES(kafka_offset)',
    );
  }
  if (clearSettled.length === 0) return;
  const passed = clearSettled.map(
    (fence) =>
      `(partition_id=${whole(fence.partition)} AND kafka_offset<=${big(fence.appliedOffset)})`,
  );
  add(
    { kind: 'settledOffsets' },
    `DELETE FROM partition_settled WHERE topic=${topicText} AND (${passed.join(' OR ')})`,
  );
}

function distinctRooms(rows: readonly Pick<LogRow, 'appCode' | 'roomId'>[]): readonly RoomKey[] {
  return [...new Set(rows.map((row) => roomKeyOf(row.appCode, row.roomId)))];
}
