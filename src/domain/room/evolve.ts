/**
 * Events to state: the only way a room changes, live and in recovery alike. It judges nothing, for
 * what the log holds has happened; its assertions are the second half of rules that `decide` kept
 * when it made the event, and a failed one means a damaged log or a broken rule of ours.
 *
 * Append-only: an event that was ever written must evolve in every later release to what it made.
 */
import { assert, assertNever } from '../../kernel/assert.ts';
import { evolveGiftSent } from '../gift/evolve-gift.ts';
import { evolveMicDown, evolveMicPublishing, evolveMicUp } from '../mic/evolve-mic.ts';
import {
  evolveUserJoined,
  evolveUserLeft,
  evolveUserUpdated,
} from '../presence/evolve-presence.ts';
import { nextRoomVersion } from '../ids.ts';
import type { EventPosition } from './decision.ts';
import type { RoomEvent } from './events.ts';
import { evolveRoomClosed, evolveRoomCreated } from './evolve-room.ts';
import type { RoomState } from './state.ts';

/**
 * The state after one event. `position` is its command's: the first event of a command steps the
 * version by one, the others stand at the same version.
 */
export function evolve(state: RoomState, event: RoomEvent, position: EventPosition): RoomState {
  assert(
    position.version === state.version || position.version === nextRoomVersion(state.version),
    'an event stands at a version that does not follow the room (SNAP-3)',
    { at: state.version, event: position.version },
  );
  assert(position.occurredAtMs >= state.lastEventAtMs, 'an event is older than the one before it', {
    at: state.lastEventAtMs,
    event: position.occurredAtMs,
  });
  return {
    ...evolveByType(state, event, position),
    version: position.version,
    lastEventAtMs: position.occurredAtMs,
  };
}

/**
 * The state after all events of one command, which make exactly one version step (INV-5). The cell
 * and recovery use this and not `evolve`, because only here a command applied twice is seen.
 */
export function evolveCommand(
  state: RoomState,
  events: readonly RoomEvent[],
  position: EventPosition,
): RoomState {
  assert(
    position.version === nextRoomVersion(state.version),
    'a command must step by one version',
    {
      at: state.version,
      command: position.version,
    },
  );
  assert(events.length > 0, 'a command without events makes no version');
  let evolved = state;
  for (const event of events) evolved = evolve(evolved, event, position);
  return evolved;
}

function evolveByType(state: RoomState, event: RoomEvent, position: EventPosition): RoomState {
  switch (event.type) {
    case 'RoomCreated':
      return evolveRoomCreated(state, event, position);
    case 'RoomClosed':
      return evolveRoomClosed(state, event, position);
    case 'RoomUserJoined':
      return evolveUserJoined(state, event, position);
    case 'RoomUserUpdated':
      return evolveUserUpdated(state, event);
    case 'RoomUserLeft':
      return evolveUserLeft(state, event);
    case 'RoomMicUp':
      return evolveMicUp(state, event, position);
    case 'RoomMicPublishing':
      return evolveMicPublishing(state, event);
    case 'RoomMicDown':
      return evolveMicDown(state, event);
    case 'RoomGiftSent':
      return evolveGiftSent(state, event, position);
    default:
      return assertNever(event, 'an event that this release does not know');
  }
}
