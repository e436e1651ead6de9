/**
 * What a reply means to the caller. The stored result record is read, never judged: a repeat gets
 * what the first try got, with `replayed` beside it.
 */
import { assertNever } from '../kernel/assert.ts';
import type { Log } from '../ports/log.ts';
import type { CommandSuccess } from '../ports/room-api.ts';
import type { RefusalReply, ReplyRecord, ResultReply } from '../protocol/records.ts';
import type { ParsedCommand } from './parse-command.ts';
import type { ExchangeEnd } from './exchange.ts';
import type { GatewayLimits } from './limits.ts';
import { readBytes } from './read-bytes.ts';
import type { BytesReader } from './read-bytes.ts';
import { notProduced, refusal } from './refusals.ts';

/** The reply, or the failure that its absence is. For commands and heartbeat folds alike. */
export function repliedOrThrow(end: ExchangeEnd, limits: GatewayLimits): ReplyRecord {
  switch (end.kind) {
    case 'reply':
      return end.reply;
    case 'full':
      throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: limits.busyRetryMs });
    case 'notSent':
      throw refusal('UNAVAILABLE', notProduced, {
        retryAfterMs: limits.busyRetryMs,
        cause: end.cause,
      });
    case 'unknown':
      throw refusal('OUTCOME_UNKNOWN', { produced: end.produced }, { cause: end.cause });
  }
}

/** The success, or the Failure that the reply is. */
export async function resultOf(
  ports: BytesReader & { readonly log: Log },
  command: ParsedCommand,
  reply: ReplyRecord,
): Promise<CommandSuccess> {
  switch (reply.kind) {
    case 'result':
      return successOf(ports, command, reply);
    case 'refusal':
      throw refused(reply);
    case 'heartbeats':
      // Correlation ids of folds are never a command's; a reply that says so is another release's fault.
      ports.log.error({ commandId: command.commandId }, 'a command was answered like a heartbeat');
      throw refusal('OUTCOME_UNKNOWN', { produced: 'yes' });
    default:
      return assertNever(reply, 'a reply of an unknown kind');
  }
}

/** The Failure of a reply without a result record. The id stays free, or was never usable. */
export function refused(reply: RefusalReply): Error {
  const options = reply.retryAfterMs > 0 ? { retryAfterMs: reply.retryAfterMs } : {};
  return refusal(reply.reason, { ...reply.facts, produced: 'yes' }, options);
}

async function successOf(
  ports: BytesReader & { readonly log: Log },
  command: ParsedCommand,
  reply: ResultReply,
): Promise<CommandSuccess> {
  const { roomId, commandId } = command;
  const decoded = await readBytes(ports, reply.resultBytes, (bytes) =>
    ports.codec.decodeResult(bytes),
  );
  if (!decoded.ok) {
    ports.log.error({ roomId, commandId, fault: decoded.fault }, 'a result cannot be read');
    throw refusal('OUTCOME_UNKNOWN', { produced: 'yes' });
  }
  const { value: result } = decoded;
  if (result.outcome !== 'rejected') {
    return { roomId, result, replayed: reply.replayed, view: reply.view };
  }
  throw refusal(result.reason, {
    ...result.facts,
    room_version: String(result.roomVersion),
    replayed: String(reply.replayed),
    produced: 'yes',
  });
}
