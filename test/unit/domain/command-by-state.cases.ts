/**
 * The commands of the table, each with its actor and the facts it meets, and the rooms they meet. A
 * command that does different things by a field stands here once for each.
 */
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import {
  answerMic,
  applyForMic,
  changeSeat,
  charged,
  closeRoom,
  confirm,
  createRoom,
  deleteRoom,
  evictUser,
  expire,
  expireHeartbeat,
  inviteToMic,
  joinRoom,
  kickUser,
  leaveRoom,
  lockSeat,
  micDown,
  micUp,
  muteSeat,
  rtcEvent,
  sendGift,
  sweep,
  updateRoomProfile,
} from '../../support/command-builders.ts';
import type { GivenRoom, WhenOptions } from '../../support/decider-spec.ts';
import { given } from '../../support/decider-spec.ts';
import {
  alice,
  asUser,
  bob,
  carol,
  closing,
  created,
  ignitedBy,
  joined,
  kicked,
  left,
  micRequested,
  on,
  owner,
  profileOf,
  publishing,
  seatLocked,
  session,
  wentUp,
} from '../../support/room-builders.ts';
import type { RoomColumn, SeatColumn, UserColumn } from './command-by-state.table.ts';

/** A command of the table. alice is the user it is about; owner, bob and carol are always there. */
interface Case {
  readonly body: CommandBody;
  readonly options: WhenOptions;
  /** What the room must have for the command to mean anything. */
  readonly room?: {
    readonly mode?: 'apply';
    readonly locked?: true;
    readonly invited?: true;
    readonly ownerOnSeat2?: true;
    readonly ignited?: true;
  };
}

const deadlineMs = 2_000_000;
/** Publish windows, requests, bans and the grace of a closing room all end then. */
const lateMs = deadlineMs;
const soonMs = deadlineMs - 1;
const seat = { seatNo: 1, micSessionId: session(1) };

const byUser: WhenOptions = { by: alice, role: 'user', atMs: soonMs };
const byOwner: WhenOptions = { ...byUser, by: owner };
const byBob: WhenOptions = { ...byUser, by: bob };
const byCarol: WhenOptions = { ...byUser, by: carol };
const byOperator: WhenOptions = { ...byUser, by: asUser('op'), role: 'operator' };
const byRtc: WhenOptions = { ...byUser, role: 'rtc' };
const bySystem: WhenOptions = {
  ...byOwner,
  role: 'system',
  atMs: lateMs,
  heartbeats: {
    staleBeforeMs: lateMs,
    micStaleBeforeMs: lateMs,
    lastMicHeartbeatMs: new Map([[seat.micSessionId, 1]]),
  },
};

/** Every command of the table by its name, which begins with the command's own. */
export const cases = {
  CreateRoom: { body: createRoom(), options: byOwner },
  CloseRoom: { body: closeRoom(), options: byOwner },
  DeleteRoom: { body: deleteRoom(), options: byOwner },
  UpdateRoomProfile: { body: updateRoomProfile({ title: 'New' }), options: byOwner },
  SetSeatCount: { body: { type: 'SetSeatCount', seatCount: 0 }, options: byOwner },
  SetRoomPassword: { body: { type: 'SetRoomPassword', passwordHash: 'h' }, options: byOwner },
  SetRoomMode: { body: { type: 'SetRoomMode', mode: 'apply' }, options: byOwner },
  SetVisibleRegion: { body: { type: 'SetVisibleRegion', visibleRegionId: 1n }, options: byOwner },
  SetAdmin: { body: { type: 'SetAdmin', userId: alice, isAdmin: true }, options: byOwner },
  TransferOwner: { body: { type: 'TransferOwner', userId: alice }, options: byOwner },
  JoinRoom: { body: joinRoom(profileOf('alice')), options: byUser },
  UpdateUser: { body: { type: 'UpdateUser', profile: profileOf('Alice!') }, options: byUser },
  LeaveRoom: { body: leaveRoom, options: byUser },
  KickUser: { body: kickUser(alice, { expiresAtMs: deadlineMs }), options: byOwner },
  UnbanUser: { body: { type: 'UnbanUser', userId: alice }, options: byOwner },
  EvictUser: { body: evictUser(alice), options: byOperator },
  MicUp: { body: micUp(1), options: byUser },
  'MicUp of another': { body: micUp(1), options: byCarol },
  MicDown: { body: micDown(), options: byUser },
  'MicDown by the owner': { body: micDown({ userId: alice }), options: byOwner },
  ChangeMicSeat: { body: changeSeat(3), options: byUser },
  'ChangeMicSeat of another': {
    body: changeSeat(1),
    options: byOwner,
    room: { ownerOnSeat2: true },
  },
  ConfirmMicPublishing: { body: confirm(seat.micSessionId), options: byUser },
  'SetMicSeatLock (lock)': { body: lockSeat(1), options: byOwner },
  'SetMicSeatLock (unlock)': { body: lockSeat(1, false), options: byOwner },
  SetMicSeatMute: { body: muteSeat(1), options: byOwner },
  InviteToMic: { body: inviteToMic(alice, 1), options: byOwner },
  ApplyForMic: { body: applyForMic(1), options: byUser, room: { mode: 'apply' } },
  'AnswerMicRequest (accepted)': {
    body: answerMic('accepted'),
    options: byUser,
    room: { invited: true },
  },
  'AnswerMicRequest (declined)': {
    body: answerMic('declined'),
    options: byUser,
    room: { invited: true },
  },
  'ApplyRtcEvent (audio_started)': { body: rtcEvent('audio_started', soonMs), options: byRtc },
  'ApplyRtcEvent (audio_stopped)': { body: rtcEvent('audio_stopped', soonMs), options: byRtc },
  'ApplyRtcEvent (room_exited)': { body: rtcEvent('room_exited', soonMs), options: byRtc },
  SendGift: { body: sendGift([bob]), options: { ...byUser, charge: charged(1n) } },
  'SendGift to the user': {
    body: sendGift([alice]),
    options: { ...byBob, charge: charged(1n) },
  },
  ExpireMicPublish: { body: expire(1, seat.micSessionId, deadlineMs), options: bySystem },
  ExpireMicHeartbeat: { body: expireHeartbeat(1, seat.micSessionId), options: bySystem },
  ExpireMicRequests: {
    body: { type: 'ExpireMicRequests' },
    options: bySystem,
    room: { invited: true },
  },
  SweepStaleUsers: { body: sweep(alice), options: bySystem },
  ExpireBans: { body: { type: 'ExpireBans' }, options: bySystem },
  FinishClosing: { body: { type: 'FinishClosing' }, options: bySystem },
  LaunchRocket: {
    body: { type: 'LaunchRocket', roundNo: 1n },
    options: bySystem,
    room: { ignited: true },
  },
  NotePasswordAttempt: {
    body: { type: 'NotePasswordAttempt', userId: alice },
    options: bySystem,
    room: { locked: true },
  },
} as const satisfies Readonly<Record<string, Case>>;

/** The name of a command of the table. */
export type CaseName = keyof typeof cases;

/** The room that `name` meets, with alice and seat 1 as the columns say. */
export function roomFor(
  name: CaseName,
  status: RoomColumn,
  user: UserColumn,
  seatState: SeatColumn,
): GivenRoom {
  if (status === 'none') return given();
  const wants: NonNullable<Case['room']> = (cases[name] as Case).room ?? {};
  const invites =
    wants.invited === true && user === 'present' && ['idle', 'locked'].includes(seatState)
      ? [micRequested(alice, deadlineMs, { kind: 'invite', byUserId: owner, seatNo: 1 })]
      : [];
  const ends = status === 'closing' ? [closing(deadlineMs)] : [];
  const room = given(
    created({ mode: wants.mode ?? 'free', passwordHash: wants.locked === true ? 'scrypt$x' : '' }),
    [joined(owner), joined(bob), joined(carol)],
    ...(wants.ownerOnSeat2 === true ? [wentUp(on(2, owner, 2), 90_000_000)] : []),
    ...userHistory(user),
    ...seatHistory(user, seatState),
    ...invites,
    ...(wants.ignited === true ? [ignitedBy(bob, deadlineMs)] : []),
    ...ends,
  );
  if (status !== 'closed' && status !== 'deleted') return room;
  const ended = room.after(closeRoom(), { by: owner });
  return status === 'closed' ? ended : ended.after(deleteRoom(), { by: owner });
}

function userHistory(user: UserColumn) {
  switch (user) {
    case 'absent':
      return [];
    case 'present':
      return [joined(alice)];
    case 'left':
      return [joined(alice), left(alice)];
    case 'kicked':
      return [joined(alice), [left(alice, 'kicked'), kicked(alice, { expiresAtMs: deadlineMs })]];
  }
}

function seatHistory(user: UserColumn, seatState: SeatColumn) {
  const place = { ...seat, userId: user === 'present' ? alice : bob };
  const up = wentUp(place, deadlineMs);
  switch (seatState) {
    case 'idle':
      return [];
    case 'locked':
      return [seatLocked(1)];
    case 'pending':
      return [up];
    case 'publishing':
      return [up, publishing(place)];
  }
}
