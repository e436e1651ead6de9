/**
 * From which release on a command or an event exists. A deployment has a level, stored once and
 * raised by an operator when every node runs the release that brought it; nothing above it is
 * written before. So a node of the former release never meets, in a log that it takes over, an event
 * that it cannot replay.
 *
 * Releases and their levels: 0.1.0 has 1, 0.2.0 has 2, 0.3.0 has 3, 0.4.0 has 4. A new type gets the
 * level of its release and keeps it.
 */
import type { CommandType } from '../domain/room/commands.ts';
import type { RoomEvent, RoomEventType } from '../domain/room/events.ts';

/** The level of this release: the highest one that it can read and write. */
export const schemaLevel = 4;

/**
 * From which level on lucky gifts are sent. Their facts need none, being fields with a default, but a
 * prize that is still to be paid is a row that a former release would take for a debit to void.
 */
export const luckyGiftLevel = 4;

/**
 * From which level on cells play robots. Their commands are as old as everybody's, but a former release
 * would execute one that a former owner left in the topic.
 */
export const robotLevel = 4;

const commandLevels: Readonly<Record<CommandType, number>> = {
  CreateRoom: 1,
  JoinRoom: 1,
  LeaveRoom: 1,
  MicUp: 1,
  MicDown: 1,
  ConfirmMicPublishing: 1,
  CloseRoom: 1,
  ExpireMicPublish: 1,
  SendGift: 2,
  UpdateUser: 3,
  KickUser: 3,
  UnbanUser: 3,
  EvictUser: 3,
  ChangeMicSeat: 3,
  SetMicSeatLock: 3,
  SetMicSeatMute: 3,
  InviteToMic: 3,
  ApplyForMic: 3,
  AnswerMicRequest: 3,
  ApplyRtcEvent: 3,
  DeleteRoom: 3,
  UpdateRoomProfile: 3,
  SetSeatCount: 3,
  SetRoomPassword: 3,
  SetRoomMode: 3,
  SetVisibleRegion: 3,
  SetAdmin: 3,
  TransferOwner: 3,
  ExpireMicHeartbeat: 3,
  ExpireMicRequests: 3,
  SweepStaleUsers: 3,
  ExpireBans: 3,
  FinishClosing: 3,
  NotePasswordAttempt: 3,
  LaunchRocket: 4,
};

const eventLevels: Readonly<Record<RoomEventType, number>> = {
  RoomCreated: 1,
  RoomUserJoined: 1,
  RoomUserUpdated: 1,
  RoomUserLeft: 1,
  RoomMicUp: 1,
  RoomMicPublishing: 1,
  RoomMicDown: 1,
  RoomClosed: 1,
  RoomGiftSent: 2,
  RoomClosing: 3,
  RoomDeleted: 3,
  RoomProfileUpdated: 3,
  RoomSeatCountChanged: 3,
  RoomPasswordChanged: 3,
  RoomPasswordAttemptFailed: 3,
  RoomModeChanged: 3,
  RoomVisibleRegionChanged: 3,
  RoomAdminChanged: 3,
  RoomOwnerTransferred: 3,
  RoomUsersStaleLeft: 3,
  RoomUserKicked: 3,
  RoomUserUnbanned: 3,
  RoomUserEvicted: 3,
  RoomMicRtcNoted: 3,
  RoomMicSeatChanged: 3,
  RoomMicSeatLocked: 3,
  RoomMicSeatUnlocked: 3,
  RoomMicSeatMuted: 3,
  RoomMicRequested: 3,
  RoomMicRequestEnded: 3,
  RoomRocketFueled: 4,
  RoomRocketIgnited: 4,
  RoomRocketLaunched: 4,
};

/** Reasons that came later than the event which carries them; all others are as old as it. */
const reasonLevels: Readonly<Record<string, number>> = {
  'RoomUserLeft evicted': 3,
  'RoomMicDown seat_locked': 3,
  'RoomMicDown seat_removed': 3,
  'RoomMicDown kicked': 3,
  'RoomMicDown evicted': 3,
  'RoomMicDown stale': 3,
  'RoomMicDown mic_stale': 3,
  'RoomMicDown audio_stopped': 3,
  'RoomMicDown rtc_exited': 3,
};

/** The level from which on the command may be executed. */
export function commandLevel(type: CommandType): number {
  return commandLevels[type];
}

/** The level from which on the event may be written; a log is read strictly, reasons included. */
export function eventLevel(event: RoomEvent): number {
  const reason = 'reason' in event ? event.reason : '';
  return Math.max(eventLevels[event.type], reasonLevels[`${event.type} ${reason}`] ?? 0);
}
