/**
 * What became of a command whose answer did not arrive (architecture section 7). "Not executed" is
 * said only after the partition's owner has settled everything that was in the log when the call
 * began: then no earlier send of the id can be executed later.
 *
 * Not covered, and said in the contract: a send that another gateway had accepted but not yet
 * written to the log when this call read the log's end.
 */
import { roomKeyOf, wideIdFault } from '../domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomKey } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandSink } from '../ports/command-sink.ts';
import type { Log } from '../ports/log.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { CallFrame, Caller, CommandLookup } from '../ports/room-api.ts';
import type { RoomReader } from '../ports/room-reader.ts';
import type { Timers } from '../ports/timers.ts';
import { partitionOf } from '../protocol/partition.ts';
import { authorizeApp } from './authorize.ts';
import { allowedMs } from './call-time.ts';
import { createFieldFaults } from './field-faults.ts';
import type { GatewayLimits } from './limits.ts';
import { readBytes } from './read-bytes.ts';
import type { BytesReader } from './read-bytes.ts';
import { refusal } from './refusals.ts';

/** Pauses between two looks at the owner's row: they double from the first to the second. */
const firstPauseMs = 25;
const longestPauseMs = 400;
/** Kept of the caller's time for the last look and the way back. */
const lookAgainMs = 50;

/** What the look-up stands on. */
export interface GetCommandPorts extends BytesReader {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly roomReader: Pick<RoomReader, 'findResults'>;
  readonly partitionStore: Pick<PartitionStore, 'readOwner'>;
  readonly commandSink: Pick<CommandSink, 'endOffset'>;
}

/** Where a command would be. */
export interface CommandKey {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
}

/** Throws UNAVAILABLE when MySQL or Kafka is out of reach. */
export type GetCommand = (frame: CallFrame, key: CommandKey) => Promise<CommandLookup>;

/** See the file header. */
export function createGetCommand(
  ports: GetCommandPorts,
  parts: { readonly limits: GatewayLimits; readonly partitionCount: number },
): GetCommand {
  return async (frame, key) => {
    const deadlineMonoMs = ports.clock.monoMs() + allowedMs(frame, parts.limits);
    const caller = authorizeApp(frame, key.appCode);
    checkKey(key);
    const roomKey = roomKeyOf(key.appCode as AppCode, key.roomId as RoomId);
    const commandId = key.commandId as CommandId;

    const found = await findCommand(ports, caller, roomKey, commandId);
    if (found !== null) return found;
    // The end is read after the first look: whatever was settled before it is seen by the second.
    const partition = partitionOf(roomKey, parts.partitionCount);
    const endOffset = await ports.commandSink.endOffset(partition);
    const isSettled = await waitUntilSettled(ports, partition, endOffset, {
      untilMonoMs: deadlineMonoMs - lookAgainMs,
      signal: frame.signal,
    });
    const foundNow = await findCommand(ports, caller, roomKey, commandId);
    if (foundNow !== null) return foundNow;
    return { kind: isSettled ? 'notExecuted' : 'pendingPossible' };
  };
}

/** Ids of ours (`sys:` …) may be looked up, so the rule is the alphabet alone. */
function checkKey(key: CommandKey): void {
  const faults = createFieldFaults();
  faults.add('app_code', wideIdFault(key.appCode));
  faults.add('room_id', wideIdFault(key.roomId));
  faults.add('command_id', wideIdFault(key.commandId));
  faults.throwIfAny();
}

async function findCommand(
  ports: GetCommandPorts,
  caller: Caller,
  roomKey: RoomKey,
  commandId: CommandId,
): Promise<CommandLookup | null> {
  const [stored] = await ports.roomReader.findResults([{ roomKey, commandId }]);
  if (stored === undefined) return null;
  // A result holds the actor's mic session: it is the actor's own and no other user's.
  if (caller.role === 'user' && stored.actorUserId !== caller.subject) {
    throw refusal('PERMISSION_DENIED', { fault: 'other_user' });
  }
  const decoded = await readBytes(ports, stored.result, (bytes) => ports.codec.decodeResult(bytes));
  if (!decoded.ok) {
    ports.log.error({ roomKey, commandId, fault: decoded.fault }, 'a stored result cannot be read');
    throw refusal('INTERNAL');
  }
  return { kind: 'found', commandType: stored.commandType, result: decoded.value };
}

/** Whether the owner has settled all offsets below `endOffset` in time. */
async function waitUntilSettled(
  ports: GetCommandPorts,
  partition: number,
  endOffset: bigint,
  until: { readonly untilMonoMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const owner = await ports.partitionStore.readOwner(partition);
    // No row: nobody ever owned the partition, so nothing of it is settled.
    const appliedOffset = owner?.appliedOffset ?? -1n;
    if (appliedOffset >= endOffset - 1n) return true;
    const leftMs = until.untilMonoMs - ports.clock.monoMs();
    if (leftMs <= 0 || until.signal.aborted) return false;
    await ports.timers.sleep(Math.min(pauseMs, leftMs), until.signal);
  }
}
