/**
 * The name of a schema on the wire: CRC-64-AVRO of its parsing canonical form. Readers of any
 * language compute the same eight bytes, so ours can be checked against published values.
 */

/** The polynomial and, by definition, also the starting value. */
const empty = 0xc15d213aa4d7a795n;
const low32 = 0xffffffffn;

/** The table in halves: every process fingerprints its schemas at start, and bigints are slow. */
const { high: highTable, low: lowTable } = makeTables();

/** Fingerprint of a schema in parsing canonical form, as an unsigned 64-bit number. */
export function rabinFingerprint(canonicalJson: string): bigint {
  let high = Number(empty >> 32n);
  let low = Number(empty & low32);
  for (const byte of Buffer.from(canonicalJson, 'utf8')) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ (lowTable[index] as number);
    high = (high >>> 8) ^ (highTable[index] as number);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** The eight bytes as they stand in front of a record: least significant first. */
export function fingerprintBytes(fingerprint: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(fingerprint);
  return bytes;
}

function makeTables(): { readonly high: Int32Array; readonly low: Int32Array } {
  const high = new Int32Array(256);
  const low = new Int32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let fingerprint = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) {
      const shifted = fingerprint >> 1n;
      fingerprint = (fingerprint & 1n) === 1n ? shifted ^ empty : shifted;
    }
    high[byte] = Number(fingerprint >> 32n);
    low[byte] = Number(fingerprint & low32);
  }
  return { high, low };
}
