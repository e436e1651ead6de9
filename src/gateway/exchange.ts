/**
 * One record to the commands topic and its one reply. Every end is a value: the callers say what
 * each means for a command and for heartbeats. The reply may overtake the acknowledgement of the
 * produce; whichever settles the call first wins.
 */
import type { Log } from '../ports/log.ts';
import type { CommandSink, ProduceOutcome } from '../ports/command-sink.ts';
import type { Trace } from '../ports/trace.ts';
import { crc32cHex } from '../protocol/crc32c.ts';
import type { CommandTopicRecord, ReplyRecord } from '../protocol/records.ts';
import { headerNames } from '../protocol/topics.ts';
import type { PendingCall, PendingCalls } from './pending-calls.ts';
import { readBytes } from './read-bytes.ts';
import type { BytesReader } from './read-bytes.ts';

/** What to send and how long an answer is of use. */
export interface ExchangeRequest {
  readonly partition: number;
  readonly key: Uint8Array;
  readonly record: CommandTopicRecord;
  /** Null: the record never expires (heartbeats). */
  readonly ttlMs: number | null;
  readonly timeoutMs: number;
  /** Headers of its own, beside those of every record. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How it ended. `notSent` promises that the record is not in the topic. */
export type ExchangeEnd =
  | { readonly kind: 'reply'; readonly reply: ReplyRecord }
  | { readonly kind: 'notSent'; readonly cause: string }
  /** The table of waiting calls is full; nothing was sent. */
  | { readonly kind: 'full' }
  | { readonly kind: 'unknown'; readonly produced: 'yes' | 'unknown'; readonly cause: string };

/** The reply partition in use and the calls that wait on it. */
export interface ReplyDesk {
  readonly slot: number;
  readonly calls: PendingCalls;
}

/** What an exchange stands on. */
export interface ExchangePorts extends BytesReader {
  readonly commandSink: Pick<CommandSink, 'produce'>;
  readonly trace: Trace;
  readonly log: Log;
}

/** Never throws; ends at the latest `timeoutMs` after it began (plus a schema look-up). */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeEnd>;

/** `currentDesk` is asked anew for every exchange: a desk that lost its slot is never used again. */
export function createExchange(
  ports: ExchangePorts,
  currentDesk: () => ReplyDesk | null,
): Exchange {
  return async (request) => {
    const value = ports.codec.encodeCommand(request.record);
    const desk = currentDesk();
    if (desk === null) return { kind: 'notSent', cause: 'this gateway holds no reply slot' };
    const call = desk.calls.open(request.timeoutMs);
    if (call === null) return { kind: 'full' };

    ports.trace.at('gateway.before_produce');
    const produce = startProduce(ports, { ...request, value }, desk.slot, call);
    const end = await call.ended;
    switch (end.kind) {
      case 'reply':
        return readReply(ports, end.value);
      case 'notSent':
        return end;
      case 'timeout':
      case 'lost':
        // Bug case A5: a time-out after the produce began is never "failed", whatever became of the produce.
        return { kind: 'unknown', produced: produce.stored() ? 'yes' : 'unknown', cause: end.kind };
    }
  };
}

function startProduce(
  ports: ExchangePorts,
  request: ExchangeRequest & { readonly value: Uint8Array },
  slot: number,
  call: PendingCall,
): { stored(): boolean } {
  const headers: Record<string, string> = {
    ...request.headers,
    [headerNames.correlationId]: call.correlationId,
    [headerNames.replyPartition]: String(slot),
    [headerNames.crc32c]: crc32cHex(request.value),
  };
  if (request.ttlMs !== null) headers[headerNames.ttlMs] = String(Math.ceil(request.ttlMs));
  let isStored = false;
  const { partition, key, value } = request;
  const settle = (outcome: ProduceOutcome): void => {
    ports.trace.at('gateway.after_produce');
    if (outcome.kind === 'stored') isStored = true;
    if (outcome.kind === 'notSent') call.end(outcome);
    // `unknown`: the record may be there and its reply may still come, so the call waits on.
  };
  ports.commandSink.produce({ partition, key, value, headers }).then(settle, (cause: unknown) => {
    // The port never throws. Should a driver do so, nothing is certain about the record either.
    ports.log.error({ cause }, 'a produce threw');
  });
  return { stored: () => isStored };
}

async function readReply(ports: ExchangePorts, value: Uint8Array): Promise<ExchangeEnd> {
  const decoded = await readBytes(ports, value, (bytes) => ports.codec.decodeReply(bytes));
  if (decoded.ok) return { kind: 'reply', reply: decoded.value };
  // The command was decided, but we cannot say how: to the caller that is an unknown outcome.
  ports.log.error({ fault: decoded.fault }, 'a reply cannot be read');
  return { kind: 'unknown', produced: 'yes', cause: 'the reply cannot be read' };
}
