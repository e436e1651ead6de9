/** Log twins of a run: one that drops every line, and one for people who look at a single seed. */
import type { Log, LogFields } from '../../../src/ports/log.ts';

const nothing = (): void => undefined;

/** Drops every line. */
export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
};

/** Hands every line to `write`, as one text. */
export function writingLog(write: (line: string) => void, base: LogFields = {}): Log {
  const line =
    (level: string) =>
    (fields: LogFields, message: string): void =>
      write(`${level} ${message} ${textOf({ ...base, ...fields })}`);
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    child: (fields) => writingLog(write, { ...base, ...fields }),
  };
}

function textOf(fields: LogFields): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Error ? `${value.name}: ${value.stack ?? value.message}` : value;
  });
}
