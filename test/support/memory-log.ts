/** A log that keeps its lines for a test to read. */
import type { Log, LogFields } from '../../src/ports/log.ts';

/** One line. */
export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** See the file header. Children write into the same lines. */
export class MemoryLog implements Log {
  readonly lines: LoggedLine[];
  private readonly base: LogFields;

  constructor(lines: LoggedLine[] = [], base: LogFields = {}) {
    this.lines = lines;
    this.base = base;
  }

  debug(fields: LogFields, message: string): void {
    this.add('debug', fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.add('info', fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.add('warn', fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.add('error', fields, message);
  }

  child(fields: LogFields): Log {
    return new MemoryLog(this.lines, { ...this.base, ...fields });
  }

  /** Messages of one level, in order. */
  messages(level: LoggedLine['level']): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  private add(level: LoggedLine['level'], fields: LogFields, message: string): void {
    this.lines.push({ level, fields: { ...this.base, ...fields }, message });
  }
}
