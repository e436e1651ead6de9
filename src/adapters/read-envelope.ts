/**
 * Reads the envelope of an event record. An envelope of a newer release carries a schema that this
 * process has not met: it is looked up once and learned, so that adapters may be rolled out last.
 */
import { Failure } from '../kernel/failure.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import type { Codec } from '../protocol/codec-api.ts';
import type { EventEnvelope } from '../protocol/records.ts';

/** The envelope, or what to do with a record that has none. */
export type EnvelopeReading =
  | { readonly kind: 'envelope'; readonly envelope: EventEnvelope }
  /** Its schema may still turn up: try again later. */
  | { readonly kind: 'later'; readonly cause: string }
  | { readonly kind: 'unreadable'; readonly cause: string };

/** Never throws. */
export type ReadEnvelope = (bytes: Uint8Array) => Promise<EnvelopeReading>;

/** Makes the reader. `registry` is asked only for fingerprints that the codec does not know. */
export function createEnvelopeReader(
  codec: Pick<Codec, 'decodeEnvelope' | 'unknownFingerprint' | 'learnSchema'>,
  registry: Pick<SchemaRegistry, 'find'>,
): ReadEnvelope {
  return async (bytes) => {
    const fingerprint = codec.unknownFingerprint(bytes);
    if (fingerprint !== null) {
      try {
        const json = await registry.find(fingerprint);
        // Schemas are registered before the first record; a reader may still see them later.
        if (json === null) return { kind: 'later', cause: `schema ${fingerprint} is not known` };
        codec.learnSchema(json);
      } catch (thrown) {
        const cause = thrown instanceof Error ? thrown.message : String(thrown);
        if (thrown instanceof Failure && thrown.kind === 'retry') return { kind: 'later', cause };
        return { kind: 'unreadable', cause: `schema ${fingerprint}: ${cause}` };
      }
    }
    const decoded = codec.decodeEnvelope(bytes);
    if (!decoded.ok) return { kind: 'unreadable', cause: `its envelope: ${decoded.fault}` };
    return { kind: 'envelope', envelope: decoded.value };
  };
}
