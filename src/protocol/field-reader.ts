/**
 * Reads rules that operators write as JSON. Gathers all that is wrong, so that everything is told at
 * once; what is missing takes the default that its reader names.
 */

/** One JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** See the file header. */
export class FieldReader {
  /** What was wrong with the fields read so far. */
  readonly faults: string[] = [];

  object(json: unknown, what: string): Fields {
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Fields;
    this.faults.push(`${what}: not an object`);
    return {};
  }

  list(fields: Fields, name: string): readonly unknown[] {
    const value = fields[name] ?? [];
    if (Array.isArray(value)) return value;
    this.faults.push(`${name}: not a list`);
    return [];
  }

  flag(fields: Fields, name: string, absent: boolean): boolean {
    const value = fields[name] ?? absent;
    if (typeof value !== 'boolean') this.faults.push(`${name}: not true or false`);
    return value === true;
  }

  /** The first word is the default. */
  word<Word extends string>(fields: Fields, name: string, words: readonly [Word, ...Word[]]): Word {
    const value = fields[name] ?? words[0];
    const found = words.find((word) => word === value);
    if (found === undefined) this.faults.push(`${name}: not one of ${words.join(', ')}`);
    return found ?? words[0];
  }

  text(fields: Fields, name: string): string {
    const value = fields[name];
    if (typeof value === 'string') return value;
    this.faults.push(`${name}: not a text`);
    return '';
  }

  count(fields: Fields, name: string, absent: number): number {
    const value = fields[name] ?? absent;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    this.faults.push(`${name}: not a whole number`);
    return 0;
  }

  long(fields: Fields, name: string, absent: bigint): bigint {
    const value = fields[name] ?? absent;
    if (typeof value === 'bigint') return value;
    const isDigits = typeof value === 'string' && /^[0-9]{1,19}$/.test(value);
    const isSmall = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    if (isDigits || isSmall) return BigInt(value);
    this.faults.push(`${name}: not a whole number`);
    return 0n;
  }
}
