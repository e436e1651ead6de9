/**
 * Events to state: the only way a room changes, live and in recovery alike. It judges nothing, for
 * what the log holds has happened; its assertions are the second half of rules that `decide` kept
 * when it made the event, and a failed one means a damaged log or a broken rule of ours.
 *
 * Append-only: an event that was ever written must evolve in every later release to what it made.
 */
import { assert, assertNever } from '../../kernel/assert.ts';
import { evolveUserKicked, evolveUserUnbanned } from '../bans/evolve-bans.ts';
import { evolveGiftSent } from '../gift/evolve-gift.ts';
import * as mic from '../mic/evolve-mic.ts';
import { evolvePasswordAttemptFailed } from '../password/password-attempts.ts';
import { evolvePasswordChanged } from '../password/set-room-password.ts';
import * as presence from '../presence/evolve-presence.ts';
import { evolveRocket } from '../rocket/evolve-rocket.ts';
import { evolveAdminChanged, evolveOwnerTransferred } from '../roles/evolve-roles.ts';
import { nextRoomVersion } from '../ids.ts';
import type { EventPosition } from './decision.ts';
import type { RoomEvent } from './events.ts';
import * as room from './evolve-room.ts';
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
      return room.evolveRoomCreated(state, event, position);
    case 'RoomClosing':
      return room.evolveRoomClosing(state, event);
    case 'RoomClosed':
      return room.evolveRoomClosed(state, event, position);
    case 'RoomDeleted':
      return room.evolveRoomDeleted(state);
    case 'RoomProfileUpdated':
      return room.evolveProfileUpdated(state, event);
    case 'RoomSeatCountChanged':
      return room.evolveSeatCountChanged(state, event);
    case 'RoomPasswordChanged':
      return evolvePasswordChanged(state, event);
    case 'RoomPasswordAttemptFailed':
      return evolvePasswordAttemptFailed(state, event);
    case 'RoomModeChanged':
      return room.evolveModeChanged(state, event);
    case 'RoomVisibleRegionChanged':
      return room.evolveVisibleRegionChanged(state, event);
    case 'RoomAdminChanged':
      return evolveAdminChanged(state, event);
    case 'RoomOwnerTransferred':
      return evolveOwnerTransferred(state, event);
    case 'RoomUserJoined':
      return presence.evolveUserJoined(state, event, position);
    case 'RoomUserUpdated':
      return presence.evolveUserUpdated(state, event);
    case 'RoomUserLeft':
      return presence.evolveUserLeft(state, event);
    case 'RoomUsersStaleLeft':
      return presence.evolveUsersStaleLeft(state, event);
    case 'RoomUserKicked':
      return evolveUserKicked(state, event, position);
    case 'RoomUserUnbanned':
      return evolveUserUnbanned(state, event);
    case 'RoomUserEvicted':
      // Tells why the leave before it happened; the platform's ban is no part of the room.
      return state;
    case 'RoomMicUp':
      return mic.evolveMicUp(state, event, position);
    case 'RoomMicPublishing':
      return mic.evolveMicPublishing(state, event);
    case 'RoomMicRtcNoted':
      return mic.evolveMicRtcNoted(state, event);
    case 'RoomMicDown':
      return mic.evolveMicDown(state, event);
    case 'RoomMicSeatChanged':
      return mic.evolveMicSeatChanged(state, event);
    case 'RoomMicSeatLocked':
      return mic.evolveMicSeatLocked(state, event);
    case 'RoomMicSeatUnlocked':
      return mic.evolveMicSeatUnlocked(state, event);
    case 'RoomMicSeatMuted':
      return mic.evolveMicSeatMuted(state, event);
    case 'RoomMicRequested':
      return mic.evolveMicRequested(state, event, position);
    case 'RoomMicRequestEnded':
      return mic.evolveMicRequestEnded(state, event);
    case 'RoomGiftSent':
      return evolveGiftSent(state, event, position);
    case 'RoomRocketFueled':
    case 'RoomRocketIgnited':
    case 'RoomRocketLaunched':
      return evolveRocket(state, event, position);
    default:
      return assertNever(event, 'an event that this release does not know');
  }
}
