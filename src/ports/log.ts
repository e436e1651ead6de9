/** Structured logging. Lines carry room key, version and command id where they have them. */

/** Facts of a line. bigint values are written as decimal text. Never put a secret here. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writing never throws and never blocks the caller (F9: the pipe's reader may be asleep). */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A log whose lines all carry `fields`. */
  child(fields: LogFields): Log;
}
