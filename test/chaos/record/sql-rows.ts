/** Rows of the tables as MySQL gives them, in the words of the product: one function per table. */
import type { RowDataPacket } from 'mysql2/promise';
import type { SettlementRecord } from '../../../src/drivers/memory/gift-rows.ts';
import type {
  ListRow,
  OutboxRow,
  OwnerRecord,
  UserRoomRow,
} from '../../../src/drivers/memory/memory-rows.ts';
import type {
  DeadLetterRow,
  EventRow,
  GiftStatRow,
  LogRow,
  RoomMetaRow,
  RoomDayRow,
  RoomWeekRow,
  UserWeekRow,
} from '../../../src/ports/commit-lane.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';

/** One row by column; numbers of 64 bits come as texts, bytes as buffers. */
export type SqlRow = RowDataPacket;

/** See the file header. */
export function ownerRow(row: SqlRow): OwnerRecord {
  const trying = bigOrNull(row['trying_offset']);
  return {
    partition: Number(row['partition_id']),
    epoch: big(row['epoch']),
    ownerNodeId: String(row['owner_node_id']),
    incarnation: String(row['incarnation']),
    lane: Number(row['lane']),
    advertiseAddr: String(row['advertise_addr']),
    appliedOffset: big(row['applied_offset']),
    commitSeq: big(row['commit_seq']),
    released: Number(row['released']) === 1,
    updatedAtMs: Number(row['updated_at_ms']),
    takenAtOffset: bigOrNull(row['taken_at_offset']),
    stalledTakeovers: Number(row['stalled_takeovers']),
    tried: trying === null ? null : { offset: trying, tries: Number(row['tries']) },
    offsetsSinceEpoch: big(row['offsets_since_epoch']),
    appliedRecordMs: numberOrNull(row['applied_record_ms']),
    acceptedHint: big(row['accepted_hint']),
    replayUntil: big(row['replay_until']),
  };
}

/** See the file header. */
export function logRow(row: SqlRow): LogRow {
  return {
    ...roomOf(row),
    commandId: text(row['command_id']),
    commandType: text(row['command_type']),
    actorUserId: text(row['actor_user_id']),
    payloadHash: bytes(row['payload_hash']),
    payloadHashVersion: Number(row['payload_hash_version']),
    outcome: text(row['outcome']),
    appliedVersion: bigOrNull(row['applied_version']) as LogRow['appliedVersion'],
    decidedVersion: big(row['decided_version']) as LogRow['decidedVersion'],
    decidedAtMs: Number(row['decided_at_ms']),
    result: bytes(row['result']),
    events: bytesOrNull(row['events']),
    chainHash: bytesOrNull(row['chain_hash']),
    partition: Number(row['partition_id']),
    kafkaOffset: bigOrNull(row['kafka_offset']),
    epoch: big(row['epoch']),
    ownerNodeId: text(row['owner_node_id']),
    leaseToken: text(row['lease_token']),
  };
}

/** See the file header. What destinations it has, its outbox rows say. */
export function eventRow(row: SqlRow): EventRow {
  return {
    ...roomOf(row),
    roomVersion: big(row['room_version']) as EventRow['roomVersion'],
    eventIndex: Number(row['event_index']),
    eventId: text(row['event_id']),
    eventType: text(row['event_type']),
    occurredAtMs: Number(row['occurred_at_ms']),
    envelope: bytes(row['envelope']),
    destinations: [],
    usefulUntilMs: null,
  };
}

/** See the file header. */
export function outboxRow(row: SqlRow): OutboxRow {
  return {
    rowId: big(row['id']),
    ...roomOf(row),
    eventId: text(row['event_id']),
    roomVersion: big(row['room_version']) as OutboxRow['roomVersion'],
    eventIndex: Number(row['event_index']),
    eventType: text(row['event_type']),
    destination: text(row['destination']),
    shard: Number(row['shard']),
    status: text(row['status']),
    workerId: text(row['worker_id']),
    claimToken: text(row['claim_token']),
    lockUntilMs: Number(row['lock_until_ms']),
    nextRetryAtMs: Number(row['next_retry_at_ms']),
    retryCount: Number(row['retry_count']),
    startedCount: Number(row['started_count']),
    lastError: text(row['last_error']),
    usefulUntilMs: numberOrNull(row['useful_until_ms']),
    createdAtMs: Number(row['created_at_ms']),
    finishedAtMs: numberOrNull(row['finished_at_ms']),
  };
}

/** A room with its list entry; a deleted one has none, and nothing of what it would say. */
export function roomRow(row: SqlRow): RoomMetaRow {
  const status = text<RoomMetaRow['status']>(row['status']);
  return {
    ...roomOf(row),
    partition: Number(row['partition_id']),
    previousVersion: 0n as RoomMetaRow['previousVersion'],
    version: big(row['version']) as RoomMetaRow['version'],
    status,
    ownerUserId: text(row['owner_user_id']),
    title: text(row['title'] ?? ''),
    coverUrl: text(row['cover_url'] ?? ''),
    seatCount: Number(row['seat_count']),
    mode: text(row['mode']),
    visibleRegionId: big(row['visible_region_id']),
    locked: text(row['password_hash']) !== '',
    passwordHash: text(row['password_hash']),
    passwordVersion: big(row['password_version']),
    tags: tagsOf(row['tags_json']),
    onlineCount: Number(row['online_count'] ?? 0),
    heat: big(row['heat'] ?? 0),
    createdAtMs: Number(row['created_at_ms']),
    updatedAtMs: Number(row['updated_at_ms']),
    nextDeadlineMs: numberOrNull(row['next_deadline_ms']),
    nextSweepMs: numberOrNull(row['next_sweep_ms']),
    chainHash: bytes(row['chain_hash']),
    closeInfoJson: row['close_info_json'] === null ? null : text(row['close_info_json']),
  };
}

/** See the file header. */
export function listRow(row: SqlRow): ListRow {
  return {
    ...roomOf(row),
    status: text(row['status']),
    title: text(row['title']),
    coverUrl: text(row['cover_url']),
    ownerUserId: text(row['owner_user_id']),
    mode: text(row['mode']),
    visibleRegionId: big(row['visible_region_id']),
    locked: Number(row['locked']) === 1,
    tags: tagsOf(row['tags_json']),
    seatCount: Number(row['seat_count']),
    onlineCount: Number(row['online_count']),
    createdAtMs: Number(row['created_at_ms']),
    pinned: Number(row['pinned']) === 1,
    heat: big(row['heat']),
    heatBucket: Number(row['heat_bucket']),
  };
}

/** See the file header. */
export function snapshotRow(row: SqlRow): SnapshotRow {
  const { appCode, roomId } = roomOf(row);
  return {
    roomKey: `${appCode}\0${roomId}` as SnapshotRow['roomKey'],
    version: big(row['version']) as SnapshotRow['version'],
    bytes: bytes(row['state']),
    stateHash: bytes(row['state_hash']),
    chainHash: bytes(row['chain_hash']),
    createdAtMs: Number(row['created_at_ms']),
  };
}

/** See the file header. */
export function deadLetterRow(row: SqlRow): DeadLetterRow {
  return {
    topic: text(row['topic']),
    partition: Number(row['partition_id']),
    kafkaOffset: big(row['kafka_offset']),
    reason: text(row['reason']),
    detail: text(row['detail']),
    recordKey: bytesOrNull(row['record_key']),
    recordValue: bytesOrNull(row['record_value']),
    headersJson: text(row['headers_json']),
    recordTimeMs: Number(row['record_time_ms']),
    createdAtMs: Number(row['created_at_ms']),
  };
}

/** See the file header. */
export function settlementRow(row: SqlRow): SettlementRecord {
  return {
    debitKey: text(row['debit_key']),
    ...roomOf(row),
    commandId: text(row['command_id']),
    payerUserId: text(row['payer_user_id']),
    partition: Number(row['partition_id']),
    reason: text(row['reason']),
    createdAtMs: Number(row['created_at_ms']),
    status: text(row['status']),
    tries: Number(row['tries']),
    nextTryAtMs: Number(row['next_try_at_ms']),
    lastError: text(row['last_error']),
    refundedCoins: bigOrNull(row['refunded_coins']),
    settledAtMs: numberOrNull(row['settled_at_ms']),
    prize: prizeOf(row),
  };
}

function prizeOf(row: SqlRow): SettlementRecord['prize'] {
  const coins = bigOrNull(row['prize_coins']);
  if (coins === null) return null;
  return { debitKey: text(row['prize_of']), coins, drawId: text(row['prize_draw_id']) };
}

/** See the file header. */
export function giftStatRow(row: SqlRow): GiftStatRow {
  return {
    ...roomOf(row),
    userId: text(row['user_id']),
    sentCoins: big(row['sent_coins']),
    sentCount: big(row['sent_count']),
    receivedCoins: big(row['received_coins']),
    receivedCount: big(row['received_count']),
    updatedAtMs: Number(row['updated_at_ms']),
  };
}

/** See the file header. */
export function roomDayRow(row: SqlRow): RoomDayRow {
  return {
    ...roomOf(row),
    utcDay: text(row['utc_day']),
    coins: big(row['coins']),
    giftCount: big(row['gift_count']),
    updatedAtMs: Number(row['updated_at_ms']),
  };
}

/** See the file header. */
export function roomWeekRow(row: SqlRow): RoomWeekRow {
  return {
    ...roomOf(row),
    isoWeek: text(row['iso_week']),
    coins: big(row['coins']),
    giftCount: big(row['gift_count']),
    updatedAtMs: Number(row['updated_at_ms']),
  };
}

/** See the file header. */
export function userWeekRow(row: SqlRow): UserWeekRow {
  return { ...roomWeekRow(row), userId: text(row['user_id']) };
}

/** See the file header. */
export function userRoomRow(row: SqlRow): UserRoomRow {
  const userId = text<UserRoomRow['userId']>(row['user_id']);
  return { ...roomOf(row), userId, joinedAtMs: Number(row['joined_at_ms']) };
}

function roomOf(row: SqlRow): Pick<LogRow, 'appCode' | 'roomId'> {
  return { appCode: text(row['app_code']), roomId: text(row['room_id']) };
}

function text<Text extends string>(value: unknown): Text {
  return String(value) as Text;
}

function big(value: unknown): bigint {
  return BigInt(value as string | number);
}

function bigOrNull(value: unknown): bigint | null {
  return value === null ? null : big(value);
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('the column holds no bytes');
  return value;
}

function bytesOrNull(value: unknown): Uint8Array | null {
  return value === null ? null : bytes(value);
}

function tagsOf(json: unknown): readonly string[] {
  return typeof json === 'string' ? (JSON.parse(json) as string[]) : [];
}
