/** Signals and errors that nobody caught. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../../src/main/exit-codes.ts';
import { handleProcessEvents, type ProcessLike } from '../../../src/main/process-events.ts';
import { settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';

class FakeProcess implements ProcessLike {
  readonly exits: number[] = [];
  readonly emitter = new EventEmitter();

  on(event: string, listener: (value: unknown) => void): void {
    this.emitter.on(event, listener);
  }

  off(event: string, listener: (value: unknown) => void): void {
    this.emitter.off(event, listener);
  }

  removeAllListeners(event: string): void {
    this.emitter.removeAllListeners(event);
  }

  exit(code: number): void {
    this.exits.push(code);
  }

  emit(event: string, value?: unknown): void {
    this.emitter.emit(event, value);
  }
}

function makeProcess() {
  const target = new FakeProcess();
  // As Node has one of its own, which prints.
  target.on('warning', () => undefined);
  const signals: string[] = [];
  const log = new MemoryLog();
  const remove = handleProcessEvents(target, {
    log,
    onSignal: (signal) => signals.push(signal),
    flush: () => Promise.resolve(),
  });
  return { target, signals, log, remove };
}

describe('the process', () => {
  it('begins the orderly end on the first signal and ends at once on the second', async () => {
    const { target, signals } = makeProcess();
    target.emit('SIGTERM');
    await settled();
    expect(signals).toEqual(['SIGTERM']);
    expect(target.exits).toEqual([]);
    target.emit('SIGINT');
    await settled();
    expect(target.exits).toEqual([130]);
  });

  it('goes on after a warning of Node, which is told in the log alone', async () => {
    const { target, log } = makeProcess();
    const warning = new Error('11 listeners added');
    target.emit('warning', warning);
    await settled();
    expect(target.exits).toEqual([]);
    expect(target.emitter.listenerCount('warning')).toBe(1);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { error: warning } }]);
  });

  it.each(['uncaughtException', 'unhandledRejection'])('ends at once on %s', async (event) => {
    const { target, log } = makeProcess();
    target.emit(event, new Error('nobody expected this'));
    await settled();
    expect(target.exits).toEqual([exitCodes.fault]);
    expect(log.lines[0]).toMatchObject({ level: 'error', fields: { fatal: true, kind: event } });
  });

  it('is left alone again when the handlers are removed', () => {
    const { target, remove } = makeProcess();
    remove();
    expect(target.emitter.eventNames()).toEqual([]);
  });
});
