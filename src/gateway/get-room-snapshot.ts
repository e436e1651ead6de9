/**
 * The room as last committed, rebuilt from MySQL. It may lag behind the owner's memory by what is
 * being committed right now, and never shows anything that is not. How many rooms are rebuilt at
 * once is bounded, and a room is rebuilt once at a time.
 *
 * Race: a caller whose command was committed after a rebuild began must not be shown that rebuild,
 * which may lack its own change. So calls that come meanwhile share the *next* one. Test: "a read
 * never shows a rebuild that began before it".
 */
import { roomKeyOf, wideIdFault } from '../domain/ids.ts';
import type { AppCode, RoomId, RoomKey, UserId } from '../domain/ids.ts';
import { roomView } from '../domain/room/room-view.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { RoomState } from '../domain/room/state.ts';
import type { CallFrame } from '../ports/room-api.ts';
import type { RoomReader } from '../ports/room-reader.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import type { Codec } from '../protocol/codec-api.ts';
import { rebuildRoom, type FindSchema } from '../protocol/room-history.ts';
import { authorizeApp } from './authorize.ts';
import { createFieldFaults } from './field-faults.ts';
import type { GatewayLimits } from './limits.ts';
import { notProduced, refusal } from './refusals.ts';

/** Throws ROOM_NOT_FOUND, GATEWAY_BUSY, or a Retry failure when MySQL is out of reach. */
export type GetRoomSnapshot = (
  frame: CallFrame,
  key: { readonly appCode: string; readonly roomId: string },
) => Promise<RoomView>;

/** See the file header. */
export function createGetRoomSnapshot(
  ports: RebuildPorts,
  limits: Pick<GatewayLimits, 'roomReadsMax' | 'busyRetryMs' | 'giftRankMax'>,
): GetRoomSnapshot {
  const reading = new Map<RoomKey, RoomReads>();

  const startRead = (roomKey: RoomKey): Promise<RoomState | null> => {
    const reads: RoomReads = { running: rebuiltState(ports, roomKey), next: null };
    reading.set(roomKey, reads);
    const finish = (): void => {
      // With a next one waiting, its own start takes the entry over.
      if (reads.next === null) reading.delete(roomKey);
    };
    reads.running.then(finish, finish);
    return reads.running;
  };

  const readRoom = (roomKey: RoomKey): Promise<RoomState | null> => {
    const reads = reading.get(roomKey);
    if (reads !== undefined) {
      const startNext = (): Promise<RoomState | null> => startRead(roomKey);
      reads.next ??= reads.running.then(startNext, startNext);
      return reads.next;
    }
    if (reading.size >= limits.roomReadsMax) {
      throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: limits.busyRetryMs });
    }
    return startRead(roomKey);
  };

  return async (frame, key) => {
    const caller = authorizeApp(frame, key.appCode);
    const faults = createFieldFaults();
    faults.add('app_code', wideIdFault(key.appCode));
    faults.add('room_id', wideIdFault(key.roomId));
    faults.throwIfAny();
    const state = await readRoom(roomKeyOf(key.appCode as AppCode, key.roomId as RoomId));
    if (state === null) throw refusal('ROOM_NOT_FOUND');
    const viewer = caller.role === 'user' ? (caller.subject as UserId) : null;
    return roomView(state, viewer, limits.giftRankMax);
  };
}

/** The rebuild under way and the one that begins after it. */
interface RoomReads {
  readonly running: Promise<RoomState | null>;
  next: Promise<RoomState | null> | null;
}

/** What a rebuild reads with. */
interface RebuildPorts {
  readonly roomReader: RoomReader;
  readonly schemaRegistry: Pick<SchemaRegistry, 'find'>;
  readonly codec: Codec;
}

async function rebuiltState(ports: RebuildPorts, roomKey: RoomKey): Promise<RoomState | null> {
  const { roomReader, schemaRegistry, codec } = ports;
  const findSchema: FindSchema = (fingerprint) => schemaRegistry.find(fingerprint);
  return (await rebuildRoom(roomReader, codec, roomKey, findSchema))?.state ?? null;
}
