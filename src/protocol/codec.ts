/**
 * The codec of `codec-api.ts`: mappings between the domain's values and Avro's, put into
 * single-object encoding. Schemas are parsed when the codec is made; a call parses nothing.
 */
import type { Codec, WriterSchema } from './codec-api.ts';
import { commandFromWire, commandToWire } from './command-mapping.ts';
import { displayFromWire, displayToWire } from './display-mapping.ts';
import {
  envelopeFromWire,
  envelopeToWire,
  loggedEventsFromWire,
  loggedEventsToWire,
} from './event-mapping.ts';
import type { SchemaName } from './generated-schemas.ts';
import type { Decoded } from './records.ts';
import { replyFromWire, replyToWire, resultFromWire, resultToWire } from './result-mapping.ts';
import { SchemaBook } from './schema-book.ts';
import { readSingleObject, SingleObjectWriter, unknownFingerprint } from './single-object.ts';
import { snapshotFromWire, snapshotToWire } from './state-mapping.ts';
import { decoded } from './wire-fault.ts';

/** A codec that knows the schemas of this release. Slow to make, quick to use: keep one. */
export function createCodec(): Codec {
  const book = new SchemaBook();
  const writer = new SingleObjectWriter();

  function encoder<T>(name: SchemaName, toWire: (value: T) => unknown): (value: T) => Uint8Array {
    const schema = book.own[name];
    return (value) => writer.encode(schema, toWire(value));
  }

  function decoder<T>(name: SchemaName, fromWire: (wire: unknown) => T) {
    return (bytes: Uint8Array): Decoded<T> =>
      decoded(() => fromWire(readSingleObject(book, name, bytes)));
  }

  return {
    writerSchemas: writerSchemas(book),
    learnSchema: (json) => book.learn(json),
    unknownFingerprint: (bytes) => unknownFingerprint(book, bytes),
    encodeCommand: encoder('CommandTopicRecord', commandToWire),
    decodeCommand: decoder('CommandTopicRecord', commandFromWire),
    encodeResult: encoder('ResultRecord', resultToWire),
    decodeResult: decoder('ResultRecord', resultFromWire),
    encodeReply: encoder('ReplyRecord', replyToWire),
    decodeReply: decoder('ReplyRecord', replyFromWire),
    encodeEnvelope: encoder('EventEnvelope', envelopeToWire),
    decodeEnvelope: decoder('EventEnvelope', envelopeFromWire),
    encodeDisplay: encoder('DisplayEnvelope', displayToWire),
    decodeDisplay: decoder('DisplayEnvelope', displayFromWire),
    encodeLoggedEvents: encoder('LoggedEvents', loggedEventsToWire),
    decodeLoggedEvents: decoder('LoggedEvents', loggedEventsFromWire),
    encodeSnapshot: encoder('RoomSnapshot', snapshotToWire),
    decodeSnapshot: decoder('RoomSnapshot', snapshotFromWire),
  };
}

function writerSchemas(book: SchemaBook): readonly WriterSchema[] {
  return Object.values(book.own).map(({ name, json, fingerprint }) => ({
    name,
    json,
    fingerprint: fingerprint.toString('hex'),
  }));
}
