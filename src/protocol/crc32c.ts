/**
 * CRC-32C (Castagnoli) of a record's value. It travels in a header and in a column beside the bytes,
 * so that damage on the way is told apart from bytes that this release cannot read.
 */

const reversedPolynomial = 0x82f63b78;
const table = makeTable();

/** The checksum as an unsigned 32-bit number. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) {
    // The loop and the mask keep both reads within bounds.
    crc = (table[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The header form: eight lower-case hex digits. */
export function crc32cHex(bytes: Uint8Array): string {
  return crc32c(bytes).toString(16).padStart(8, '0');
}

function makeTable(): Int32Array {
  const entries = new Int32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 1) === 1 ? (crc >>> 1) ^ reversedPolynomial : crc >>> 1;
    }
    entries[byte] = crc;
  }
  return entries;
}
