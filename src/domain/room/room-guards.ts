/**
 * Rules that many commands share: in which states of the room a command is taken at all, and who
 * counts as a manager of the room. Each answers a refusal or nothing, so that a command's file can
 * put them in the order in which they must speak.
 */
import type { UserId } from '../ids.ts';
import type { CommandType, RoomCommand } from './commands.ts';
import type { Rejected } from './decision.ts';
import { rejected } from './outcomes.ts';
import type { RoomState, RoomStatus } from './state.ts';

/**
 * The states in which each command is judged by its own rules; in the others `refuseByStatus`
 * answers. Only an active room takes business commands (ROOM-1, ROOM-10, ROOM-11). CloseRoom is
 * judged on a closed room too, because closing twice is a success (ROOM-19). A publish timeout is
 * no business command: a late one that meets a closed room finds an empty seat and does nothing
 * (MIC-28), and a closing room still frees seats that time out.
 */
const judgedIn: Readonly<Record<CommandType, readonly RoomStatus[]>> = {
  CreateRoom: ['absent'],
  JoinRoom: ['active'],
  LeaveRoom: ['active'],
  MicUp: ['active'],
  MicDown: ['active'],
  ConfirmMicPublishing: ['active'],
  CloseRoom: ['active', 'closed'],
  SendGift: ['active'],
  ExpireMicPublish: ['active', 'closing', 'closed'],
};

/** The refusal that the room's state alone gives, or null when the command's own rules decide. */
export function refuseByStatus(commandType: CommandType, status: RoomStatus): Rejected | null {
  if (judgedIn[commandType].includes(status)) return null;
  if (commandType === 'CreateRoom') return rejected('ROOM_ALREADY_EXISTS');
  if (status === 'absent') return rejected('ROOM_NOT_FOUND');
  return rejected('ROOM_CLOSED', { room_status: status });
}

/**
 * Whether the command comes with a manager's rights in this room: from its owner, or from a role
 * that stands above the room. A service names any actor of its app, yet its rights are its own.
 */
export function actsAsManager(command: RoomCommand, state: RoomState): boolean {
  return command.actorRole !== 'user' || command.actorUserId === state.ownerUserId;
}

/** NOT_ROOM_MANAGER for whoever is none, else null. The fact repeats only what the caller sent. */
export function refuseUnlessManager(command: RoomCommand, state: RoomState): Rejected | null {
  if (actsAsManager(command, state)) return null;
  return rejected('NOT_ROOM_MANAGER', { actor_user_id: command.actorUserId });
}

/** USER_NOT_PRESENT when the user is not in the room in the business sense (PRES-1), else null. */
export function refuseUnlessPresent(state: RoomState, userId: UserId): Rejected | null {
  if (state.users.has(userId)) return null;
  return rejected('USER_NOT_PRESENT', { user_id: userId });
}
