/** Memory twin of the log: keeps lines, as plain as the real one would write them, up to a number. */
import type { Log, LogFields } from '../../ports/log.ts';
import { plainFields } from '../plain-fields.ts';

/** One line. */
export interface MemoryLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

const defaultLinesMax = 10_000;

/** See the file header. The newest lines stay. */
export class MemoryLogSink {
  private readonly linesMax: number;
  private kept: MemoryLogLine[] = [];
  private dropped = 0;

  constructor(linesMax = defaultLinesMax) {
    this.linesMax = linesMax;
  }

  /** A log that writes here; `base` is in each of its lines. */
  log(base: LogFields = {}): Log {
    const write = (level: MemoryLogLine['level']) => (fields: LogFields, message: string) =>
      this.keep({ level, fields: { ...base, ...plainFields(fields) }, message });
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => this.log({ ...base, ...plainFields(fields) }),
    };
  }

  /** Oldest first. */
  get lines(): readonly MemoryLogLine[] {
    return this.kept.slice(-this.linesMax);
  }

  /** Lines that had to make room. */
  get droppedLines(): number {
    return this.dropped;
  }

  private keep(line: MemoryLogLine): void {
    if (this.kept.length >= this.linesMax) this.dropped += 1;
    this.kept.push(line);
    // Cut rarely, so that a full sink does not move all its lines for each new one.
    if (this.kept.length >= 2 * this.linesMax) this.kept = this.kept.slice(-this.linesMax);
  }
}
