/**
 * One command from its request to its result (architecture sections 4 and 7):
 * 1 authorize, 2 parse and level, 3 window, 4 facts, 5 produce and await the reply, 6 result.
 * The gateway never refuses on the room's state and never answers for the cell: after something was
 * produced, only a decoded reply says what happened, and no reply means "unknown" (bug case A5).
 */
import type { ActorRole } from '../domain/room/commands.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { CallFrame, CommandRequest, CommandSuccess, RequestMeta } from '../ports/room-api.ts';
import { partitionKeyBytes, partitionOf } from '../protocol/partition.ts';
import type { CommandRecord, RefusalReply, ReplyRecord } from '../protocol/records.ts';
import { attachFacts } from './attach-facts.ts';
import type { FactSources } from './attach-facts.ts';
import { authorizeActor } from './authorize.ts';
import { repliedOrThrow, resultOf } from './command-result.ts';
import { allowedMs, untilAborted } from './call-time.ts';
import { createEnabledCommands } from './enabled-commands.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayLimits } from './limits.ts';
import { parseCommand } from './parse-command.ts';
import type { ParsedCommand } from './parse-command.ts';
import type { BytesReader } from './read-bytes.ts';
import { notProduced, refusal } from './refusals.ts';
import type { RoomWindow } from './room-window.ts';

/** Sends after the first one that a stale fact may cause. */
const staleRefreshesMax = 2;

/** What the flow stands on. */
export interface CommandPorts extends FactSources, BytesReader {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The stage's own parts. */
export interface CommandParts {
  readonly exchange: Exchange;
  readonly window: RoomWindow;
  readonly limits: GatewayLimits;
  readonly partitionCount: number;
}

/** Resolves with the result of an applied or effect-free command, throws a Failure otherwise. */
export type ExecuteCommand = (
  frame: CallFrame,
  meta: RequestMeta,
  request: CommandRequest,
) => Promise<CommandSuccess>;

/** See the file header. */
export function createExecuteCommand(ports: CommandPorts, parts: CommandParts): ExecuteCommand {
  const { limits, window } = parts;
  const enabled = createEnabledCommands(ports.schemaRegistry);

  const run: ExecuteCommand = async (frame, meta, request) => {
    const deadlineMonoMs = ports.clock.monoMs() + allowedMs(frame, limits);
    const command = parseCommand(authorizeActor(frame, meta), meta, request, limits);
    if (!enabled.isKnown(request.type)) {
      await untilAborted(enabled.require(request.type), frame.signal);
    }
    const leave = window.enter(command.roomKey);
    if (leave === null) {
      const retryAfterMs = limits.busyRetryMs * window.waveOf(command.roomKey);
      throw refusal('ROOM_BUSY', notProduced, { retryAfterMs });
    }
    // A caller that hangs up frees its place only when its command is over: a client that cancels
    // and sends again must not get past the window.
    const reply = replyTo(ports, parts, command, deadlineMonoMs, frame.signal).finally(leave);
    const result = reply.then((record) => resultOf(ports, command, record));
    return untilAborted(result, frame.signal);
  };

  return async (frame, meta, request) => {
    const startedMs = ports.clock.monoMs();
    let outcome = 'ok';
    try {
      return await run(frame, meta, request);
    } catch (failure) {
      outcome = failure instanceof Failure ? failure.reason : 'fault';
      throw failure;
    } finally {
      const labels = { type: request.type, outcome };
      ports.metrics.observeMs('gateway_command_ms', ports.clock.monoMs() - startedMs, labels);
    }
  };
}

/** The reply to the command, after at most two refreshes of its facts. Throws when there is none. */
async function replyTo(
  ports: CommandPorts,
  parts: CommandParts,
  command: ParsedCommand,
  deadlineMonoMs: number,
  signal: AbortSignal,
): Promise<ReplyRecord> {
  for (let refreshes = 0; ; refreshes += 1) {
    const body = await attachFacts(ports, command, refreshes > 0);
    const remainingMs = deadlineMonoMs - ports.clock.monoMs();
    // Nothing of this id is executed or on its way here: the first send has not happened yet, or
    // the one before was answered FACT_STALE, which leaves the id free.
    if (remainingMs <= 0 || signal.aborted) throw refusal('EXPIRED', notProduced);
    const end = await parts.exchange({
      partition: partitionOf(command.roomKey, parts.partitionCount),
      key: partitionKeyBytes(command.roomKey),
      record: recordOf(command, body),
      ttlMs: remainingMs,
      timeoutMs: remainingMs,
    });
    const reply = repliedOrThrow(end, parts.limits);
    if (!isStaleFact(reply) || refreshes === staleRefreshesMax) return reply;
    ports.metrics.count('gateway_stale_facts_total', { type: command.request.type });
  }
}

function recordOf(command: ParsedCommand, body: CommandRecord['body']): CommandRecord {
  const { appCode, roomId, commandId, actorUserId, clientTimeMs, snapshotMode } = command;
  const actorRole: ActorRole = command.actorRole;
  return {
    kind: 'command',
    appCode,
    roomId,
    commandId,
    actorUserId,
    actorRole,
    clientTimeMs,
    snapshotMode,
    body,
  };
}

function isStaleFact(reply: ReplyRecord): reply is RefusalReply {
  return reply.kind === 'refusal' && reply.reason === 'FACT_STALE';
}
