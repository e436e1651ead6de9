/**
 * What can be asked of a room. Names are imperative; fields are already parsed and bounded by the
 * gateway, yet `decide` trusts none of them for its own rules. Each topic has its bodies in a file
 * of its own; this one puts them together.
 */
import type { AppCode, CommandId, RoomId, UserId } from '../ids.ts';
import type { SendGift } from '../gift/gift-commands.ts';
import type * as Mic from '../mic/mic-commands.ts';
import type * as Presence from '../presence/presence-commands.ts';
import type { LaunchRocket } from '../rocket/rocket-commands.ts';
import type * as Room from './room-commands.ts';

/**
 * Who asks. `system` is the room's owner node itself (timers); `rtc` is a callback of the RTC
 * service, taken in by a gateway. Neither comes with a caller's token.
 */
export type ActorRole = 'user' | 'service' | 'operator' | 'system' | 'rtc';

/** Bodies that the owner node makes by itself; nobody sends them. */
export type SystemCommandBody =
  | Mic.ExpireMicPublish
  | Mic.ExpireMicHeartbeat
  | Mic.ExpireMicRequests
  | Presence.SweepStaleUsers
  | Presence.ExpireBans
  | Room.FinishClosing
  | Room.NotePasswordAttempt
  | LaunchRocket;

/** The business part of a command. Grows with each feature; `docs/add-a-command.md` tells how. */
export type CommandBody =
  | Room.CreateRoom
  | Room.CloseRoom
  | Room.DeleteRoom
  | Room.UpdateRoomProfile
  | Room.SetSeatCount
  | Room.SetRoomPassword
  | Room.SetRoomMode
  | Room.SetVisibleRegion
  | Room.SetAdmin
  | Room.TransferOwner
  | Presence.JoinRoom
  | Presence.UpdateUser
  | Presence.LeaveRoom
  | Presence.KickUser
  | Presence.UnbanUser
  | Presence.EvictUser
  | Mic.MicUp
  | Mic.MicDown
  | Mic.ChangeMicSeat
  | Mic.ConfirmMicPublishing
  | Mic.SetMicSeatLock
  | Mic.SetMicSeatMute
  | Mic.InviteToMic
  | Mic.ApplyForMic
  | Mic.AnswerMicRequest
  | Mic.ApplyRtcEvent
  | SendGift
  | SystemCommandBody;

/** Every name a command body can have. */
export type CommandType = CommandBody['type'];

/** Every name a body of the owner node's own can have. */
export type SystemCommandType = SystemCommandBody['type'];

/** A command as the cell decides it. */
export interface RoomCommand {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  readonly actorRole: ActorRole;
  readonly body: CommandBody;
}
