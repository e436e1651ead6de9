/**
 * Where log lines go: a stream that must never hold anybody up (F9: the reader of our pipe may be
 * asleep). Lines wait in memory up to a number of bytes; then new ones are dropped and counted, and
 * the first line after that says how many.
 *
 * The stream is `process.stdout` and not a file descriptor: on a pipe Node writes to it without
 * blocking, while `fs.write` parks a pool thread on a full pipe, and the process could not even exit
 * (test: log-pipe.int.spec.ts, "a process whose log nobody reads still exits").
 */

/** The part of a writable stream that is used. */
export interface OutputStream {
  readonly writableLength: number;
  write(text: string, onDone?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** See the file header. */
export interface BoundedOutput {
  /** Takes one line that ends in a newline. Never throws, never blocks. */
  write(line: string): void;
  /** Lines lost so far: no room, or nobody there to read them any more. */
  droppedLines(): number;
  /** Resolves when all lines are out, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
}

/** Makes an output over `stream` that keeps at most `bytesMax` in memory. */
export function createBoundedOutput(stream: OutputStream, bytesMax: number): BoundedOutput {
  let dropped = 0;
  let unreported = 0;
  let isBroken = false;
  // EPIPE and the like: the reader is gone for good. Without a listener it would end the process.
  stream.on('error', () => (isBroken = true));

  function reportDropped(): void {
    if (unreported === 0) return;
    const fields = { level: 'warn', event: 'log_lines_dropped', lines: unreported };
    const line = { ...fields, msg: 'log lines were dropped: their reader was too slow' };
    unreported = 0;
    stream.write(`${JSON.stringify(line)}\n`);
  }

  return {
    write(line) {
      if (isBroken || stream.writableLength + line.length > bytesMax) {
        dropped += 1;
        unreported += 1;
        return;
      }
      reportDropped();
      stream.write(line);
    },
    droppedLines: () => dropped,
    flush: (timeoutMs) =>
      new Promise((resolve) => {
        if (isBroken) return resolve();
        const timer = setTimeout(resolve, timeoutMs);
        stream.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
