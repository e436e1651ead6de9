/**
 * Signals and last-resort errors of the process. The first SIGTERM or SIGINT begins the orderly end,
 * the second ends the process at once; an error that nobody caught ends it at once too, because
 * nobody knows any more what holds in its memory. Warnings of Node become lines of the log, with the
 * place they came from, instead of text between its lines.
 */
import { constants } from 'node:os';
import type { Log } from '../ports/log.ts';
import { exitCodes } from './exit-codes.ts';

/** What the handlers call. */
export interface ProcessHandlers {
  readonly log: Log;
  /** Begins the orderly end. */
  onSignal(signal: NodeJS.Signals): void;
  /** Writes out what the log still holds; bounded. */
  flush(): Promise<void>;
}

/** The part of `process` that is used; a test brings its own. */
export interface ProcessLike {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  removeAllListeners(event: string): unknown;
  exit(code: number): void;
}

/** Installs the handlers; returns their removal. */
export function handleProcessEvents(target: ProcessLike, handlers: ProcessHandlers): () => void {
  let signals = 0;
  const exitAfterFlush = (code: number): void => {
    const exit = (): void => target.exit(code);
    void handlers.flush().then(exit, exit);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals === 1) return handlers.onSignal(signal);
    handlers.log.warn({ signal }, 'second signal: the process ends at once');
    exitAfterFlush(128 + constants.signals[signal]);
  };
  const onFault = (kind: string) => (error: unknown) => {
    handlers.log.error({ fatal: true, kind, error }, 'an error that nobody expected');
    exitAfterFlush(exitCodes.fault);
  };
  const listeners: readonly (readonly [string, (value: unknown) => void])[] = [
    ['SIGTERM', () => onSignal('SIGTERM')],
    ['SIGINT', () => onSignal('SIGINT')],
    ['uncaughtException', onFault('uncaughtException')],
    ['unhandledRejection', onFault('unhandledRejection')],
    ['warning', (warning) => handlers.log.warn({ error: warning }, 'a warning of Node')],
  ];
  // Node's own listener would print the warning a second time.
  target.removeAllListeners('warning');
  for (const [event, listener] of listeners) target.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) target.off(event, listener);
  };
}
