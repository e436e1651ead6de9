/** Events and replies as records of the log, and back. A wire format: every broker sees the same. */
import { roomKeyOf } from '../../domain/ids.ts';
import type { RoomKey } from '../../domain/ids.ts';
import type { OutgoingRecord } from '../../ports/command-sink.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { IncomingDisplay } from '../../ports/display-source.ts';
import type { OutgoingDisplay } from '../../ports/display-sink.ts';
import type { IncomingEvent } from '../../ports/event-source.ts';
import type { ClaimedRun } from '../../ports/outbox-store.ts';
import type { OutgoingReply } from '../../ports/reply-sink.ts';
import type { IncomingReply } from '../../ports/reply-source.ts';
import { crc32cHex } from '../../protocol/crc32c.ts';
import { partitionKeyBytes } from '../../protocol/partition.ts';
import { headerNames } from '../../protocol/topics.ts';
import type { LogMessage } from './log-transport.ts';

const decimal = /^\d{1,19}$/;

/** A command for its partition. */
export function commandMessage({ partition, key, value, headers }: OutgoingRecord): LogMessage {
  return { partition, key, value, headers: withChecksum(headers, value) };
}

/** The rows of a run, in order, keyed by the room. */
export function* eventMessages(run: ClaimedRun): Iterable<LogMessage> {
  const { appCode, roomId, claimToken, rows } = run;
  const key = partitionKeyBytes(roomKeyOf(appCode, roomId));
  for (const { rowId, envelope, isSuspect } of rows) {
    const headers = {
      [headerNames.outboxRowId]: rowId.toString(),
      [headerNames.claimToken]: claimToken,
      ...(isSuspect ? { [headerNames.suspect]: '1' } : {}),
    };
    yield { partition: null, key, value: envelope, headers: withChecksum(headers, envelope) };
  }
}

/** Null when key, value or a header is missing or unreadable. The checksum is the adapter's matter. */
export function readEvent({ key, value, headers }: SourceRecord): IncomingEvent | null {
  const rowId = headers[headerNames.outboxRowId] ?? '';
  const claimToken = headers[headerNames.claimToken] ?? '';
  const roomKey = roomKeyIn(key);
  if (!decimal.test(rowId) || claimToken === '' || roomKey === null || value === null) return null;
  const isSuspect = headers[headerNames.suspect] === '1';
  return { roomKey, rowId: BigInt(rowId), claimToken, isSuspect, envelope: value };
}

function roomKeyIn(key: Uint8Array | null): RoomKey | null {
  const text = key === null ? '' : Buffer.from(key).toString('utf8');
  return text.includes('\0') ? (text as RoomKey) : null;
}

/** A display, keyed by the room. */
export function displayMessage({ roomKey, value }: OutgoingDisplay): LogMessage {
  const key = partitionKeyBytes(roomKey);
  return { partition: null, key, value, headers: withChecksum({}, value) };
}

/** Null when there is no value or the key names no room. */
export function readDisplay({ key, value }: SourceRecord): IncomingDisplay | null {
  const roomKey = roomKeyIn(key);
  return roomKey === null || value === null ? null : { roomKey, value };
}

/** A reply for the partition of its caller's gateway. */
export function replyMessage({ replyPartition, correlationId, value }: OutgoingReply): LogMessage {
  const headers = { [headerNames.correlationId]: correlationId };
  return { partition: replyPartition, key: null, value, headers: withChecksum(headers, value) };
}

/** Null when there is no value or no correlation id. */
export function readReply({ value, headers }: SourceRecord): IncomingReply | null {
  const correlationId = headers[headerNames.correlationId];
  return correlationId === undefined || value === null ? null : { correlationId, value };
}

function withChecksum(
  headers: Readonly<Record<string, string>>,
  value: Uint8Array,
): Record<string, string> {
  return { ...headers, [headerNames.crc32c]: crc32cHex(value) };
}
