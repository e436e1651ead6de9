/** Events of a room with plain values, for rows that a test doctors. */
import type { RoomEvent } from '../../../../src/domain/room/events.ts';

/** A text as whatever id is asked for. */
export const as = <Id extends string>(text: string): Id => text as Id;

export const left = (user: string): RoomEvent => ({
  type: 'RoomUserLeft',
  userId: as(user),
  reason: 'left',
});

export const up = (user: string, seatNo: number, session = 'none'): RoomEvent => ({
  type: 'RoomMicUp',
  userId: as(user),
  seatNo,
  micSessionId: as(session),
  publishDeadlineMs: 1,
});
