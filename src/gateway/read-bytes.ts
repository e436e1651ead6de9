/**
 * Bytes that another release may have written: when the schema is unknown it is looked up once in
 * the registry. Cells upgrade before gateways, so a gateway meets newer schemas in every release.
 */
import type { Codec } from '../protocol/codec-api.ts';
import type { Decoded } from '../protocol/records.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';

/** What reading needs. */
export interface BytesReader {
  readonly codec: Codec;
  readonly schemaRegistry: SchemaRegistry;
}

/** Decodes with one of the codec's functions; never throws, an unreachable registry is a fault. */
export async function readBytes<T>(
  { codec, schemaRegistry }: BytesReader,
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => Decoded<T>,
): Promise<Decoded<T>> {
  const fingerprint = codec.unknownFingerprint(bytes);
  if (fingerprint === null) return decode(bytes);
  try {
    const json = await schemaRegistry.find(fingerprint);
    if (json === null) return { ok: false, fault: `nobody registered schema ${fingerprint}` };
    codec.learnSchema(json);
  } catch (cause) {
    // The caller decides what an unreadable answer means; here it only gets its reason.
    return { ok: false, fault: `schema ${fingerprint} cannot be read: ${String(cause)}` };
  }
  return decode(bytes);
}
