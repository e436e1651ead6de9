/** Record headers between our text maps and kafkajs's buffers. */
import type { IHeaders } from 'kafkajs';

/** Texts by name; a header that occurs twice keeps its last value; one without a value is left out. */
export function headersOf(headers: IHeaders | undefined): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) texts[name] = typeof last === 'string' ? last : last.toString('utf8');
  }
  return texts;
}

/** A view on the same bytes, as kafkajs wants them. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
