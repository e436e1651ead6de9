/**
 * What a run was, in 64 bits: every event is mixed in with its time and its target, so that two runs
 * with one hash have gone the same way (INV-38). Cheap, and no protection against anybody.
 */
const numberBytes = new DataView(new ArrayBuffer(8));

/** See the file header. */
export class TraceHash {
  private low = 0x811c9dc5;
  private high = 0x9e3779b9;

  /** Any number, by its bits. */
  number(value: number): void {
    numberBytes.setFloat64(0, value);
    this.word(numberBytes.getInt32(0));
    this.word(numberBytes.getInt32(4));
  }

  /** A whole number of 32 bits. */
  word(value: number): void {
    this.low = Math.imul(this.low ^ value, 0x01000193);
    this.high = Math.imul((this.high ^ this.low) + 0x7f4a7c15, 0x85ebca6b);
  }

  text(value: string): void {
    for (let at = 0; at < value.length; at += 1) this.word(value.charCodeAt(at));
  }

  /** Sixteen hex digits. */
  get digest(): string {
    const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
    return hex(this.high) + hex(this.low);
  }
}
