/** The log of a node of the cell rig. */
import type { Log, LogFields } from '../../src/ports/log.ts';

/** Keeps log lines for tests that look at them. */
export class RigLog implements Log {
  readonly lines: { readonly level: string; readonly fields: LogFields; readonly text: string }[] =
    [];

  debug(fields: LogFields, text: string): void {
    this.lines.push({ level: 'debug', fields, text });
  }

  info(fields: LogFields, text: string): void {
    this.lines.push({ level: 'info', fields, text });
  }

  warn(fields: LogFields, text: string): void {
    this.lines.push({ level: 'warn', fields, text });
  }

  error(fields: LogFields, text: string): void {
    this.lines.push({ level: 'error', fields, text });
  }

  child(): Log {
    return this;
  }
}
