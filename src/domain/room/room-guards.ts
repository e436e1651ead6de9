/**
 * Rules that many commands share: in which states of the room a command is taken at all, and from
 * whom. Each answers a refusal or nothing, so that a command's file can put them in the order in
 * which they must speak. Who manages a room stands in `roles/role-of.ts`.
 */
import type { UserId } from '../ids.ts';
import type { CommandType, RoomCommand, SystemCommandType } from './commands.ts';
import type { Rejected } from './decision.ts';
import { rejected } from './outcomes.ts';
import type { RoomState, RoomStatus } from './state.ts';

const active: readonly RoomStatus[] = ['active'];
const exists: readonly RoomStatus[] = ['active', 'closing', 'closed', 'deleted'];

/**
 * The states in which each command is judged by its own rules; in the others `refuseByStatus`
 * answers. Only an active room takes business commands (ROOM-1, ROOM-10, ROOM-11). CloseRoom is
 * judged on a closed room too, because closing twice is a success, and so is DeleteRoom (ROOM-19).
 * Timers and RTC events are no business commands: a late one finds nothing to do in a room that has
 * ended (MIC-28), and a closing room still frees seats. A platform eviction meets a closing room too.
 */
const judgedIn: Readonly<Record<CommandType, readonly RoomStatus[]>> = {
  CreateRoom: ['absent'],
  CloseRoom: ['active', 'closing', 'closed'],
  DeleteRoom: exists,
  UpdateRoomProfile: active,
  SetSeatCount: active,
  SetRoomPassword: active,
  SetRoomMode: active,
  SetVisibleRegion: active,
  SetAdmin: active,
  TransferOwner: active,
  JoinRoom: active,
  UpdateUser: active,
  LeaveRoom: active,
  KickUser: active,
  UnbanUser: active,
  EvictUser: ['active', 'closing'],
  MicUp: active,
  MicDown: active,
  ChangeMicSeat: active,
  ConfirmMicPublishing: active,
  SetMicSeatLock: active,
  SetMicSeatMute: active,
  InviteToMic: active,
  ApplyForMic: active,
  AnswerMicRequest: active,
  ApplyRtcEvent: exists,
  SendGift: active,
  ExpireMicPublish: exists,
  ExpireMicHeartbeat: exists,
  ExpireMicRequests: exists,
  SweepStaleUsers: exists,
  ExpireBans: exists,
  FinishClosing: exists,
  NotePasswordAttempt: active,
  LaunchRocket: exists,
};

/** Commands of the room's owner node alone; from anybody else they are refused. */
const ownerNodeOnly: Readonly<Record<SystemCommandType, true>> = {
  ExpireMicPublish: true,
  ExpireMicHeartbeat: true,
  ExpireMicRequests: true,
  SweepStaleUsers: true,
  ExpireBans: true,
  FinishClosing: true,
  NotePasswordAttempt: true,
  LaunchRocket: true,
};

/** The refusal that the room's state alone gives, or null when the command's own rules decide. */
export function refuseByStatus(commandType: CommandType, status: RoomStatus): Rejected | null {
  if (judgedIn[commandType].includes(status)) return null;
  if (commandType === 'CreateRoom') return rejected('ROOM_ALREADY_EXISTS');
  if (status === 'absent') return rejected('ROOM_NOT_FOUND');
  return rejected('ROOM_CLOSED', { room_status: status });
}

/** NOT_ROOM_MANAGER for a timer's command that does not come from the room's owner node, else null. */
export function refuseForeignTimer(command: RoomCommand): Rejected | null {
  if (!Object.hasOwn(ownerNodeOnly, command.body.type) || command.actorRole === 'system')
    return null;
  return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
}

/** USER_NOT_PRESENT when the user is not in the room in the business sense (PRES-1), else null. */
export function refuseUnlessPresent(state: RoomState, userId: UserId): Rejected | null {
  if (state.users.has(userId)) return null;
  return rejected('USER_NOT_PRESENT', { user_id: userId });
}
