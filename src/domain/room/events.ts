/**
 * What happened in a room: past tense, complete, the only thing other systems see and the only thing
 * recovery reads. A changed rule is a new event (or a new optional field with a default), never a new
 * meaning of an old one, because old logs must replay to the state they made. Each topic has its
 * events in a file of its own; this one puts them together.
 */
import type { RoomGiftSent } from '../gift/gift-events.ts';
import type * as Mic from '../mic/mic-events.ts';
import type * as Presence from '../presence/presence-events.ts';
import type * as Rocket from '../rocket/rocket-events.ts';
import type * as Room from './room-events.ts';

/** The body of an event; id, version, index and time stand in its envelope. */
export type RoomEvent =
  | Room.RoomCreated
  | Room.RoomClosing
  | Room.RoomClosed
  | Room.RoomDeleted
  | Room.RoomProfileUpdated
  | Room.RoomSeatCountChanged
  | Room.RoomPasswordChanged
  | Room.RoomPasswordAttemptFailed
  | Room.RoomModeChanged
  | Room.RoomVisibleRegionChanged
  | Room.RoomAdminChanged
  | Room.RoomOwnerTransferred
  | Presence.RoomUserJoined
  | Presence.RoomUserUpdated
  | Presence.RoomUserLeft
  | Presence.RoomUsersStaleLeft
  | Presence.RoomUserKicked
  | Presence.RoomUserUnbanned
  | Presence.RoomUserEvicted
  | Mic.RoomMicUp
  | Mic.RoomMicPublishing
  | Mic.RoomMicRtcNoted
  | Mic.RoomMicDown
  | Mic.RoomMicSeatChanged
  | Mic.RoomMicSeatLocked
  | Mic.RoomMicSeatUnlocked
  | Mic.RoomMicSeatMuted
  | Mic.RoomMicRequested
  | Mic.RoomMicRequestEnded
  | RoomGiftSent
  | Rocket.RoomRocketFueled
  | Rocket.RoomRocketIgnited
  | Rocket.RoomRocketLaunched;

/** Every name an event can have. */
export type RoomEventType = RoomEvent['type'];
