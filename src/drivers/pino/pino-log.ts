/** The Log port on pino: one JSON object a line. Writing never throws and never blocks (F9). */
import { pino } from 'pino';
import type { Log, LogFields } from '../../ports/log.ts';
import type { BoundedOutput } from './bounded-output.ts';
import { plainFields } from '../plain-fields.ts';

/** Levels that the configuration can name. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a process logs with. */
export interface PinoLogOptions {
  readonly level: LogLevel;
  /** Fields of every line: who speaks. */
  readonly base: LogFields;
  readonly output: BoundedOutput;
}

/** A Log that writes to `output`. Times are ISO 8601 in UTC, levels are words. */
export function createPinoLog(options: PinoLogOptions): Log {
  const logger = pino(
    {
      level: options.level,
      base: plainFields(options.base),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.output,
  );
  return wrap(logger);
}

function wrap(logger: pino.Logger): Log {
  return {
    debug: (fields, message) => write(logger, 'debug', fields, message),
    info: (fields, message) => write(logger, 'info', fields, message),
    warn: (fields, message) => write(logger, 'warn', fields, message),
    error: (fields, message) => write(logger, 'error', fields, message),
    child: (fields) => wrap(logger.child(plainFields(fields))),
  };
}

function write(logger: pino.Logger, level: LogLevel, fields: LogFields, message: string): void {
  if (!logger.isLevelEnabled(level)) return;
  logger[level](plainFields(fields), message);
}
