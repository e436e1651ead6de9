/** What a log line may hold, and what writing it may cost. */
import { describe, expect, it } from 'vitest';
import {
  createBoundedOutput,
  type OutputStream,
} from '../../../../src/drivers/pino/bounded-output.ts';
import { createPinoLog } from '../../../../src/drivers/pino/pino-log.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import { logContract } from '../../../contract/suites/log-contract.ts';

/** A stream whose reader sleeps until `wake`. */
class SleepyStream implements OutputStream {
  writableLength = 0;
  readonly lines: string[] = [];
  private isAwake: boolean;
  private readonly waiting: (() => void)[] = [];
  private onError: (error: Error) => void = () => undefined;

  constructor(isAwake: boolean) {
    this.isAwake = isAwake;
  }

  write(text: string, onDone?: () => void): boolean {
    if (text !== '') this.lines.push(text);
    if (!this.isAwake) this.writableLength += text.length;
    if (onDone !== undefined) {
      if (this.isAwake) onDone();
      else this.waiting.push(onDone);
    }
    return this.isAwake;
  }

  on(_event: 'error', listener: (error: Error) => void): void {
    this.onError = listener;
  }

  wake(): void {
    this.isAwake = true;
    this.writableLength = 0;
    for (const onDone of this.waiting.splice(0)) onDone();
  }

  breakPipe(): void {
    this.onError(new Error('EPIPE'));
  }
}

function awakeLog(level: 'debug' | 'info' = 'info') {
  const stream = new SleepyStream(true);
  const output = createBoundedOutput(stream, 100_000);
  const log = createPinoLog({ level, base: { node_id: 'n1' }, output });
  const last = (): Record<string, unknown> =>
    JSON.parse(stream.lines.at(-1) ?? '{}') as Record<string, unknown>;
  return { log, last, stream };
}

describe('a log line', () => {
  it('carries level, time, base fields, the child’s fields and its own', () => {
    const { log, last } = awakeLog();
    log.child({ role: 'cell' }).info({ room_id: 'r1' }, 'a room was loaded');
    expect(last()).toMatchObject({
      level: 'info',
      node_id: 'n1',
      role: 'cell',
      room_id: 'r1',
      msg: 'a room was loaded',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    });
  });

  it('keeps every digit of a 64-bit number', () => {
    const { log, last } = awakeLog();
    log.info({ room_version: 9007199254740993n, deep: { list: [9007199254740993n] } }, 'x');
    expect(last()).toMatchObject({
      room_version: '9007199254740993',
      deep: { list: ['9007199254740993'] },
    });
  });

  it('never holds a secret, however deep it lies and however it is spelled', () => {
    const { log, last, stream } = awakeLog();
    log.info(
      { mysql: { password: 'hunter2' }, Authorization: 'hunter2', user_sig: 'hunter2' },
      'connected',
    );
    log.child({ secret_key: 'hunter2' }).info({ list: [{ passwordHash: 'hunter2' }] }, 'x');
    expect(stream.lines.join('')).not.toContain('hunter2');
    expect(last()).toMatchObject({ secret_key: '[secret]' });
  });

  it('tells a failure’s reason, facts and cause', () => {
    const { log, last } = awakeLog();
    const cause = new Error('connect ECONNREFUSED');
    const error = new Failure('retry', 'UNAVAILABLE', 'MySQL is away', {
      facts: { host: 'db' },
      cause,
    });
    log.error({ error }, 'x');
    expect(last()['error']).toMatchObject({
      message: 'MySQL is away',
      kind: 'retry',
      reason: 'UNAVAILABLE',
      facts: { host: 'db' },
      cause: { message: 'connect ECONNREFUSED' },
    });
  });

  it('stays a line, whatever it is given', () => {
    const { log, last } = awakeLog();
    const circle: Record<string, unknown> = { big: 'x'.repeat(1_000_000), fn: () => 1 };
    circle['self'] = circle;
    Object.defineProperty(circle, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('trapped');
      },
    });
    log.info({ circle, many: Array.from({ length: 10_000 }, () => 1), nan: NaN }, 'x');
    expect(JSON.stringify(last()).length).toBeLessThan(100_000);
    expect(last()['circle']).toContain('trapped');
  });

  it('below the level costs nothing: its fields are not even looked at', () => {
    const { log, stream } = awakeLog('info');
    const fields = {
      get costly(): string {
        throw new Error('looked at');
      },
    };
    log.debug(fields, 'x');
    expect(stream.lines).toEqual([]);
  });
});

describe('the output', () => {
  it('drops lines that do not fit, counts them, and says so when there is room again', () => {
    const stream = new SleepyStream(false);
    const output = createBoundedOutput(stream, 100);
    for (let n = 0; n < 10; n += 1) output.write(`${'x'.repeat(29)}\n`);
    expect(stream.lines).toHaveLength(3);
    expect(output.droppedLines()).toBe(7);
    stream.wake();
    output.write('next\n');
    expect(stream.lines.slice(3).map((line) => line.slice(0, 16))).toEqual([
      '{"level":"warn",',
      'next\n',
    ]);
    expect(JSON.parse(stream.lines[3] ?? '')).toMatchObject({ lines: 7 });
  });

  it('flush waits for the reader, but not longer than it was told', async () => {
    const stream = new SleepyStream(false);
    const output = createBoundedOutput(stream, 1_000);
    output.write('a\n');
    await output.flush(10);
    const flushed = output.flush(60_000);
    stream.wake();
    await flushed;
  });

  it('goes on without its reader when that one is gone for good', async () => {
    const stream = new SleepyStream(true);
    const output = createBoundedOutput(stream, 1_000);
    stream.breakPipe();
    output.write('nobody reads this\n');
    expect(stream.lines).toEqual([]);
    expect(output.droppedLines()).toBe(1);
    await output.flush(60_000);
  });
});

logContract('pino', () => {
  const stream = new SleepyStream(true);
  const output = createBoundedOutput(stream, 1_000_000);
  return {
    log: createPinoLog({ level: 'debug', base: {}, output }),
    lines: () =>
      stream.lines.map((line) => {
        const { level, time: _, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
        return { level: String(level), message: String(msg), fields };
      }),
  };
});
