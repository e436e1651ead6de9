/**
 * The codec's face: every encode is total, every decode answers a value or a named fault and never
 * throws on bad bytes. Bytes are Avro single-object encoding (marker, 8-byte fingerprint, body).
 */
import type { RoomEvent } from '../domain/room/events.ts';
import type {
  CommandTopicRecord,
  Decoded,
  DisplayEnvelope,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
  SnapshotRecord,
} from './records.ts';

/** A writer schema by which this process writes: registered in MySQL before the first record. */
export interface WriterSchema {
  /** Name of the record, such as `CommandTopicRecord`. */
  readonly name: string;
  /** CRC-64-AVRO of the parsing canonical form: sixteen hex digits, as on the wire (little endian). */
  readonly fingerprint: string;
  readonly json: string;
}

/** Encodes and decodes everything of `records.ts`. One instance per process. */
export interface Codec {
  /** The schemas this release writes. */
  readonly writerSchemas: readonly WriterSchema[];
  /**
   * Teaches the codec a schema of another release, found in the registry. Idempotent. Throws an
   * InvariantError on a text that is no schema; a schema that this release cannot read is taken, and
   * its records are faults from then on.
   */
  learnSchema(json: string): void;
  /** The fingerprint in front of `bytes` when it is one that this codec does not know, else null. */
  unknownFingerprint(bytes: Uint8Array): string | null;

  encodeCommand(record: CommandTopicRecord): Uint8Array;
  decodeCommand(bytes: Uint8Array): Decoded<CommandTopicRecord>;
  encodeResult(record: ResultRecord): Uint8Array;
  decodeResult(bytes: Uint8Array): Decoded<ResultRecord>;
  encodeReply(record: ReplyRecord): Uint8Array;
  decodeReply(bytes: Uint8Array): Decoded<ReplyRecord>;
  /** The form for topics and adapters: secrets (a password hash) are left out. */
  encodeEnvelope(envelope: EventEnvelope): Uint8Array;
  decodeEnvelope(bytes: Uint8Array): Decoded<EventEnvelope>;
  /** What goes by the display lane and copies no fact; a copy is the fact's own envelope. */
  encodeDisplay(envelope: DisplayEnvelope): Uint8Array;
  decodeDisplay(bytes: Uint8Array): Decoded<DisplayEnvelope>;
  /** The events of one command with all their fields, as recovery needs them (the log row). */
  encodeLoggedEvents(events: readonly RoomEvent[]): Uint8Array;
  decodeLoggedEvents(bytes: Uint8Array): Decoded<readonly RoomEvent[]>;
  encodeSnapshot(record: SnapshotRecord): Uint8Array;
  decodeSnapshot(bytes: Uint8Array): Decoded<SnapshotRecord>;
}
