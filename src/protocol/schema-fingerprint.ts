/**
 * The name of a schema on the wire: CRC-64-AVRO of its parsing canonical form. Readers of any
 * language compute the same eight bytes, so ours can be checked against published values.
 */

/** The polynomial and, by definition, also the starting value. */
const empty = 0xc15d213aa4d7a795n;
const table = makeTable();

/** Fingerprint of a schema in parsing canonical form, as an unsigned 64-bit number. */
export function rabinFingerprint(canonicalJson: string): bigint {
  let fingerprint = empty;
  for (const byte of Buffer.from(canonicalJson, 'utf8')) {
    const index = Number((fingerprint ^ BigInt(byte)) & 0xffn);
    fingerprint = (fingerprint >> 8n) ^ (table[index] as bigint);
  }
  return fingerprint;
}

/** The eight bytes as they stand in front of a record: least significant first. */
export function fingerprintBytes(fingerprint: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(fingerprint);
  return bytes;
}

function makeTable(): readonly bigint[] {
  return Array.from({ length: 256 }, (_, byte) => {
    let fingerprint = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) {
      const shifted = fingerprint >> 1n;
      fingerprint = (fingerprint & 1n) === 1n ? shifted ^ empty : shifted;
    }
    return fingerprint;
  });
}
