/**
 * Where the events of the next command will stand. `decide` needs it when an answer names values
 * that `evolve` will make (a joined user with its version and time), the cell when it applies them;
 * both take it from here, so that the answer and the state cannot differ.
 */
import { nextRoomVersion } from '../ids.ts';
import type { EventPosition } from './decision.ts';
import type { RoomState } from './state.ts';

/** The position of a command that is applied to `state` at `nowMs` (see `DecideFacts.nowMs`). */
export function nextEventPosition(state: RoomState, nowMs: number): EventPosition {
  return { version: nextRoomVersion(state.version), occurredAtMs: nowMs };
}
