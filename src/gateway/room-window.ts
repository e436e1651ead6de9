/**
 * How many calls of one room are in flight through this gateway. One room's flood is answered
 * ROOM_BUSY before anything is produced, so that it neither fills the room's queue at the cell nor
 * the gateway's table of waiting calls.
 *
 * The refused ask again, and each refusal costs this gateway something: the more of them there are, the
 * later they are asked to come. A refusal counts one more outside, an answer one less; so the pauses
 * grow until as many come as are answered, whatever the number of callers.
 */
import type { RoomKey } from '../domain/ids.ts';

/** Pauses grow up to this many times the first one. */
export const busyWavesMax = 20;

/** See the file header. Holds an entry only for rooms with calls in flight. */
export interface RoomWindow {
  /** Takes a place; the function returned gives it back (once). Null when the window is full. */
  enter(roomKey: RoomKey): (() => void) | null;
  /** In which window full of calls one that was just refused may come in: 1 … `busyWavesMax`. */
  waveOf(roomKey: RoomKey): number;
  /** Rooms with calls in flight. */
  readonly roomCount: number;
}

interface RoomCalls {
  inFlight: number;
  outside: number;
}

/** A window of `callsPerRoomMax` calls for every room. */
export function createRoomWindow(callsPerRoomMax: number): RoomWindow {
  const rooms = new Map<RoomKey, RoomCalls>();
  const outsideMax = callsPerRoomMax * busyWavesMax;

  const leave = (roomKey: RoomKey, calls: RoomCalls): void => {
    calls.inFlight -= 1;
    calls.outside = Math.max(calls.outside - 1, 0);
    if (calls.inFlight === 0) rooms.delete(roomKey);
  };

  return {
    get roomCount() {
      return rooms.size;
    },
    waveOf(roomKey) {
      return Math.max(Math.ceil((rooms.get(roomKey)?.outside ?? 0) / callsPerRoomMax), 1);
    },
    enter(roomKey) {
      const calls = rooms.get(roomKey) ?? { inFlight: 0, outside: 0 };
      if (calls.inFlight >= callsPerRoomMax) {
        calls.outside = Math.min(calls.outside + 1, outsideMax);
        return null;
      }
      calls.inFlight += 1;
      rooms.set(roomKey, calls);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        leave(roomKey, calls);
      };
    },
  };
}
