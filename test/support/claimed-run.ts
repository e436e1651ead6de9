/** A run of outbox rows as the relay claims it, for tests of what carries it. */
import type { AppCode, EventId, RoomId, RoomKey, RoomVersion } from '../../src/domain/ids.ts';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type { ClaimedRun } from '../../src/ports/outbox-store.ts';

/** `rows` rows of a room of `app1`, numbered from `firstRow` on, for destination `im`. */
export function claimedRun(
  room: string,
  firstRow: number,
  rows: number,
  envelopeBytes = 20,
): ClaimedRun & { readonly roomKey: RoomKey } {
  const appCode = 'app1' as AppCode;
  const roomId = room as RoomId;
  return {
    claimToken: `claim-${room}-${firstRow}`,
    roomKey: roomKeyOf(appCode, roomId),
    appCode,
    roomId,
    destination: 'im',
    rows: Array.from({ length: rows }, (_, index) => ({
      rowId: BigInt(firstRow + index),
      eventId: `e${index}` as EventId,
      eventType: 'RoomUserJoined',
      roomVersion: BigInt(firstRow + index) as RoomVersion,
      eventIndex: 0,
      envelope: Buffer.alloc(envelopeBytes, index % 250),
      retryCount: 0,
      usefulUntilMs: null,
      isSuspect: false,
    })),
  };
}
