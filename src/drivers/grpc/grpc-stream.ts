/** Streams over grpc-js, on both sides: the way from an async iterable to the wire, and back. */
import type { ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { ClientReadableStream, ServerWritableStream } from '@grpc/grpc-js';
import { reasonRow } from '../../domain/reasons.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Timers } from '../../ports/timers.ts';

/** How a stream is written. */
export interface StreamWriting {
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
  /** How long the client may have no room for the next message. */
  readonly takeWithinMs: number;
}

/**
 * Writes every message, each when the client has room for it, and ends the call. Throws what
 * `messages` throw, and WATCH_TOO_SLOW when the client takes nothing for too long: the call is then
 * reset, for its status would wait behind what is not taken.
 */
export async function writeAll(
  call: ServerWritableStream<unknown, unknown>,
  messages: AsyncIterable<unknown>,
  { signal, timers, takeWithinMs }: StreamWriting,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) break;
    if (call.write(message)) continue;
    if (await hasRoom(call, signal, timers, takeWithinMs)) continue;
    reset(call);
    const sentence = reasonRow('WATCH_TOO_SLOW')?.sentence ?? '';
    throw new Failure('retry', 'WATCH_TOO_SLOW', sentence);
  }
  call.end();
}

/** The messages of a call as they are taken; leaving it cancels the call. Throws a ServiceError. */
export async function* messagesOf(
  call: ClientReadableStream<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const cancel = (): void => call.cancel();
  // Told to the loop below while it runs; afterwards it is nobody's.
  call.on('error', () => undefined);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel);
  try {
    for await (const message of call) yield message;
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** False: not in time. A client that is gone counts as one with room: its loop ends by the signal. */
function hasRoom(
  call: ServerWritableStream<unknown, unknown>,
  signal: AbortSignal,
  timers: Timers,
  withinMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isIn: boolean) => (): void => {
      cancelTimer();
      call.off('drain', onRoom);
      signal.removeEventListener('abort', onRoom);
      resolve(isIn);
    };
    const onRoom = end(true);
    const cancelTimer = timers.after(withinMs, end(false));
    call.once('drain', onRoom);
    signal.addEventListener('abort', onRoom);
    if (signal.aborted) onRoom();
  });
}

/**
 * Takes the stream from under the call, with everything that was written and not taken. grpc-js has no
 * word for that on the server's side, so it is looked for where this version keeps it; in another the
 * stream would end with its connection.
 */
function reset(call: ServerWritableStream<unknown, unknown>): void {
  const { call: inner } = call as unknown as { call?: { stream?: ServerHttp2Stream } };
  inner?.stream?.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}
