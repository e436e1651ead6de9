/**
 * What can be asked of a room. Names are imperative; fields are already parsed and bounded by the
 * gateway, yet `decide` trusts none of them for its own rules.
 */
import type { AppCode, CommandId, GiftId, MicSessionId, RoomId, UserId } from '../ids.ts';
import type { RoomMode, UserProfile } from './state.ts';

/** Who asks. `system` is the room's owner node itself (timers); it never comes over the gateway. */
export type ActorRole = 'user' | 'service' | 'operator' | 'system';

/** The gateway's password check, which holds for one version of the password only (section 4). */
export interface PasswordVerdict {
  readonly passwordVersion: bigint;
  readonly verdict: 'none_given' | 'match' | 'mismatch';
}

/** CreateRoom: the actor becomes the owner. */
export interface CreateRoom {
  readonly type: 'CreateRoom';
  readonly title: string;
  readonly coverUrl: string;
  readonly backgroundUrl: string;
  readonly seatCount: number;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** Encoded scrypt hash made by the gateway, or '' for an open room. */
  readonly passwordHash: string;
  readonly tags: readonly string[];
  readonly ext: string;
}

/** JoinRoom: a user who is already present is refreshed, not joined twice (PRES-20). */
export interface JoinRoom {
  readonly type: 'JoinRoom';
  readonly profile: UserProfile;
  readonly isRobot: boolean;
  readonly password: PasswordVerdict;
}

/** LeaveRoom: frees the seat in the same commit (PRES-14). */
export interface LeaveRoom {
  readonly type: 'LeaveRoom';
}

/** MicUp: seat 0 means the first free one. */
export interface MicUp {
  readonly type: 'MicUp';
  readonly seatNo: number;
}

/** MicDown: of oneself, or of another by a manager of the room. */
export interface MicDown {
  readonly type: 'MicDown';
  /** '' means the actor. */
  readonly userId: UserId | '';
  /** '' means whatever session holds the seat now. */
  readonly micSessionId: MicSessionId | '';
}

/** ConfirmMicPublishing: the client says that RTC publishing of this session has begun. */
export interface ConfirmMicPublishing {
  readonly type: 'ConfirmMicPublishing';
  readonly micSessionId: MicSessionId;
}

/** CloseRoom is final (ROOM-6); owner, service or operator. */
export interface CloseRoom {
  readonly type: 'CloseRoom';
  readonly reason: string;
  readonly note: string;
}

/**
 * SendGift: the actor gives `giftCount` of one gift to every target. The price is never the caller's
 * word (GIFT-1): it comes with the charge.
 */
export interface SendGift {
  readonly type: 'SendGift';
  readonly giftId: GiftId;
  /** For each target. */
  readonly giftCount: number;
  /** In the order in which the facts are made; that order is part of what the command is. */
  readonly targetUserIds: readonly UserId[];
  /** Opaque to us: the client's own mark for gifts shown as one chain, or ''. */
  readonly comboId: string;
}

/** System: the window for RTC confirmation of one session has passed (MIC-13, MIC-28). */
export interface ExpireMicPublish {
  readonly type: 'ExpireMicPublish';
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishDeadlineMs: number;
}

/** The business part of a command. Grows with each feature; `docs/add-a-command.md` tells how. */
export type CommandBody =
  | CreateRoom
  | JoinRoom
  | LeaveRoom
  | MicUp
  | MicDown
  | ConfirmMicPublishing
  | CloseRoom
  | SendGift
  | ExpireMicPublish;

/** Every name a command body can have. */
export type CommandType = CommandBody['type'];

/** A command as the cell decides it. */
export interface RoomCommand {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  readonly actorRole: ActorRole;
  readonly body: CommandBody;
}
