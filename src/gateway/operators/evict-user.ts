/**
 * EvictUser of operators (decision 30): the ban first, so that no later look of a join finds none,
 * then the rooms. With a room named there is no ban and one command.
 */
import { userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { RoomId, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Eviction, OperatorApi } from '../../ports/operator-api.ts';
import type { CallFrame } from '../../ports/room-api.ts';
import type { RoomQueries } from '../../ports/room-queries.ts';
import { allowedMs } from '../call-time.ts';
import { createEnabledCommands } from '../enabled-commands.ts';
import type { Exchange } from '../exchange.ts';
import { fieldSizes, isTime } from '../field-rules.ts';
import type { GatewayLimits } from '../limits.ts';
import type { BytesReader } from '../read-bytes.ts';
import { refusal } from '../refusals.ts';
import { authorizeOperator } from './authorize-operator.ts';
import { actFaults, actHead, carryOut, orUnknown, type ActPorts } from './carry-out.ts';
import { evictEverywhere, type EvictionPorts } from './evict-everywhere.ts';
import { createEvictFromRoom, type EvictFromRoom, type RoomEviction } from './evict-from-room.ts';

type EvictUserRequest = Parameters<OperatorApi['evictUser']>[1];

/** What an eviction stands on. */
export interface EvictUserPorts extends BytesReader, ActPorts, EvictionPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly roomQueries: Pick<RoomQueries, 'roomsOfUser' | 'isPlatformBanned'>;
}

/** The stage's own parts. */
export interface EvictUserParts {
  readonly exchange: Exchange;
  readonly limits: GatewayLimits;
  readonly partitionCount: number;
}

/** See the file header and `OperatorApi`. */
export function createEvictUser(
  ports: EvictUserPorts,
  parts: EvictUserParts,
): OperatorApi['evictUser'] {
  const enabled = createEnabledCommands(ports.schemaRegistry);
  const evict = createEvictFromRoom(ports, parts);
  return async (frame, request) => {
    const deadlineMonoMs = ports.clock.monoMs() + allowedMs(frame, parts.limits);
    const operatorId = authorizeOperator(frame, request);
    checkRequest(request, operatorId);
    const { userId, roomId, reason } = request;
    const expiresAtMs = Number(request.expiresAtMs);
    if (expiresAtMs !== 0 && expiresAtMs <= ports.clock.wallMs()) throw refusal('BAN_END_PAST');
    // Before the ban: a deployment that takes no evictions yet must not be left with half of one.
    if (!enabled.isKnown('EvictUser')) await enabled.require('EvictUser');

    const head = actHead(request, operatorId);
    const act = { userId: userId as UserId, roomId: roomId as RoomId | '', reason };
    await carryOut(ports, { ...head, ...act, type: 'EvictUser', expiresAtMs });
    const eviction = { ...head, userId: act.userId, reason };
    if (act.roomId !== '') {
      return evictFromOne(evict, { ...eviction, roomId: act.roomId }, () => {
        return deadlineMonoMs - ports.clock.monoMs();
      });
    }
    return orUnknown(evictBanned(ports, parts, evict, eviction, { frame, deadlineMonoMs }));
  };
}

function checkRequest(request: EvictUserRequest, operatorId: string): void {
  const { userId, roomId, reason, expiresAtMs } = request;
  const faults = actFaults(request, operatorId);
  faults.add('user_id', userIdFault(userId));
  if (roomId !== '') faults.add('room_id', wideIdFault(roomId));
  faults.text('reason', reason, fieldSizes.reason);
  if (!isTime(expiresAtMs)) faults.add('expires_at_ms', 'not a time in milliseconds');
  else if (roomId !== '' && expiresAtMs !== 0n) faults.add('expires_at_ms', 'there is no ban');
  faults.throwIfAny();
}

/** The room's no, and a room that cannot be asked, are the answer to the operator. */
async function evictFromOne(
  evict: EvictFromRoom,
  eviction: RoomEviction,
  leftMs: () => number,
): Promise<Eviction> {
  const end = await evict(eviction, Math.max(0, leftMs()));
  switch (end.kind) {
    case 'gone':
      return { banned: false, roomsEvicted: [eviction.roomId], roomsUnknown: [] };
    case 'unknown':
      return { banned: false, roomsEvicted: [], roomsUnknown: [eviction.roomId] };
    case 'rejected':
    case 'free':
      throw end.failure;
  }
}

/**
 * Race (test "a repeat of an eviction whose ban was lifted evicts nobody"):
 *   1. The ban is written, the answer is lost. 2. Another operator lifts the ban; the user comes back.
 *   3. The first operator's program sends the call again.
 * The store writes no ban for a repeat, and without one in force nobody is taken out here.
 */
async function evictBanned(
  ports: EvictUserPorts,
  { limits }: EvictUserParts,
  evict: EvictFromRoom,
  eviction: Omit<RoomEviction, 'roomId'>,
  call: { readonly frame: CallFrame; readonly deadlineMonoMs: number },
): Promise<Eviction> {
  const { appCode, userId } = eviction;
  const banned = await ports.roomQueries.isPlatformBanned(appCode, userId, ports.clock.wallMs());
  if (!banned) return { banned, roomsEvicted: [], roomsUnknown: [] };
  const { deadlineMonoMs, frame } = call;
  const time = { deadlineMonoMs, busyRetryMs: limits.busyRetryMs, signal: frame.signal };
  return { banned, ...(await evictEverywhere(ports, evict, eviction, time)) };
}
