/**
 * From a record on the commands topic to a unit of work. Pure. A record that cannot be work is set
 * aside with its reason, never thrown on: one bad record must not stop its partition (F20).
 */
import { roomKeyOf, userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { crc32cHex } from '../../protocol/crc32c.ts';
import { heartbeatKey, partitionKeyBytes, partitionOf } from '../../protocol/partition.ts';
import { payloadHash } from '../../protocol/payload-hash.ts';
import type { CommandRecord, HeartbeatFold } from '../../protocol/records.ts';
import { headerNames } from '../../protocol/topics.ts';
import { newPayment } from '../charges/payment.ts';
import type { Arrival } from './arrival.ts';
import {
  poisonDetail,
  type CommandClock,
  type CommandItem,
  type LooseItem,
  type ReplyAddress,
} from '../work.ts';

/** Heartbeats of one partition with the address that waits for them. */
export interface HeartbeatWork {
  readonly kind: 'heartbeats';
  readonly record: SourceRecord;
  readonly fold: HeartbeatFold;
  /** Whether its clients say that the audio of their sessions is in the RTC room. */
  readonly publishing: boolean;
  readonly reply: ReplyAddress | null;
}

/** What a record can turn out to be. */
export type ReadRecord = CommandItem | HeartbeatWork | LooseItem;

/**
 * Reads one record as far as its care allows. A fault of ours in reading it sets it aside like any
 * other record that cannot be read (F20).
 */
export function readWithCare(
  { record, clock, care }: Arrival,
  partitionCount: number,
  codec: Codec,
): ReadRecord {
  if (care === 'endUnread') return setAside(record, clock, 'POISON', poisonDetail);
  let work: ReadRecord;
  try {
    work = readRecord(record, partitionCount, codec, clock);
  } catch (error) {
    return setAside(record, clock, 'INTERNAL', `it cannot be read: ${String(error)}`);
  }
  if (care === 'begin' || work.kind === 'loose') return work;
  if (work.kind === 'command') return { ...work, isPoison: true };
  return setAside(record, clock, 'POISON', poisonDetail);
}

/**
 * The work of a record that is executed again after the database was set back: an operator wants it
 * done however old it is, and who waited for it is gone.
 */
export function replayed(work: ReadRecord): ReadRecord {
  if (work.kind === 'command') return { ...work, expiresAtMs: null, reply: null };
  return { ...work, reply: null };
}

/** Reads one record. The schemas its value needs are known to the codec by now, or to nobody. */
export function readRecord(
  record: SourceRecord,
  partitionCount: number,
  codec: Codec,
  clock: CommandClock,
): ReadRecord {
  const reply = replyAddress(record);
  const aside = (reason: string, detail: string): LooseItem =>
    setAside(record, clock, reason, detail);
  if (record.value === null) return aside('UNDECODABLE', 'the record has no value');
  const crc = record.headers[headerNames.crc32c];
  if (crc !== undefined && crc !== crc32cHex(record.value)) {
    return aside('UNDECODABLE', 'the value does not match its CRC-32C');
  }
  const decoded = codec.decodeCommand(record.value);
  if (!decoded.ok) return aside('UNDECODABLE', decoded.fault);
  const key = record.key === null ? '' : Buffer.from(record.key).toString('utf8');
  if (decoded.value.kind === 'heartbeats') {
    if (key !== heartbeatKey) return aside('WRONG_PARTITION', 'heartbeats under another key');
    const publishing = record.headers[headerNames.micPublishing] === '1';
    return { kind: 'heartbeats', record, fold: decoded.value, publishing, reply };
  }
  return commandItem(record, decoded.value, { partitionCount, reply, clock, aside });
}

function commandItem(
  record: SourceRecord,
  value: CommandRecord,
  frame: {
    readonly partitionCount: number;
    readonly reply: ReplyAddress | null;
    readonly clock: CommandClock;
    readonly aside: (reason: string, detail: string) => LooseItem;
  },
): CommandItem | LooseItem {
  const fault = idFault(value);
  if (fault !== null) return frame.aside('UNDECODABLE', fault);
  const roomKey = roomKeyOf(value.appCode, value.roomId);
  if (record.key === null || !partitionKeyBytes(roomKey).equals(record.key)) {
    return frame.aside('WRONG_PARTITION', 'the key is not the route key of the room');
  }
  const expected = partitionOf(roomKey, frame.partitionCount);
  if (expected !== record.partition) {
    return frame.aside('WRONG_PARTITION', `the key belongs to partition ${expected}`);
  }
  const { appCode, roomId, commandId, actorUserId, actorRole, body, snapshotMode } = value;
  const ttlMs = parseTtlMs(record.headers[headerNames.ttlMs]);
  return {
    kind: 'command',
    roomKey,
    command: { appCode, roomId, commandId, actorUserId, actorRole, body },
    payloadHash: payloadHash(value),
    snapshotMode,
    record,
    expiresAtMs: ttlMs === null ? null : record.recordTimeMs + ttlMs,
    reply: frame.reply,
    clock: frame.clock,
    stored: null,
    damaged: false,
    payment: body.type === 'SendGift' ? newPayment(false) : null,
    isPoison: false,
  };
}

/**
 * The gateway has checked the ids; a record from elsewhere must not get as far as a wallet call and
 * then have no row that the database would take.
 */
function idFault(value: CommandRecord): string | null {
  if (wideIdFault(value.appCode) !== null) return 'app_code is not an id';
  if (wideIdFault(value.roomId) !== null) return 'room_id is not an id';
  if (wideIdFault(value.commandId) !== null) return 'command_id is not an id';
  return userIdFault(value.actorUserId) === null ? null : 'actor_user_id is not an id';
}

function setAside(
  record: SourceRecord,
  clock: CommandClock,
  reason: string,
  detail: string,
): LooseItem {
  return {
    kind: 'loose',
    record,
    command: null,
    reply: replyAddress(record),
    reason,
    facts: { detail },
    retryAfterMs: 0,
    deadLetterDetail: detail,
    clock,
  };
}

/** The address in the headers, or null: nobody waits, or nobody could be told. */
function replyAddress(record: SourceRecord): ReplyAddress | null {
  const correlationId = record.headers[headerNames.correlationId];
  const partition = record.headers[headerNames.replyPartition];
  if (correlationId === undefined || partition === undefined) return null;
  if (!/^\d{1,6}$/.test(partition)) return null;
  return { correlationId, replyPartition: Number.parseInt(partition, 10) };
}

/** A header that is not a number is read as "no deadline": executing is safer than forgetting. */
function parseTtlMs(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : null;
}
