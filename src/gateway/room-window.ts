/**
 * How many calls of one room are in flight through this gateway. One room's flood is answered
 * ROOM_BUSY before anything is produced, so that it neither fills the room's queue at the cell nor
 * the gateway's table of waiting calls.
 */
import type { RoomKey } from '../domain/ids.ts';

/** See the file header. Holds an entry only for rooms with calls in flight. */
export interface RoomWindow {
  /** Takes a place; the function returned gives it back (once). Null when the window is full. */
  enter(roomKey: RoomKey): (() => void) | null;
  /** Rooms with calls in flight. */
  readonly roomCount: number;
}

/** A window of `callsPerRoomMax` calls for every room. */
export function createRoomWindow(callsPerRoomMax: number): RoomWindow {
  const inFlight = new Map<RoomKey, number>();

  const leave = (roomKey: RoomKey): void => {
    const count = inFlight.get(roomKey) ?? 0;
    if (count > 1) inFlight.set(roomKey, count - 1);
    else inFlight.delete(roomKey);
  };

  return {
    get roomCount() {
      return inFlight.size;
    },
    enter(roomKey) {
      const count = inFlight.get(roomKey) ?? 0;
      if (count >= callsPerRoomMax) return null;
      inFlight.set(roomKey, count + 1);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        leave(roomKey);
      };
    },
  };
}
