/**
 * One EvictUser to one room and its end as a value. The record has no deadline: an eviction that its
 * operator did not hear of is decided all the same, and a repeat of the id gets its result.
 */
import { roomKeyOf } from '../../domain/ids.ts';
import type { AppCode, CommandId, RoomId, UserId } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Log } from '../../ports/log.ts';
import { partitionKeyBytes, partitionOf } from '../../protocol/partition.ts';
import type { ReplyRecord } from '../../protocol/records.ts';
import { refused, repliedOrThrow } from '../command-result.ts';
import type { Exchange } from '../exchange.ts';
import type { GatewayLimits } from '../limits.ts';
import { readBytes } from '../read-bytes.ts';
import type { BytesReader } from '../read-bytes.ts';
import { refusal } from '../refusals.ts';

/** Who is taken out of which room, by whom. */
export interface RoomEviction {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly operatorId: UserId;
  readonly userId: UserId;
  readonly reason: string;
}

/**
 * `gone`: the user is not in the room (any more). `rejected`: the room said no, for good under this
 * id. `free`: nothing was decided, the id may be sent again. `unknown`: sent, and no answer in time.
 */
export type RoomEvictionEnd =
  { readonly kind: 'gone' } | { readonly kind: 'rejected' | 'free' | 'unknown'; failure: Failure };

/** Never throws a Failure; ends at the latest after `timeoutMs`. */
export type EvictFromRoom = (eviction: RoomEviction, timeoutMs: number) => Promise<RoomEvictionEnd>;

/** See the file header. */
export function createEvictFromRoom(
  ports: BytesReader & { readonly log: Log },
  parts: {
    readonly exchange: Exchange;
    readonly limits: GatewayLimits;
    readonly partitionCount: number;
  },
): EvictFromRoom {
  return async (eviction, timeoutMs) => {
    const { appCode, roomId, commandId, operatorId, userId, reason } = eviction;
    const roomKey = roomKeyOf(appCode, roomId);
    const end = await parts.exchange({
      partition: partitionOf(roomKey, parts.partitionCount),
      key: partitionKeyBytes(roomKey),
      record: {
        kind: 'command',
        appCode,
        roomId,
        commandId,
        actorUserId: operatorId,
        actorRole: 'operator',
        clientTimeMs: 0,
        snapshotMode: 'none',
        body: { type: 'EvictUser', userId, reason },
      },
      ttlMs: null,
      timeoutMs,
    });
    try {
      return await endOf(ports, eviction, repliedOrThrow(end, parts.limits));
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return { kind: end.kind === 'unknown' ? 'unknown' : 'free', failure: thrown };
    }
  };
}

async function endOf(
  ports: BytesReader & { readonly log: Log },
  { roomId, commandId }: RoomEviction,
  reply: ReplyRecord,
): Promise<RoomEvictionEnd> {
  if (reply.kind === 'refusal') return { kind: 'free', failure: refused(reply) as Failure };
  const decoded =
    reply.kind === 'result'
      ? await readBytes(ports, reply.resultBytes, (bytes) => ports.codec.decodeResult(bytes))
      : ({ ok: false, fault: 'answered like a heartbeat' } as const);
  if (!decoded.ok) {
    ports.log.error({ roomId, commandId, fault: decoded.fault }, 'an eviction cannot be read');
    return { kind: 'unknown', failure: refusal('OUTCOME_UNKNOWN', { produced: 'yes' }) };
  }
  const { outcome, reason, facts } = decoded.value;
  if (outcome !== 'rejected') return { kind: 'gone' };
  return { kind: 'rejected', failure: refusal(reason, { ...facts, produced: 'yes' }) };
}
