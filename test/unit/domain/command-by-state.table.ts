/**
 * What becomes of every command in every state of the room, of the user it is about and of seat 1:
 * written by hand, line by line, so that a changed rule shows here as a changed line. The spec beside
 * it builds each room, runs each line, and fails when a combination has no line, or two.
 *
 * A present user holds the seat itself when it is held, otherwise another user does. In a room that
 * is closing, closed or deleted, user and seat tell how they stood when it ended. `creating` of the
 * seeds has no column: it is never persisted (decision 28).
 */
import type { RoomEventType } from '../../../src/domain/room/events.ts';
import type { RejectReason } from '../../../src/domain/reasons.ts';
import type { CaseName } from './command-by-state.cases.ts';

/** States of a room; `none` was never created. */
export const roomStates = ['none', 'active', 'closing', 'closed', 'deleted'] as const;
/** What the user of the command is to the room. */
export const userStates = ['absent', 'present', 'left', 'kicked'] as const;
/** How seat 1 stands. */
export const seatStates = ['idle', 'locked', 'pending', 'publishing'] as const;

export type RoomColumn = (typeof roomStates)[number];
export type UserColumn = (typeof userStates)[number];
export type SeatColumn = (typeof seatStates)[number];

/** How a command ends: with these events, without effect, or with this reason. */
export type End =
  | { readonly kind: 'applied'; readonly events: readonly RoomEventType[] }
  | { readonly kind: 'noEffect' }
  | { readonly kind: 'rejected'; readonly reason: RejectReason };

/** Some users, some seats, one end. */
export interface Line {
  readonly users: readonly UserColumn[];
  readonly seats: readonly SeatColumn[];
  readonly end: End;
}

type Rows = Readonly<Record<CaseName, readonly Line[]>>;

const everybody = userStates;
const anySeat = seatStates;
const here = ['present'] as const;
const gone = ['absent', 'left', 'kicked'] as const;
const unbanned = ['absent', 'present', 'left'] as const;
const kicked = ['kicked'] as const;
const free = ['idle', 'locked'] as const;
const held = ['pending', 'publishing'] as const;
const idle = ['idle'] as const;
const locked = ['locked'] as const;
const pending = ['pending'] as const;
const publishing = ['publishing'] as const;

const nothing: End = { kind: 'noEffect' };
const makes = (...events: readonly RoomEventType[]): End => ({ kind: 'applied', events });
const refused = (reason: RejectReason): End => ({ kind: 'rejected', reason });
const when = (users: readonly UserColumn[], seats: readonly SeatColumn[], end: End): Line => ({
  users,
  seats,
  end,
});
const always = (end: End): readonly Line[] => [when(everybody, anySeat, end)];

const notFound = always(refused('ROOM_NOT_FOUND'));
const closed = always(refused('ROOM_CLOSED'));

const none: Rows = {
  CreateRoom: always(makes('RoomCreated')),
  CloseRoom: notFound,
  DeleteRoom: notFound,
  UpdateRoomProfile: notFound,
  SetSeatCount: notFound,
  SetRoomPassword: notFound,
  SetRoomMode: notFound,
  SetVisibleRegion: notFound,
  SetAdmin: notFound,
  TransferOwner: notFound,
  JoinRoom: notFound,
  UpdateUser: notFound,
  LeaveRoom: notFound,
  KickUser: notFound,
  UnbanUser: notFound,
  EvictUser: notFound,
  MicUp: notFound,
  'MicUp of another': notFound,
  MicDown: notFound,
  'MicDown by the owner': notFound,
  ChangeMicSeat: notFound,
  'ChangeMicSeat of another': notFound,
  ConfirmMicPublishing: notFound,
  'SetMicSeatLock (lock)': notFound,
  'SetMicSeatLock (unlock)': notFound,
  SetMicSeatMute: notFound,
  InviteToMic: notFound,
  ApplyForMic: notFound,
  'AnswerMicRequest (accepted)': notFound,
  'AnswerMicRequest (declined)': notFound,
  'ApplyRtcEvent (audio_started)': notFound,
  'ApplyRtcEvent (audio_stopped)': notFound,
  'ApplyRtcEvent (room_exited)': notFound,
  SendGift: notFound,
  'SendGift to the user': notFound,
  ExpireMicPublish: notFound,
  ExpireMicHeartbeat: notFound,
  ExpireMicRequests: notFound,
  SweepStaleUsers: notFound,
  ExpireBans: notFound,
  FinishClosing: notFound,
  LaunchRocket: notFound,
  NotePasswordAttempt: notFound,
};

/** Timers, RTC events and evictions: judged alike in an active and in a closing room. */
const judgedToTheEnd = {
  EvictUser: [
    when(here, free, makes('RoomUserLeft', 'RoomUserEvicted')),
    when(here, held, makes('RoomMicDown', 'RoomUserLeft', 'RoomUserEvicted')),
    when(gone, anySeat, nothing),
  ],
  'ApplyRtcEvent (audio_started)': [
    when(here, pending, makes('RoomMicPublishing')),
    when(here, publishing, makes('RoomMicRtcNoted')),
    when(here, free, nothing),
    when(gone, anySeat, nothing),
  ],
  'ApplyRtcEvent (audio_stopped)': [
    when(here, pending, makes('RoomMicRtcNoted')),
    when(here, publishing, makes('RoomMicDown')),
    when(here, free, nothing),
    when(gone, anySeat, nothing),
  ],
  'ApplyRtcEvent (room_exited)': [
    when(here, held, makes('RoomMicDown')),
    when(here, free, nothing),
    when(gone, anySeat, nothing),
  ],
  ExpireMicPublish: [
    when(everybody, pending, makes('RoomMicDown')),
    when(everybody, publishing, nothing),
    when(everybody, free, nothing),
  ],
  ExpireMicHeartbeat: [when(everybody, held, makes('RoomMicDown')), when(everybody, free, nothing)],
  ExpireMicRequests: [
    when(here, free, makes('RoomMicRequestEnded')),
    when(here, held, nothing),
    when(gone, anySeat, nothing),
  ],
  SweepStaleUsers: [
    when(here, free, makes('RoomUsersStaleLeft')),
    when(here, held, makes('RoomMicDown', 'RoomUsersStaleLeft')),
    when(gone, anySeat, nothing),
  ],
  ExpireBans: [when(kicked, anySeat, makes('RoomUserUnbanned')), when(unbanned, anySeat, nothing)],
  LaunchRocket: always(makes('RoomRocketLaunched')),
} satisfies Partial<Rows>;

const active: Rows = {
  ...judgedToTheEnd,
  CreateRoom: always(refused('ROOM_ALREADY_EXISTS')),
  CloseRoom: [
    when(everybody, free, makes('RoomClosed')),
    when(everybody, held, makes('RoomMicDown', 'RoomClosed')),
  ],
  DeleteRoom: always(refused('ROOM_NOT_CLOSED')),
  UpdateRoomProfile: always(makes('RoomProfileUpdated')),
  SetSeatCount: [
    when(everybody, free, makes('RoomSeatCountChanged')),
    when(everybody, held, makes('RoomMicDown', 'RoomSeatCountChanged')),
  ],
  SetRoomPassword: always(makes('RoomPasswordChanged')),
  SetRoomMode: always(makes('RoomModeChanged')),
  SetVisibleRegion: always(makes('RoomVisibleRegionChanged')),
  SetAdmin: [
    when(unbanned, anySeat, makes('RoomAdminChanged')),
    when(kicked, anySeat, refused('USER_BANNED')),
  ],
  TransferOwner: [
    when(here, anySeat, makes('RoomOwnerTransferred')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  JoinRoom: [
    when(['absent', 'left'], anySeat, makes('RoomUserJoined')),
    when(here, anySeat, nothing),
    when(kicked, anySeat, refused('USER_BANNED')),
  ],
  UpdateUser: [
    when(here, anySeat, makes('RoomUserUpdated')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  LeaveRoom: [
    when(here, free, makes('RoomUserLeft')),
    when(here, held, makes('RoomMicDown', 'RoomUserLeft')),
    when(gone, anySeat, nothing),
  ],
  KickUser: [
    when(['absent', 'left'], anySeat, makes('RoomUserKicked')),
    when(here, free, makes('RoomUserLeft', 'RoomUserKicked')),
    when(here, held, makes('RoomMicDown', 'RoomUserLeft', 'RoomUserKicked')),
    when(kicked, anySeat, nothing),
  ],
  UnbanUser: [when(kicked, anySeat, makes('RoomUserUnbanned')), when(unbanned, anySeat, nothing)],
  MicUp: [
    when(here, idle, makes('RoomMicUp')),
    when(here, locked, refused('SEAT_LOCKED')),
    when(here, held, nothing),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  'MicUp of another': [
    when(everybody, idle, makes('RoomMicUp')),
    when(everybody, locked, refused('SEAT_LOCKED')),
    when(everybody, held, refused('SEAT_TAKEN')),
  ],
  MicDown: [
    when(here, held, makes('RoomMicDown')),
    when(here, free, refused('NOT_ON_SEAT')),
    when(gone, anySeat, refused('NOT_ON_SEAT')),
  ],
  'MicDown by the owner': [
    when(here, held, makes('RoomMicDown')),
    when(here, free, refused('NOT_ON_SEAT')),
    when(gone, anySeat, refused('NOT_ON_SEAT')),
  ],
  ChangeMicSeat: [
    when(here, held, makes('RoomMicSeatChanged')),
    when(here, free, refused('NOT_ON_SEAT')),
    when(gone, anySeat, refused('NOT_ON_SEAT')),
  ],
  'ChangeMicSeat of another': [
    when(everybody, idle, makes('RoomMicSeatChanged')),
    when(everybody, locked, refused('SEAT_LOCKED')),
    when(everybody, held, refused('SEAT_TAKEN')),
  ],
  ConfirmMicPublishing: [
    when(here, pending, makes('RoomMicPublishing')),
    when(here, publishing, nothing),
    when(here, free, refused('NOT_ON_SEAT')),
    when(gone, anySeat, refused('NOT_ON_SEAT')),
  ],
  'SetMicSeatLock (lock)': [
    when(everybody, idle, makes('RoomMicSeatLocked')),
    when(everybody, locked, nothing),
    when(everybody, held, makes('RoomMicDown', 'RoomMicSeatLocked')),
  ],
  'SetMicSeatLock (unlock)': [
    when(everybody, locked, makes('RoomMicSeatUnlocked')),
    when(everybody, idle, nothing),
    when(everybody, held, nothing),
  ],
  SetMicSeatMute: always(makes('RoomMicSeatMuted')),
  InviteToMic: [
    when(here, free, makes('RoomMicRequested')),
    when(here, held, refused('ALREADY_ON_SEAT')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  ApplyForMic: [
    when(here, free, makes('RoomMicRequested')),
    when(here, held, refused('ALREADY_ON_SEAT')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  'AnswerMicRequest (accepted)': [
    when(here, idle, makes('RoomMicUp')),
    when(here, locked, refused('SEAT_LOCKED')),
    when(here, held, refused('MIC_REQUEST_NOT_FOUND')),
    when(gone, anySeat, refused('MIC_REQUEST_NOT_FOUND')),
  ],
  'AnswerMicRequest (declined)': [
    when(here, free, makes('RoomMicRequestEnded')),
    when(here, held, refused('MIC_REQUEST_NOT_FOUND')),
    when(gone, anySeat, refused('MIC_REQUEST_NOT_FOUND')),
  ],
  SendGift: [
    when(here, anySeat, makes('RoomGiftSent')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  'SendGift to the user': [
    when(here, anySeat, makes('RoomGiftSent')),
    when(gone, anySeat, refused('USER_NOT_PRESENT')),
  ],
  FinishClosing: always(nothing),
  NotePasswordAttempt: always(makes('RoomPasswordAttemptFailed')),
};

/** Business commands in a room that takes none any more (ROOM-10, ROOM-11). */
const overForBusiness = {
  UpdateRoomProfile: closed,
  SetSeatCount: closed,
  SetRoomPassword: closed,
  SetRoomMode: closed,
  SetVisibleRegion: closed,
  SetAdmin: closed,
  TransferOwner: closed,
  JoinRoom: closed,
  UpdateUser: closed,
  LeaveRoom: closed,
  KickUser: closed,
  UnbanUser: closed,
  MicUp: closed,
  'MicUp of another': closed,
  MicDown: closed,
  'MicDown by the owner': closed,
  ChangeMicSeat: closed,
  'ChangeMicSeat of another': closed,
  ConfirmMicPublishing: closed,
  'SetMicSeatLock (lock)': closed,
  'SetMicSeatLock (unlock)': closed,
  SetMicSeatMute: closed,
  InviteToMic: closed,
  ApplyForMic: closed,
  'AnswerMicRequest (accepted)': closed,
  'AnswerMicRequest (declined)': closed,
  SendGift: closed,
  'SendGift to the user': closed,
  NotePasswordAttempt: closed,
} satisfies Partial<Rows>;

const closing: Rows = {
  ...judgedToTheEnd,
  ...overForBusiness,
  CreateRoom: always(refused('ROOM_ALREADY_EXISTS')),
  CloseRoom: always(nothing),
  DeleteRoom: always(refused('ROOM_NOT_CLOSED')),
  FinishClosing: [
    when(everybody, free, makes('RoomClosed')),
    when(everybody, held, makes('RoomMicDown', 'RoomClosed')),
  ],
};

/** Late timers and RTC events find nothing to do in a room that has ended (MIC-28). */
const nothingLeftToDo = {
  'ApplyRtcEvent (audio_started)': always(nothing),
  'ApplyRtcEvent (audio_stopped)': always(nothing),
  'ApplyRtcEvent (room_exited)': always(nothing),
  ExpireMicPublish: always(nothing),
  ExpireMicHeartbeat: always(nothing),
  ExpireMicRequests: always(nothing),
  SweepStaleUsers: always(nothing),
  ExpireBans: always(nothing),
  FinishClosing: always(nothing),
  LaunchRocket: always(nothing),
} satisfies Partial<Rows>;

const closedRoom: Rows = {
  ...overForBusiness,
  ...nothingLeftToDo,
  CreateRoom: always(refused('ROOM_ALREADY_EXISTS')),
  CloseRoom: always(nothing),
  DeleteRoom: always(makes('RoomDeleted')),
  EvictUser: closed,
};

const deletedRoom: Rows = {
  ...overForBusiness,
  ...nothingLeftToDo,
  CreateRoom: always(refused('ROOM_ALREADY_EXISTS')),
  CloseRoom: closed,
  DeleteRoom: always(nothing),
  EvictUser: closed,
};

/** The table. */
export const commandByState: Readonly<Record<RoomColumn, Rows>> = {
  none,
  active,
  closing,
  closed: closedRoom,
  deleted: deletedRoom,
};
